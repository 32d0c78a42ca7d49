package host

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	memoryInterval = 100 * time.Millisecond
	// longJob is how long a job must have run to be interrupted for memory.
	longJob = 250 * time.Millisecond
)

// watchMemory interrupts extensions that run for long while the process is past
// its memory limit. Nothing tells whose the memory is, so the message says what
// was running, not that it was the cause.
func (h *Host) watchMemory() {
	if h.options.Memory < 0 {
		return
	}
	h.work.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for pause(h.ctx, h.options.Clock, memoryInterval) {
			metrics.Read(sample)
			used := sample[0].Value.Uint64()
			if used <= uint64(h.options.Memory) {
				continue
			}
			if h.relieve(used) {
				debug.FreeOSMemory()
			}
		}
	})
}

// relieve interrupts every job that has run for long, those of the newest isolates
// first, which are a candidate's, and reports whether there was one.
func (h *Host) relieve(used uint64) bool {
	reason := fmt.Sprintf("the process uses %d MiB, over its limit of %d MiB, and this had run for over %s",
		used>>20, h.options.Memory>>20, longJob)
	interrupted := false
	for _, home := range h.homes.all() {
		work, since, running := home.isolate.RunningJob()
		if running && time.Since(since) > longJob && home.isolate.Interrupt(reason) {
			interrupted = true
			h.options.Logger.Warn("memory limit passed", "extension", home.extension, "work", work, "used", used)
		}
	}
	return interrupted
}

var memTotal = regexp.MustCompile(`(?m)^MemTotal:\s+(\d+) kB$`)

// MachineMemory is how many bytes the process may use: the smaller of the
// machine's memory and the control group's limit; 8 GiB when neither is known.
func MachineMemory() int64 {
	sizes := []int64{}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if match := memTotal.FindSubmatch(text); match != nil {
			if kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64); err == nil {
				sizes = append(sizes, kilobytes<<10)
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			sizes = append(sizes, limit)
		}
	}
	if len(sizes) == 0 {
		return 8 << 30
	}
	return slices.Min(sizes)
}

package guard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// The lines run in processes of their own, because a fault in a fence ends the process.
const lineEnv = "GUARD_LINES"

// A line that runs for ever is asked to stop early, the others only when something is wrong with them.
const (
	interruptAfter = 300 * time.Millisecond
	giveUpAfter    = 5 * time.Minute
	stuckAfter     = 5 * time.Second // a line that nothing stops is killed
)

// report is what a child process tells about one line.
type report struct {
	Line    int
	Outcome Outcome
	Late    time.Duration // from the interrupt to the end, in time of processors: others may be busy
	Took    time.Duration
	Detail  string
}

// TestLines runs every line of the list and compares what becomes of it.
func TestLines(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	if raceEnabled {
		t.Skip("the lines run on one goroutine each, and the race detector makes them take minutes")
	}
	var safe []string
	for i, line := range Lines {
		if line.Outcome != Fatal {
			safe = append(safe, strconv.Itoa(i))
		}
	}
	seen := map[int]bool{}
	for len(safe) > 0 {
		reports, err := runLines(t, safe, 0)
		for _, r := range reports {
			seen[r.Line] = true
			checkLine(t, Lines[r.Line], r)
		}
		safe = safe[len(reports):]
		if err != nil && len(safe) > 0 {
			i, _ := strconv.Atoi(safe[0])
			t.Errorf("%s\n\tended the process: %v", Lines[i].Script, err)
			safe = safe[1:]
		}
	}
	if len(seen) == 0 {
		t.Fatal("no line ran")
	}
}

func checkLine(t *testing.T, line Line, r report) {
	t.Helper()
	got := r.Outcome
	if line.Outcome == Late && (got == Interrupted || got == Completes) {
		got = Late
	}
	if got != line.Outcome {
		t.Errorf("%s\n\t%s, want %s: %s", line.Script, r.Outcome, line.Outcome, r.Detail)
	}
	bound := 3 * max(line.Bound, 3*time.Second) // machines that run tests are slow
	if r.Late > bound {
		t.Errorf("%s\n\tstopped %s after the interrupt, want at most %s", line.Script, r.Late, bound)
	}
	if r.Late > 100*time.Millisecond {
		t.Logf("%-60.60s stopped %s after the interrupt (bound %s)", line.Script, r.Late.Round(time.Millisecond), bound)
	} else if r.Took > time.Second {
		t.Logf("%-60.60s %s after %s", line.Script, r.Outcome, r.Took.Round(time.Millisecond))
	}
}

// TestFatalLines shows that what the list calls fatal still is: a line that is not belongs into another row.
func TestFatalLines(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector needs more address space than the limit of these processes")
	}
	for i, line := range Lines {
		if line.Outcome != Fatal {
			continue
		}
		reports, err := runLines(t, []string{strconv.Itoa(i)}, 4<<30)
		if err == nil && len(reports) > 0 {
			t.Errorf("%s\n\tdid not end the process: %v", line.Script, reports)
		}
	}
}

func runLines(t *testing.T, lines []string, memory uint64) ([]report, error) {
	t.Helper()
	ctx := t.Context()
	if memory > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, stuckAfter)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestLineProcess$")
	cmd.Env = append(os.Environ(), lineEnv+"="+strings.Join(lines, ","), fmt.Sprintf("%s_MEMORY=%d", lineEnv, memory), "GOTRACEBACK=none")
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reports []report
	for s := bufio.NewScanner(out); s.Scan(); {
		var r report
		if json.Unmarshal(s.Bytes(), &r) == nil {
			reports = append(reports, r)
		}
	}
	return reports, cmd.Wait()
}

// TestLineProcess is the child process.
func TestLineProcess(t *testing.T) {
	lines := os.Getenv(lineEnv)
	if lines == "" {
		t.Skip("runs as a child process of TestLines")
	}
	if memory, _ := strconv.ParseUint(os.Getenv(lineEnv+"_MEMORY"), 10, 64); memory > 0 {
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: memory, Max: memory}); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range strings.Split(lines, ",") {
		i, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(runLine(t, i))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s\n", b)
	}
}

// processorTime is what the process has had of the processors.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it fails for wrong arguments only
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func runLine(t *testing.T, i int) (r report) {
	rt := newRuntime(t)
	rt.SetMaxCallStackSize(1000)
	var asked time.Duration
	after := giveUpAfter
	if o := Lines[i].Outcome; o == Interrupted || o == Late || o == Fatal {
		after = interruptAfter
	}
	began := time.Now()
	timer := time.AfterFunc(after, func() {
		asked = processorTime()
		rt.Interrupt("stop")
	})
	r.Line = i
	defer func() {
		if x := recover(); x != nil {
			r.Outcome, r.Detail = "panic", fmt.Sprint(x)
		}
	}()
	value, err := rt.RunString(Lines[i].Script)
	r.Took = time.Since(began)
	if !timer.Stop() {
		r.Late = processorTime() - asked
	}
	var overflow *goja.StackOverflowError
	var interrupted *goja.InterruptedError
	var thrown *goja.Exception
	switch {
	case err == nil:
		r.Outcome, r.Detail = Completes, value.String()
	case errors.As(err, &interrupted):
		r.Outcome = Interrupted
	case errors.As(err, &overflow):
		r.Outcome = Overflows
	case errors.As(err, &thrown) && strings.Contains(thrown.Value().String(), "RangeError") && strings.Contains(thrown.Value().String(), "limit"),
		err != nil && strings.Contains(err.Error(), "may have been cut off"):
		r.Outcome = Refused
	default:
		r.Outcome = "error"
	}
	if err != nil {
		r.Detail = err.Error()
	}
	return r
}

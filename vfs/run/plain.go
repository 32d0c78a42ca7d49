package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

// plain runs commands on the host. Only the directory they start in is mapped.
type plain struct {
	world   *vfs.World
	counter atomic.Uint64
}

var (
	_ starter = (*plain)(nil)
	_ running = (*unconfined)(nil)
)

// mark is the variable by which processes of one command are found again after they
// have left its session and process group.
const mark = "HARNESS_COMMAND"

func (pl *plain) start(_ context.Context, p process) (running, error) {
	real, err := pl.world.Realpath(p.Dir)
	if err != nil {
		return nil, startError(p, errnoOf(err))
	}
	hostDir := filepath.Join(pl.world.HostRoot(), real)
	host := p
	host.Dir = hostDir
	program, err := findProgram(host, func(at string) (fs.FileInfo, error) { return os.Stat(at) })
	if err != nil {
		if failed, ok := errors.AsType[*StartError](err); ok {
			failed.Dir = p.Dir
		}
		return nil, err
	}
	own := fmt.Sprintf("%s=%d-%d", mark, os.Getpid(), pl.counter.Add(1))
	env := append([]string{own}, p.Env...)
	for i, pair := range env {
		if strings.HasPrefix(pair, "PWD=") {
			env[i] = "PWD=" + hostDir
		}
	}
	started, err := os.StartProcess(program, p.Argv, &os.ProcAttr{
		Dir:   hostDir,
		Env:   env,
		Files: p.files[:],
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, startError(p, errnoOf(err))
	}
	return &unconfined{process: started, mark: []byte(own)}, nil
}

func (pl *plain) close() error { return nil }

type unconfined struct {
	process *os.Process
	mark    []byte
}

func (u *unconfined) wait() (exit, error) {
	state, err := u.process.Wait()
	if err != nil {
		return exit{}, err
	}
	return exitOf(state), nil
}

func (u *unconfined) terminate() {
	_ = u.process.Signal(unix.SIGTERM)
	u.signalMarked(unix.SIGTERM)
}

func (u *unconfined) kill() {
	_ = u.process.Kill()
	u.killMarked()
}

func (u *unconfined) end() { u.killMarked() }

// killMarked kills until nothing marked is left: what is found may just have started more.
func (u *unconfined) killMarked() {
	const rounds = 16
	for range rounds {
		if u.signalMarked(unix.SIGKILL) == 0 {
			return
		}
	}
}

// signalMarked signals the processes that have the mark in their environment and
// returns how many there were. After KILL it waits for them to be dead.
func (u *unconfined) signalMarked(number unix.Signal) int {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, err := processNames(dir)
	if err != nil {
		return 0
	}
	var killed []unix.PollFd
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == u.process.Pid || pid == os.Getpid() || !u.marked(name) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		// Once more: only now does the descriptor keep the number from another process.
		if u.marked(name) {
			_ = unix.PidfdSendSignal(fd, number, nil, 0)
			killed = append(killed, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		} else {
			_ = unix.Close(fd)
		}
	}
	for i := range killed {
		if number == unix.SIGKILL {
			_, _ = unix.Poll(killed[i:i+1], int(lingering.Milliseconds()))
		}
		_ = unix.Close(int(killed[i].Fd))
	}
	return len(killed)
}

// marked reports whether a process belongs to the command. The environment of a
// zombie is empty, so a dead one does not.
func (u *unconfined) marked(name string) bool {
	env, err := os.ReadFile(filepath.Join("/proc", name, "environ"))
	if err != nil {
		return false
	}
	for pair := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(pair, u.mark) {
			return true
		}
	}
	return false
}

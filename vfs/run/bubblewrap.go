package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

// bubblewrap runs each command through the bwrap program.
type bubblewrap struct {
	world   *vfs.World
	layout  layout
	program string
	args    []string
	// thread starts them: --die-with-parent follows the thread that started bwrap, not
	// the process, and other threads may end.
	thread *thread
}

var (
	_ starter = (*bubblewrap)(nil)
	_ running = (*wrapped)(nil)
)

// statusFD is the descriptor on which bwrap tells what it started.
const statusFD = 3

func openBubblewrap(world *vfs.World, l layout) (*bubblewrap, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("the program bwrap (Debian package bubblewrap) is not installed")
	}
	args := []string{
		program, "--unshare-user", "--uid", "0", "--gid", "0", "--unshare-pid", "--unshare-ipc",
		"--die-with-parent", "--cap-drop", "ALL", "--json-status-fd", strconv.Itoa(statusFD),
		"--bind", l.Root, "/", "--dev", "/dev",
	}
	for _, b := range l.Binds {
		args = append(args, "--ro-bind", b.Source, b.Target)
	}
	args = append(args, "--proc", kernelProc, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
	return &bubblewrap{world: world, layout: l, program: program, args: args, thread: newThread()}, nil
}

func (b *bubblewrap) close() error {
	b.thread.close()
	return nil
}

// stat describes a path as a command sees it.
func (b *bubblewrap) stat(p string) (fs.FileInfo, error) {
	for i := len(b.layout.Binds) - 1; i >= 0; i-- {
		mounted := b.layout.Binds[i]
		if rest, inside := strings.CutPrefix(p, mounted.Target); inside && (rest == "" || rest[0] == '/') {
			return os.Stat(path.Join(mounted.Source, rest))
		}
	}
	real, err := b.world.Realpath(p)
	if err != nil {
		return nil, err
	}
	if real != p {
		return b.stat(real)
	}
	return b.world.Stat(p)
}

func (b *bubblewrap) start(ctx context.Context, p process) (running, error) {
	program, err := findProgram(p, b.stat)
	if err != nil {
		return nil, err
	}
	status, told, err := os.Pipe()
	if err != nil {
		return nil, startError(p, errnoOf(err))
	}
	defer told.Close()
	args := append(append([]string{}, b.args...), "--chdir", p.Dir, "--", program)
	args = append(args, p.Argv[1:]...)
	var started *os.Process
	busy := b.thread.try(ctx, func() {
		started, err = os.StartProcess(b.program, args, &os.ProcAttr{
			Dir:   "/",
			Env:   p.Env,
			Files: append(p.files[:], told),
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
	})
	if err := cmp.Or(busy, err); err != nil {
		return nil, errors.Join(startError(p, errnoOf(err)), status.Close())
	}
	_ = told.Close()
	w := &wrapped{process: started, status: status, told: json.NewDecoder(status)}
	release := hurry(ctx, status.SetReadDeadline)
	err = w.findInit()
	release()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = context.Cause(ctx)
	}
	if err != nil {
		w.kill()
		_, _ = started.Wait()
		w.end()
		return nil, startError(p, fmt.Errorf("bwrap: %w", err))
	}
	return w, nil
}

// wrapped is a bwrap and what runs in it. Process 1 of the PID namespace is bwrap too.
type wrapped struct {
	process *os.Process
	status  *os.File
	told    *json.Decoder
	init    int // host PID
	pidfd   int // of init
}

func (w *wrapped) findInit() error {
	w.pidfd = -1
	var first struct {
		ChildPID int `json:"child-pid"`
	}
	if err := w.told.Decode(&first); err != nil {
		return fmt.Errorf("the sandbox was not made: %w", err)
	}
	w.init = first.ChildPID
	fd, err := unix.PidfdOpen(w.init, 0)
	if err == nil {
		w.pidfd = fd
	} else if err != unix.ESRCH {
		return err
	}
	return nil
}

func (w *wrapped) wait() (exit, error) {
	state, err := w.process.Wait()
	if err != nil {
		return exit{}, err
	}
	ended := exitOf(state)
	// bwrap passes on 128+n for a signal. Of the numbers that programs use themselves
	// none is a signal that ends a program.
	if number := syscall.Signal(ended.Code - 128); ended.Signal == 0 && number > 0 && unix.SignalName(number) != "" {
		return exit{Signal: number}, nil
	}
	return ended, nil
}

func (w *wrapped) terminate() {
	for _, pid := range descendants(w.init) {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			_ = unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0)
			_ = unix.Close(fd)
		}
	}
}

func (w *wrapped) kill() {
	if w.pidfd >= 0 {
		_ = unix.PidfdSendSignal(w.pidfd, unix.SIGKILL, nil, 0)
	} else {
		_ = w.process.Kill()
	}
}

func (w *wrapped) end() {
	if w.pidfd >= 0 {
		_ = unix.PidfdSendSignal(w.pidfd, unix.SIGKILL, nil, 0)
		_, _ = retryPoll(w.pidfd)
		_ = unix.Close(w.pidfd)
	}
	_ = w.status.Close()
}

// retryPoll waits for the process of a descriptor to be dead.
func retryPoll(pidfd int) (int, error) {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, -1)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// descendants lists the children of a process and theirs. Orphans of a PID namespace
// are children of its process 1, so of that it is all there are.
func descendants(of int) []int {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, name := range names {
		pid, err := strconv.Atoi(name.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	found := children[of]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// parentOf reads the fourth field of /proc/<pid>/stat (proc_pid_stat(5)); the second
// is in parentheses and may hold anything.
func parentOf(pid int) (int, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	rest := string(data[strings.LastIndexByte(string(data), ')')+1:])
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}

package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// initScript is process 1 of a slot. It mounts the kernel's proc, which shows the
// processes of whoever mounts it, and then sits until its input ends, which it does
// when this process dies; the kernel kills the others with it. SIGCHLD is ignored so
// that orphans leave no zombies.
//
// It has every capability of the harness, so all it runs is the host's: its root is
// initRoot, never the world, whose /bin/sh anybody may have written.
const initScript = `mount -t proc -o ro,nosuid,nodev,noexec proc /proc || exit 1
trap '' HUP INT TERM
env --ignore-signal=CHLD true 2>&- && exec env --ignore-signal=CHLD cat
exec cat`

// readyWord comes back from process 1 once it runs its last program, which needs no
// more files.
const readyWord = "ready\n"

// slot is a PID namespace, and a copy of the world's mount namespace with the proc of
// that. It runs one command at a time, and another when that left nothing behind.
type slot struct {
	init  *os.Process
	input *os.File // init's; closed, it ends
	mount int      // namespace
	pid   int      // namespace
	proc  *os.File // the slot's /proc/.kernel

	killed atomic.Bool // process 1 is dead or dying; no command can start in it
}

// initTimeout bounds how long process 1 may take to say that it is ready.
const initTimeout = 30 * time.Second

// makeSlot makes a slot on a thread that is in the world's base namespaces, and
// leaves the thread in the slot's. It gives up when ctx ends.
func makeSlot(ctx context.Context, hostProc int) (made *slot, err error) {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return nil, fmt.Errorf("a mount namespace: %w", err)
	}
	if err := unix.Unshare(unix.CLONE_NEWPID); err != nil {
		return nil, fmt.Errorf("a PID namespace: %w", err)
	}
	s := &slot{mount: -1, pid: -1}
	defer func() {
		if err != nil {
			s.destroy()
		}
	}()
	if err := s.startInit(ctx); err != nil {
		return nil, fmt.Errorf("process 1: %w", err)
	}
	if err := unix.Mount(initRoot+"/proc", kernelProc, "", unix.MS_BIND, ""); err != nil {
		return nil, fmt.Errorf("mount proc: %w", err)
	}
	// Commands do not see what process 1 runs from.
	if err := unix.Unmount(initRoot, unix.MNT_DETACH); err != nil {
		return nil, fmt.Errorf("hide the host's programs: %w", err)
	}
	if s.mount, err = openNamespace(hostProc, "mnt"); err != nil {
		return nil, err
	}
	if s.pid, err = openNamespace(hostProc, "pid_for_children"); err != nil {
		return nil, err
	}
	if s.proc, err = os.Open(kernelProc); err != nil {
		return nil, err
	}
	return s, nil
}

func openNamespace(hostProc int, name string) (int, error) {
	fd, err := unix.Openat(hostProc, "thread-self/ns/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open the %s namespace: %w", name, err)
	}
	return fd, nil
}

func (s *slot) startInit(ctx context.Context) error {
	input, mine, err := os.Pipe()
	if err != nil {
		return err
	}
	defer input.Close()
	s.input = mine
	said, output, err := os.Pipe()
	if err != nil {
		return err
	}
	defer said.Close()
	s.init, err = os.StartProcess("/bin/sh", []string{"sh", "-c", initScript}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=" + systemPath},
		Files: []*os.File{input, output, output},
		Sys:   &syscall.SysProcAttr{Chroot: initRoot},
	})
	_ = output.Close()
	if err != nil {
		return err
	}
	if _, err := mine.WriteString(readyWord); err != nil {
		return err
	}
	_ = said.SetReadDeadline(time.Now().Add(initTimeout))
	defer hurry(ctx, said.SetReadDeadline)()
	var heard bytes.Buffer
	for !strings.HasSuffix(heard.String(), readyWord) {
		if _, err := io.CopyN(&heard, said, 1); err != nil {
			return fmt.Errorf("%w: %s", cmp.Or(context.Cause(ctx), err), strings.TrimSpace(heard.String()))
		}
	}
	return nil
}

// others lists the processes of the slot besides process 1, by their numbers in it.
func (s *slot) others() ([]string, error) {
	fd, err := unix.Openat(int(s.proc.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), kernelProc)
	defer dir.Close()
	return processNames(dir)
}

func processNames(dir *os.File) ([]string, error) {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var processes []string
	for _, name := range names {
		if name != "1" && strings.Trim(name, "0123456789") == "" {
			processes = append(processes, name)
		}
	}
	return processes, nil
}

// signal sends a signal to every process but process 1. A descriptor of /proc/<pid>
// stands for the process it was opened for, so no number that was used again is hit
// (pidfd_send_signal(2)).
func (s *slot) signal(number unix.Signal) {
	names, err := s.others()
	if err != nil {
		return
	}
	signalProcesses(int(s.proc.Fd()), names, number)
}

func signalProcesses(proc int, names []string, number unix.Signal) {
	for _, name := range names {
		fd, err := unix.Openat(proc, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		_ = unix.PidfdSendSignal(fd, number, nil, 0)
		_ = unix.Close(fd)
	}
}

// kill ends every process of the slot, which is then of no use.
func (s *slot) kill() {
	s.killed.Store(true)
	_ = s.init.Kill()
}

// destroy kills every process of the slot, waits until they are gone, and lets go of
// the namespaces.
func (s *slot) destroy() {
	if s.init != nil {
		_ = s.init.Kill()
		_, _ = s.init.Wait()
	}
	for _, file := range []*os.File{s.input, s.proc} {
		if file != nil {
			_ = file.Close()
		}
	}
	for _, fd := range []int{s.mount, s.pid} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

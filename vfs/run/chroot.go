package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// idleSlots is how many slots wait for the next command.
const idleSlots = 4

// launcher starts commands in namespaces that threads of this process hold: they end
// with the process, and no other thread is in them.
type launcher struct {
	maker   *thread // makes slots; may mount
	starter *thread // starts commands; what it starts may not
	fds     [3]int
	idle    chan *slot
	closing sync.Once
}

// The descriptors of launcher.fds.
const (
	hostProc  = iota // the host's /proc
	worldBase        // the mount namespace that slots are copies of
	ownPID           // the PID namespace of this process
)

var (
	_ starter = (*launcher)(nil)
	_ running = (*confined)(nil)
)

// openLauncher enters the world with two threads. nested says that this process is
// in a user namespace of its own.
func openLauncher(l layout, nested bool) (*launcher, error) {
	// os tries out process descriptors once, with a child. That child must not become
	// process 1 of a slot.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	la := &launcher{maker: newThread(), starter: newThread(), fds: [3]int{-1, -1, -1}, idle: make(chan *slot, idleSlots)}
	var err error
	la.maker.do(func() { err = la.prepare(l, nested) })
	if err == nil {
		la.starter.do(func() { err = la.join() })
	}
	if err != nil {
		return nil, errors.Join(err, la.close())
	}
	return la, nil
}

func (la *launcher) prepare(l layout, nested bool) (err error) {
	la.fds[hostProc], err = unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /proc: %w", err)
	}
	if err := enterWorld(l, nested); err != nil {
		return err
	}
	if la.fds[worldBase], err = openNamespace(la.fds[hostProc], "mnt"); err != nil {
		return err
	}
	la.fds[ownPID], err = openNamespace(la.fds[hostProc], "pid")
	return err
}

func (la *launcher) join() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return err
	}
	if err := unix.Setns(la.fds[worldBase], unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("enter the world's mount namespace: %w", err)
	}
	return dropCapabilities()
}

// take gives a slot that waits, or a new one.
func (la *launcher) take(ctx context.Context) (*slot, error) {
	select {
	case s := <-la.idle:
		return s, nil
	default:
		return la.make(ctx)
	}
}

func (la *launcher) make(ctx context.Context) (*slot, error) {
	var made *slot
	var err error
	busy := la.maker.try(ctx, func() {
		if err = unix.Setns(la.fds[worldBase], unix.CLONE_NEWNS); err != nil {
			return
		}
		if err = unix.Setns(la.fds[ownPID], unix.CLONE_NEWPID); err != nil {
			return
		}
		made, err = makeSlot(ctx, la.fds[hostProc])
	})
	return made, cmp.Or(busy, err)
}

// giveBack keeps a slot in which nothing runs, and destroys another.
func (la *launcher) giveBack(s *slot) {
	if others, err := s.others(); err == nil && len(others) == 0 && !s.killed.Load() {
		select {
		case la.idle <- s:
			return
		default:
		}
	}
	s.destroy()
}

func (la *launcher) start(ctx context.Context, p process) (running, error) {
	s, err := la.take(ctx)
	if err != nil {
		return nil, slotError(p, err)
	}
	started, err := la.startIn(ctx, s, p)
	if errors.Is(err, unix.ENOMEM) {
		// So says a PID namespace whose process 1 was killed: slots that wait may all be such.
		s.destroy()
		if s, err = la.make(ctx); err != nil {
			return nil, slotError(p, err)
		}
		started, err = la.startIn(ctx, s, p)
	}
	if err != nil {
		la.giveBack(s)
		return nil, err
	}
	return &confined{launcher: la, slot: s, process: started}, nil
}

func slotError(p process, err error) error {
	return startError(p, fmt.Errorf("namespaces for the command: %w", err))
}

func (la *launcher) startIn(ctx context.Context, s *slot, p process) (started *os.Process, err error) {
	if busy := la.starter.try(ctx, func() { started, err = startIn(s, p) }); busy != nil {
		return nil, startError(p, busy)
	}
	return started, err
}

// startIn starts p in the namespaces of s, where the calling thread stays.
func startIn(s *slot, p process) (*os.Process, error) {
	if err := unix.Setns(s.mount, unix.CLONE_NEWNS); err != nil {
		return nil, startError(p, fmt.Errorf("enter the mount namespace: %w", err))
	}
	if err := unix.Setns(s.pid, unix.CLONE_NEWPID); err != nil {
		return nil, startError(p, fmt.Errorf("enter the PID namespace: %w", err))
	}
	program, err := findProgram(p, func(at string) (fs.FileInfo, error) { return os.Stat(at) })
	if err != nil {
		return nil, err
	}
	started, err := os.StartProcess(program, p.Argv, &os.ProcAttr{
		Dir:   p.Dir,
		Env:   p.Env,
		Files: p.files[:],
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, startError(p, errnoOf(err))
	}
	return started, nil
}

// close is called when no command runs.
func (la *launcher) close() error {
	la.closing.Do(func() {
		close(la.idle)
		for s := range la.idle {
			s.destroy()
		}
		la.maker.close()
		la.starter.close()
		for _, fd := range la.fds {
			if fd >= 0 {
				_ = unix.Close(fd)
			}
		}
	})
	return nil
}

// confined is a command in a slot.
type confined struct {
	launcher *launcher
	slot     *slot
	process  *os.Process
}

func (c *confined) wait() (exit, error) {
	state, err := c.process.Wait()
	if err != nil {
		return exit{}, err
	}
	return exitOf(state), nil
}

func (c *confined) terminate() { c.slot.signal(unix.SIGTERM) }
func (c *confined) kill()      { c.slot.kill() }
func (c *confined) end()       { c.launcher.giveBack(c.slot) }

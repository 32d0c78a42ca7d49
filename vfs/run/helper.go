package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helper is the client of a process that holds the namespaces which an unprivileged
// process cannot enter itself, because only a process with one thread can change its
// user namespace. The helper starts the commands; it ends when this process does, and
// the kernel ends the commands with it, whose process 1 it is.
type helper struct {
	process *os.Process
	control *net.UnixConn
}

var (
	_ starter = (*helper)(nil)
	_ running = (*remote)(nil)
)

// controlFD is the helper's end of the control socket.
const controlFD = 3

// The words that are exchanged about one command.
const (
	orderTerminate = "terminate"
	orderKill      = "kill"
	orderEnd       = "end"
)

// answer is what the helper says: first how starting went, then how the command
// ended, then that nothing of it is left.
type answer struct {
	Error   string
	Code    string // of a StartError
	Errno   syscall.Errno
	Exit    exit
	Started bool
}

func openHelper(ctx context.Context, l layout, options Options) (*helper, error) {
	if len(options.Helper) == 0 {
		return nil, errors.New("no helper program is configured")
	}
	mine, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, mine.Close())
	}
	defer null.Close()
	process, err := os.StartProcess(options.Helper[0], options.Helper, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=" + systemPath},
		Files: []*os.File{null, null, os.Stderr, theirs},
		Sys: &syscall.SysProcAttr{
			Setsid:      true,
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a process in a user namespace: %w", err), mine.Close())
	}
	h := &helper{process: process, control: mine}
	if err := h.introduce(ctx, l); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// introduce tells the helper what commands see, and hears whether it can be had.
func (h *helper) introduce(ctx context.Context, l layout) error {
	deadline := time.Now().Add(probeTimeout)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(deadline) {
		deadline = sooner
	}
	if err := h.control.SetDeadline(deadline); err != nil {
		return err
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := h.control.Write(data); err != nil {
		return fmt.Errorf("the helper: %w", err)
	}
	said := make([]byte, 4096)
	n, err := h.control.Read(said)
	if err != nil || n == 0 {
		return fmt.Errorf("the helper ended without a word; it must call run.Serve: %w", errors.Join(err, errGone))
	}
	var ready answer
	if err := json.Unmarshal(said[:n], &ready); err != nil {
		return fmt.Errorf("the helper: %w", err)
	}
	if ready.Error != "" {
		return fmt.Errorf("in a user namespace: %s", ready.Error)
	}
	return h.control.SetDeadline(time.Time{})
}

var errGone = errors.New("it is gone")

func (h *helper) start(_ context.Context, p process) (running, error) {
	mine, theirs, err := socketPair(unix.SOCK_STREAM)
	if err != nil {
		return nil, startError(p, errnoOf(err))
	}
	defer theirs.Close()
	rights := unix.UnixRights(int(theirs.Fd()), int(p.files[0].Fd()), int(p.files[1].Fd()), int(p.files[2].Fd()))
	if _, _, err := h.control.WriteMsgUnix([]byte{0}, rights, nil); err != nil {
		return nil, errors.Join(startError(p, fmt.Errorf("the helper: %w", errnoOf(err))), mine.Close())
	}
	r := &remote{conn: mine, tell: json.NewEncoder(mine), hear: json.NewDecoder(mine)}
	if err := r.begin(p); err != nil {
		return nil, errors.Join(err, mine.Close())
	}
	return r, nil
}

func (h *helper) close() error {
	err := h.control.Close()
	_ = h.process.Kill()
	_, waitErr := h.process.Wait()
	return errors.Join(err, waitErr)
}

// remote is a command that the helper started.
type remote struct {
	conn *net.UnixConn
	tell *json.Encoder
	hear *json.Decoder
}

func (r *remote) begin(p process) error {
	if err := r.tell.Encode(p); err != nil {
		return startError(p, fmt.Errorf("the helper: %w", errnoOf(err)))
	}
	var said answer
	if err := r.hear.Decode(&said); err != nil {
		return startError(p, fmt.Errorf("the helper: %w", errors.Join(err, errGone)))
	}
	if said.Started {
		return nil
	}
	failed := &StartError{Code: said.Code, Program: p.Argv[0], Dir: p.Dir, Err: errors.New(said.Error)}
	if said.Errno != 0 {
		failed.Err = &saidErrno{text: said.Error, errno: said.Errno}
	}
	return failed
}

// saidErrno is an error of the helper's: its text, and the errno it came from.
type saidErrno struct {
	text  string
	errno syscall.Errno
}

func (e *saidErrno) Error() string { return e.text }
func (e *saidErrno) Unwrap() error { return e.errno }

func (r *remote) wait() (exit, error) {
	var said answer
	if err := r.hear.Decode(&said); err != nil {
		return exit{}, fmt.Errorf("the helper: %w", errors.Join(err, errGone))
	}
	if said.Error != "" {
		return exit{}, errors.New(said.Error)
	}
	return said.Exit, nil
}

// Orders that do not arrive have no helper to follow them, and so no command.
func (r *remote) terminate() { _ = r.tell.Encode(orderTerminate) }
func (r *remote) kill()      { _ = r.tell.Encode(orderKill) }

func (r *remote) end() {
	_ = r.tell.Encode(orderEnd)
	var said answer
	_ = r.hear.Decode(&said)
	_ = r.conn.Close()
}

func socketPair(kind int) (mine *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a pair of sockets: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "theirs")
	if mine, err = unixConn(fds[0]); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return mine, theirs, nil
}

// unixConn takes the descriptor over.
func unixConn(fd int) (*net.UnixConn, error) {
	file := os.NewFile(uintptr(fd), "socket")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

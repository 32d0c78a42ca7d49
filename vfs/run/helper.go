package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helper starts commands through a process that holds the namespaces which an
// unprivileged process cannot enter itself, because only a process with one thread can
// change its user namespace. One that has died is replaced for the next command.
type helper struct {
	make func(ctx context.Context) (*helperProcess, error)
	// turn is full while somebody sends a message, and guards current.
	turn    chan struct{}
	current *helperProcess
}

// helperProcess is a helper that runs. It starts the commands; it ends when this
// process does, and the kernel ends the commands with it, whose process 1 it is.
type helperProcess struct {
	process *os.Process
	control *net.UnixConn
}

var (
	_ starter = (*helper)(nil)
	_ running = (*remote)(nil)
)

// answerTimeout bounds how long a helper may take to start a command.
const answerTimeout = 60 * time.Second

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

// openHelper starts a helper; describe finds out what its commands see.
func openHelper(ctx context.Context, describe func() (layout, error), options Options) (*helper, error) {
	if len(options.Helper) == 0 {
		return nil, errors.New("no helper program is configured")
	}
	h := &helper{turn: make(chan struct{}, 1), make: func(ctx context.Context) (*helperProcess, error) {
		// Anew for each helper: the world may have changed since the last.
		l, err := describe()
		if err != nil {
			return nil, err
		}
		return startHelper(ctx, l, options)
	}}
	var err error
	h.current, err = h.make(ctx)
	return h, err
}

func startHelper(ctx context.Context, l layout, options Options) (*helperProcess, error) {
	mine, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, mine.Close(), theirs.Close())
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
	// As in attempt: else a helper that dies before its first word would not be heard.
	_ = theirs.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a process in a user namespace: %w", err), mine.Close())
	}
	h := &helperProcess{process: process, control: mine}
	if err := h.introduce(ctx, l); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// introduce tells the helper what commands see, and hears whether it can be had.
func (h *helperProcess) introduce(ctx context.Context, l layout) error {
	if err := h.control.SetDeadline(time.Now().Add(probeTimeout)); err != nil {
		return err
	}
	defer hurry(ctx, h.control.SetDeadline)()
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
	return nil
}

var errGone = errors.New("it is gone")

func (h *helper) start(ctx context.Context, p process) (running, error) {
	started, err := h.attempt(ctx, p)
	if gone(err) {
		// It died with the command unread, so that is not run twice.
		started, err = h.attempt(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	return started, nil
}

// gone reports whether the other end of a socket was closed and has not read all.
func gone(err error) bool { return errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) }

func (h *helper) attempt(ctx context.Context, p process) (*remote, error) {
	mine, theirs, err := socketPair(unix.SOCK_STREAM)
	if err != nil {
		return nil, startError(p, errnoOf(err))
	}
	err = h.send(ctx, unix.UnixRights(int(theirs.Fd()), int(p.files[0].Fd()), int(p.files[1].Fd()), int(p.files[2].Fd())))
	// With a copy of the other end kept here, a helper that dies would not be heard.
	_ = theirs.Close()
	if err != nil {
		return nil, errors.Join(startError(p, fmt.Errorf("the helper: %w", err)), mine.Close())
	}
	r := &remote{conn: mine, tell: json.NewEncoder(mine), hear: json.NewDecoder(mine)}
	if err := r.begin(ctx, p); err != nil {
		return nil, errors.Join(err, mine.Close())
	}
	return r, nil
}

// send hands the descriptors of a command to the helper, or to a new one when that is dead.
func (h *helper) send(ctx context.Context, rights []byte) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	}
	if h.current != nil {
		err := h.current.send(ctx, rights)
		if !gone(err) {
			return err
		}
		_ = h.current.close()
		h.current = nil
	}
	made, err := h.make(ctx)
	if err != nil {
		return fmt.Errorf("it is gone, and another cannot be started: %w", err)
	}
	h.current = made
	return made.send(ctx, rights)
}

func (h *helperProcess) send(ctx context.Context, rights []byte) error {
	if err := h.control.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	defer hurry(ctx, h.control.SetDeadline)()
	_, _, err := h.control.WriteMsgUnix([]byte{0}, rights, nil)
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// hurry has what waits for a deadline stop waiting when ctx ends, until release is called.
func hurry(ctx context.Context, setDeadline func(time.Time) error) (release func()) {
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		_ = setDeadline(time.Unix(1, 0))
	})
	return func() {
		if !stop() {
			<-over
		}
	}
}

// close is called when no command runs.
func (h *helper) close() error {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	if h.current == nil {
		return nil
	}
	return h.current.close()
}

func (h *helperProcess) close() error {
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

// begin tells the helper what to start and hears whether it did.
func (r *remote) begin(ctx context.Context, p process) error {
	if err := r.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return startError(p, fmt.Errorf("the helper: %w", err))
	}
	release := hurry(ctx, r.conn.SetDeadline)
	var said answer
	err := r.tell.Encode(p)
	if err == nil {
		err = r.hear.Decode(&said)
	}
	release()
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil {
		r.abandon()
		return startError(p, context.Cause(ctx))
	}
	if err != nil {
		return startError(p, fmt.Errorf("the helper: %w", errors.Join(err, errGone)))
	}
	if said.Started {
		return r.conn.SetDeadline(time.Time{})
	}
	failed := &StartError{Code: said.Code, Program: p.Argv[0], Dir: p.Dir, Err: errors.New(said.Error)}
	if said.Errno != 0 {
		failed.Err = &saidErrno{text: said.Error, errno: said.Errno}
	}
	return failed
}

// abandon tells the helper that nobody waits for the command any more, and gives it a
// moment to end what may just have started.
func (r *remote) abandon() {
	_ = r.conn.CloseWrite()
	_ = r.conn.SetDeadline(time.Now().Add(lingering))
	_, _ = io.Copy(io.Discard, r.conn)
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

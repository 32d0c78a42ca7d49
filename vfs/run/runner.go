// Package run runs commands in a world: with the world as "/" where the machine
// allows it, in an environment that is made and not inherited, and with every
// process a command started gone when it is over.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

// Options of New.
type Options struct {
	// Private is a host directory outside the world that belongs to the Runner: it
	// makes files there that commands see read-only. It is made when it is missing.
	Private string
	// Way forces one way; "" takes the best that works.
	Way Name
	// Programs are host paths of static programs by the name commands call them by.
	// Their folder is first in PATH.
	Programs map[string]string
	// Helper is the command line of a program that calls Serve and does nothing else.
	// Without it there is no UserNS.
	Helper []string
	// Shell runs Command.Shell, which is added as last argument; nil is /bin/sh -c.
	Shell []string
	// HostDirs are the host directories commands see read-only; nil is DefaultHostDirs.
	// One that the world has itself, and not empty, is the world's.
	HostDirs []string
	// Logger gets what no caller can be told; nil discards it.
	Logger *slog.Logger
}

// grace is how long a process tree may take to end after TERM.
const grace = 200 * time.Millisecond

// lingering is how long output is still waited for when everything that could be
// ended has been.
const lingering = 500 * time.Millisecond

// Runner runs the commands of one world. Its methods may be called from any goroutine.
type Runner struct {
	world   *vfs.World
	options Options
	private *private
	way     Way
	base    []EnvVar
	starter starter
	null    *os.File

	lock    sync.Mutex
	closed  bool
	current sync.WaitGroup
	stop    context.CancelFunc
	stopped context.Context
}

// New prepares the best way of running commands in world, or the one that options
// force. The caller closes the Runner before the World.
func New(ctx context.Context, world *vfs.World, options Options) (*Runner, error) {
	if len(options.Shell) == 0 {
		options.Shell = []string{"/bin/sh", "-c"}
	}
	if options.HostDirs == nil {
		options.HostDirs = DefaultHostDirs()
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	made, err := makePrivate(options)
	if err != nil {
		return nil, fmt.Errorf("run commands: %w", err)
	}
	for _, dir := range []string{"/home", "/tmp"} {
		if err := world.Mkdir(dir, true); err != nil {
			return nil, fmt.Errorf("run commands: %w", err)
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("run commands: %w", err)
	}
	r := &Runner{world: world, options: options, private: made, null: null}
	r.stopped, r.stop = context.WithCancel(context.Background())
	if err := r.choose(ctx); err != nil {
		r.stop()
		return nil, errors.Join(fmt.Errorf("run commands: %w", err), null.Close())
	}
	return r, nil
}

// Way says how commands are run.
func (r *Runner) Way() Way { return r.way }

// PublishProc has commands see data at /proc/<name>. It is replaced whole; a command
// that has the old one open goes on reading that. name is a plain file name.
func (r *Runner) PublishProc(name string, data []byte) error { return r.private.publish(name, data) }

// Close ends the commands that run, waits for them, and gives up the namespaces.
func (r *Runner) Close() error {
	r.lock.Lock()
	if r.closed {
		r.lock.Unlock()
		return nil
	}
	r.closed = true
	r.lock.Unlock()
	r.stop()
	r.current.Wait()
	return errors.Join(r.starter.close(), r.null.Close())
}

// Run runs one command to its end. That the command fails is no error; that it cannot
// be started is a *StartError. When ctx ends the whole process tree gets TERM, and
// KILL 200 ms later; Run then returns what there is with an error that wraps
// context.Cause. Nothing the command started runs on when Run has returned.
func (r *Runner) Run(ctx context.Context, command Command) (Result, error) {
	p, err := r.prepare(command)
	if err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("run %s: %w", p.Argv[0], context.Cause(ctx))
	}
	r.lock.Lock()
	if r.closed {
		r.lock.Unlock()
		return Result{}, startError(p, fmt.Errorf("the runner is closed: %w", unix.EBADF))
	}
	r.current.Add(1)
	r.lock.Unlock()
	defer r.current.Done()

	streams, err := openStreams(r.null, command.Stdin)
	if err != nil {
		return Result{}, startError(p, errnoOf(err))
	}
	defer streams.close()
	p.files = streams.theirs
	started, err := r.start(ctx, p)
	streams.closeTheirs()
	if err != nil {
		return Result{}, err
	}
	collected := collect(command.OnOutput, cmp.Or(command.MaxBytes, DefaultMaxBytes), streams.stdout, streams.stderr)
	streams.feed(command.Stdin)
	ended, timedOut, err := r.await(ctx, started, command.Timeout)
	started.end()
	streams.expire(time.Now().Add(lingering))
	collected.wait()
	result := Result{
		Code:     ended.code(),
		Stdout:   collected.kept[Stdout].String(),
		Stderr:   collected.kept[Stderr].String(),
		TimedOut: timedOut,
	}
	if ended.Signal != 0 {
		result.Signal = unix.SignalName(ended.Signal)
	}
	if err != nil {
		return result, fmt.Errorf("run %s: %w", p.Argv[0], err)
	}
	return result, nil
}

// start has a command started until ctx ends or the Runner is closed.
func (r *Runner) start(ctx context.Context, p process) (running, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.stopped, func() { cancel(errClosed) })()
	return r.starter.start(ctx, p)
}

var errClosed = errors.New("the runner was closed")

func (r *Runner) prepare(command Command) (process, error) {
	p := process{Argv: command.Argv, Dir: cmp.Or(command.Dir, "/")}
	if command.Shell != "" {
		p.Argv = append(append([]string{}, r.options.Shell...), command.Shell)
	}
	if len(p.Argv) == 0 || p.Argv[0] == "" || (command.Shell != "" && len(command.Argv) > 0) {
		p.Argv = append(p.Argv, "?")
		return p, startError(p, fmt.Errorf("a command is either a shell line or a program with arguments: %w", unix.EINVAL))
	}
	if command.Timeout < 0 || command.MaxBytes < 0 {
		return p, startError(p, fmt.Errorf("a timeout of %s, %d bytes of output: neither may be negative: %w", command.Timeout, command.MaxBytes, unix.EINVAL))
	}
	dir, err := vfs.Clean(p.Dir)
	if err != nil {
		return p, startError(p, err)
	}
	p.Dir = dir
	for _, argument := range p.Argv {
		if strings.IndexByte(argument, 0) >= 0 {
			return p, startError(p, fmt.Errorf("an argument holds a NUL byte: %w", unix.EINVAL))
		}
	}
	for _, v := range command.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.IndexByte(v.Value, 0) >= 0 {
			return p, startError(p, fmt.Errorf("environment variable %q: %w", v.Name, unix.EINVAL))
		}
	}
	base := r.base
	if command.OnlyEnv {
		base = slices.DeleteFunc(slices.Clone(base), func(v EnvVar) bool { return v.Name != "PATH" })
	}
	p.Env = merged(base, []EnvVar{{"PWD", p.Dir}}, command.Env)
	return p, nil
}

// await waits for the command's own process, and ends the tree when time is up.
func (r *Runner) await(ctx context.Context, started running, timeout time.Duration) (ended exit, timedOut bool, err error) {
	type outcome struct {
		exit exit
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		ended, err := started.wait()
		done <- outcome{ended, err}
	}()
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case over := <-done:
		return over.exit, false, over.err
	case <-expired:
		timedOut = true
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-r.stopped.Done():
		err = errClosed
	}
	started.terminate()
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case over := <-done:
		return over.exit, timedOut, errors.Join(err, over.err)
	case <-late.C:
	}
	started.kill()
	over := <-done
	return over.exit, timedOut, errors.Join(err, over.err)
}

// Git runs git in the world directory dir and returns what it printed, trimmed. Another
// exit code than 0 is a *GitError.
func (r *Runner) Git(ctx context.Context, dir string, args ...string) (string, error) {
	result, err := r.Run(ctx, Command{Argv: append([]string{"git"}, args...), Dir: dir})
	if err != nil {
		return "", err
	}
	if result.Code != 0 {
		return "", &GitError{Code: result.Code, Args: args, Stderr: result.Stderr}
	}
	return strings.TrimSpace(result.Stdout), nil
}

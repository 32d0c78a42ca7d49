package run

import (
	"context"
	"os"
	"syscall"
)

// Name is a way of running commands in a world.
type Name string

const (
	// Chroot: a private mount namespace whose root is the world, held by a thread of
	// this process; a PID namespace for each command. Needs root.
	Chroot Name = "chroot"
	// UserNS: the same inside a user namespace, held by a process that runs Options.Helper.
	UserNS Name = "userns"
	// Bubblewrap: each command through the bwrap program.
	Bubblewrap Name = "bwrap"
	// Plain: on the host, with paths mapped. It confines nothing.
	Plain Name = "plain"
)

// Way tells whether commands can be run in one way on this machine.
type Way struct {
	Name Name
	// Reason says why the way cannot be used here; "" when it can.
	Reason string
	// Unconfined lists what the way does not keep commands from.
	Unconfined []string
}

// process is a command made ready: what a way is given to start.
type process struct {
	Argv []string
	Env  []string
	Dir  string // world path
	// The command's ends of its streams; the starter's caller closes them.
	files [3]*os.File
}

// exit is how the command's own process ended.
type exit struct {
	Code   int
	Signal syscall.Signal
}

func (e exit) code() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

// starter is a way in use.
type starter interface {
	// start starts p, or gives up when ctx ends: the error wraps the cause of ctx. That
	// a command was started is then its end. Errors are *StartError when p is to blame.
	start(ctx context.Context, p process) (running, error)
	close() error
}

// running is a command that was started. All methods may be called from any goroutine.
type running interface {
	// wait returns when the command's own process has ended. It is called once.
	wait() (exit, error)
	// terminate sends TERM to every process of the command.
	terminate()
	// kill ends every process of the command.
	kill()
	// end is called once, after wait: it kills what the command left behind, returns
	// when that is gone, and lets go of what held the command.
	end()
}

func exitOf(state *os.ProcessState) exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return exit{Signal: status.Signal()}
	}
	return exit{Code: state.ExitCode()}
}

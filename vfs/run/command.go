package run

import (
	"fmt"
	"strings"
	"time"
)

// Stream names an output stream of a command.
type Stream string

const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// DefaultMaxBytes is how many bytes of each stream a Result keeps unless the command says otherwise.
const DefaultMaxBytes = 10 << 20

// EnvVar is one environment variable; a later one of the same name wins.
type EnvVar struct{ Name, Value string }

// Command is one command of the world. Exactly one of Shell and Argv is set.
type Command struct {
	// Shell is a line for the world's shell, Options.Shell.
	Shell string
	// Argv is a program and its arguments. A program without a slash is looked for in
	// the command's PATH, a relative one with a slash in Dir.
	Argv []string
	// Dir is the world path to start in; "" is "/".
	Dir string
	// Env is added to the world's environment.
	Env []EnvVar
	// OnlyEnv keeps the rest of the world's environment away, but for PATH when Env has
	// none.
	OnlyEnv bool
	// Timeout ends the whole process tree: TERM, 200 ms, KILL. 0 is none.
	Timeout time.Duration
	// Stdin is what the command reads; without it, an empty input.
	Stdin []byte
	// OnOutput gets the output as it comes, in whole UTF-8 characters (bytes that are
	// none as they are), one call after another on one goroutine, the last before Run
	// returns. It is given everything, also what MaxBytes drops.
	OnOutput func(text string, stream Stream)
	// MaxBytes is how much of each stream Result keeps; 0 is DefaultMaxBytes. Of more,
	// the middle is replaced by a line that says how many bytes are gone.
	MaxBytes int
}

// Result is how a command that was started ended.
type Result struct {
	// Code is the exit code, as a shell gives it: 128 and the signal's number for a signal.
	Code int
	// Stdout and Stderr are what was kept of the streams.
	Stdout, Stderr string
	// Signal is the name of the signal that ended the command, for example "SIGKILL", or "".
	Signal string
	// TimedOut says that Command.Timeout passed.
	TimedOut bool
}

// StartError says that a command could not be started.
type StartError struct {
	// Code is an errno name: "ENOENT" for a program or directory that does not exist,
	// "EACCES" for a program that may not be executed, "ENOTDIR", "EINVAL", "E2BIG", ...
	Code string
	// Program is the program that was asked for, as given.
	Program string
	// Dir is the world path it should have started in.
	Dir string
	// Err says what is wrong; it names no host path.
	Err error
}

func (e *StartError) Error() string {
	text, code := fmt.Sprintf("start %s in %s: %v", e.Program, e.Dir, e.Err), "("+e.Code+")"
	if strings.HasSuffix(text, code) {
		return text // a file of the world says it too
	}
	return text + " " + code
}

func (e *StartError) Unwrap() error { return e.Err }

// GitError is a git that ended with another code than 0.
type GitError struct {
	Code   int
	Args   []string
	Stderr string
}

func (e *GitError) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		said = "no message"
	}
	return fmt.Sprintf("git %s: %s (exit code %d)", strings.Join(e.Args, " "), said, e.Code)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

type execCommand struct {
	Cwd     string        `help:"The folder to start in, a world path; /src/sausage by default." default:"/src/sausage" placeholder:"PATH"`
	Env     []string      `short:"e" sep:"none" help:"A variable to add to the world's environment; can be given again." placeholder:"NAME=VALUE"`
	Timeout time.Duration `help:"End the command and all it started after this time, such as 30s." placeholder:"TIME"`
	Stdin   bool          `short:"i" help:"Read standard input to its end and give it to the command."`
	Command []string      `arg:"" sep:"none" passthrough:"partial" help:"The program and its arguments."`
}

// timedOut is the exit code when a command took too long, whatever its own was: one
// that traps TERM may give any. It is that of timeout(1).
const timedOut = 124

// Help implements [kong.HelpProvider].
func (*execCommand) Help() string {
	return `The command sees the world as /, in the environment that the commands of extensions get: nothing of this
shell's environment. Its output comes as it is written. harness exits with its exit code, or with 127 when the
program or the folder does not exist, 126 when it cannot be started, 124 when it took too long, 128 and the number
of the signal that ended it. Ctrl-C ends it with all that it started. Without a running harness it runs without extensions.

Example:

    harness exec -- git log --oneline
    harness exec --cwd /home -e NAME=world -- sh -c 'echo "hello $NAME"'`
}

// Run runs the command.
func (c *execCommand) Run(ctx context.Context, p *program) error {
	request, err := c.request(p)
	if err != nil {
		return err
	}
	var result run.Result
	err = p.reach(ctx, func(client *control.Client) (err error) {
		result, err = client.Exec(ctx, request, p.out, p.err)
		return err
	}, func() (err error) {
		return p.withCommands(ctx, func(commands *run.Runner) (err error) {
			result, err = commands.Run(ctx, request.Command(func(text string, stream run.Stream) {
				to := p.out
				if stream == run.Stderr {
					to = p.err
				}
				_, _ = io.WriteString(to, text) // its error is reported at the end
			}))
			return err
		})
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var failed *run.StartError
	switch {
	case errors.As(err, &failed) && failed.Code == "ENOENT":
		return &exitError{code: 127, err: err}
	case errors.As(err, &failed):
		return &exitError{code: 126, err: err}
	case err != nil:
		return err
	case result.TimedOut:
		return &exitError{code: timedOut, err: fmt.Errorf("the command was ended after %s", c.Timeout)}
	case result.Code != 0:
		return &exitError{code: result.Code}
	}
	return nil
}

func (c *execCommand) request(p *program) (control.ExecRequest, error) {
	argv := c.Command
	if len(argv) > 0 && argv[0] == "--" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return control.ExecRequest{}, usage("exec needs a command, such as: harness exec -- git status")
	}
	if argv[0] == "" {
		return control.ExecRequest{}, usage("the name of the program is empty; exec needs one, such as: harness exec -- git status")
	}
	if c.Timeout < 0 {
		return control.ExecRequest{}, usage("--timeout must not be negative")
	}
	request := control.ExecRequest{Argv: argv, Dir: c.Cwd, TimeoutMS: c.Timeout.Milliseconds()}
	for _, pair := range c.Env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return request, usage("--env needs NAME=VALUE, not %q", pair)
		}
		request.Env = append(request.Env, run.EnvVar{Name: name, Value: value})
	}
	if !c.Stdin {
		return request, nil
	}
	var err error
	request.Stdin, err = readInput(p.in)
	return request, err
}

// Command harness serves a world of TypeScript extensions: it loads the commits of
// the world's repository as they come, and calls their tools.
//
// The same binary, called extensions-revert, is the program that commands in a
// world use to go back to the last good commit.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// helperCommand has the program start commands in a user namespace, for package run.
const helperCommand = "serve-commands"

func main() { start(bind.Limits{}) }

// start is the program. Extensions have the limits, and the usual one where one is zero.
func start(limits bind.Limits) {
	switch {
	case filepath.Base(os.Args[0]) == revertName:
		os.Exit(revertInWorld(os.Args[1:], os.Stdout, os.Stderr))
	case len(os.Args) == 2 && os.Args[1] == helperCommand:
		os.Exit(serveCommands())
	}
	os.Exit(execute(os.Args[1:], limits))
}

func serveCommands() int {
	if err := run.Serve(); err != nil {
		fmt.Fprintf(os.Stderr, "harness: %v\n", err)
		return 1
	}
	return 0
}

// commandLine is the grammar of the arguments.
type commandLine struct {
	World string   `help:"The world's directory; ./world when nothing names one." env:"HARNESS_WORLD" placeholder:"DIR"`
	Way   run.Name `help:"Force a way of running commands." env:"HARNESS_WAY" hidden:""`

	Init   initCommand   `cmd:"" help:"Make a world."`
	Run    runCommand    `cmd:"" help:"Serve a world until it is stopped."`
	Status statusCommand `cmd:"" help:"Show which commit is live, and what is wrong with the newest."`
	Tools  toolsCommand  `cmd:"" help:"List the tools that can be called."`
	Call   callCommand   `cmd:"" help:"Call a tool."`
	Exec   execCommand   `cmd:"" help:"Run a command in the world."`

	Submit        submitCommand        `cmd:"" help:"Say something in a conversation, and print the answer."`
	Conversations conversationsCommand `cmd:"" help:"List the conversations."`
	Show          showCommand          `cmd:"" help:"Print a conversation."`
	Abort         abortCommand         `cmd:"" help:"Abort what goes on in a conversation."`
	Models        modelsCommand        `cmd:"" help:"List the models that can be asked."`
	Inspect       inspectCommand       `cmd:"" help:"Show what goes on: tasks, and inputs that are not settled."`

	Revert  revertCommand  `cmd:"" help:"Move the branch back to the last good commit."`
	Reload  reloadCommand  `cmd:"" help:"Load the newest commit again."`
	Types   typesCommand   `cmd:"" help:"Write type declarations for editors into the repository."`
	DB      dbCommand      `cmd:"" help:"Back up, restore, check and measure the database."`
	Doctor  doctorCommand  `cmd:"" help:"Check the machine and the world."`
	Demo    demoCommand    `cmd:"" help:"Show in a minute what this is about."`
	Version versionCommand `cmd:"" help:"Show the version."`
	Trial   trialCommand   `cmd:"" hidden:"" help:"Load one commit and end; a child process of run."`
}

// execute runs the program with arguments and returns its exit code: 0, 1 for a
// failure, 2 for wrong usage, 130 when it was interrupted, or what a command says.
func execute(arguments []string, limits bind.Limits) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// The second signal ends the process at once.
	context.AfterFunc(ctx, stop)

	for _, argument := range arguments {
		// The parser would put other characters in its place.
		if !utf8.ValidString(argument) {
			fmt.Fprintf(os.Stderr, "harness: the argument %q is no UTF-8\n", argument)
			return 2
		}
	}
	var line commandLine
	parser, err := kong.New(&line,
		kong.Name("harness"),
		kong.Description("Serves a world of TypeScript extensions: edit, commit, and the next call runs the new code.\n\n"+
			"Exit codes: 0 when it is done, 1 for a failure, 2 for wrong usage, 130 when it was interrupted."),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 90}),
	)
	if err != nil {
		panic(err) // the grammar itself is wrong, which every test would show
	}
	parsed, err := parser.Parse(arguments)
	if err != nil {
		fmt.Fprintf(os.Stderr, "harness: %v\nsee: harness%s --help\n", err, asked(err))
		return 2
	}
	dir, err := filepath.Abs(cmp.Or(line.World, "world"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "harness: find the world: %v\n", err)
		return 1
	}
	p := &program{world: dir, way: line.Way, limits: limits, in: os.Stdin, out: newOutput(os.Stdout), err: newOutput(os.Stderr), together: sameFile(os.Stdout, os.Stderr)}
	err = parsed.Run(p)
	if failed := p.out.failed(); err == nil && failed != nil {
		err = fmt.Errorf("write the output: %w", failed)
	}
	return exitCode(err)
}

// printHelp leaves the world's directory out of the help of commands that make their
// own or need none.
func printHelp(options kong.HelpOptions, parsed *kong.Context) error {
	if command := parsed.Selected(); command != nil && slices.Contains([]string{"init", "demo", "version"}, command.Name) {
		for _, flag := range parsed.Model.Flags {
			flag.Hidden = flag.Hidden || flag.Name == "world"
		}
	}
	return kong.DefaultHelpPrinter(options, parsed)
}

// asked gives the command, after a space, that a wrong usage was about, with the one
// that it belongs to.
func asked(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil && wrong.Context.Selected() != nil {
		return strings.TrimPrefix(wrong.Context.Selected().FullPath(), "harness")
	}
	return ""
}

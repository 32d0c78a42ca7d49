package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-d579e5eb/harness/host"
)

type demoCommand struct {
	Keep bool `help:"Keep the world, to go on with it."`
}

// Help implements [kong.HelpProvider].
func (*demoCommand) Help() string {
	return `Makes a world in a temporary directory, changes its code while it is served, and shows what happens. It
needs git and nothing else, and runs the same commands that you would.

Example:

    harness demo --keep`
}

//go:embed demo
var demoFiles embed.FS

// Run shows it all.
func (c *demoCommand) Run(ctx context.Context, p *program) (err error) {
	folder, err := makeTemporary("harness-demo-")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program's own file: %w", err)
	}
	d := &demo{program: p, self: self, world: filepath.Join(folder, "world")}
	if !c.Keep {
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	for _, step := range []func(context.Context) error{
		d.makeWorld, d.callTool, d.addTool, d.converse, d.changeTool, d.breakTool, d.revert, d.restart,
	} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("the demo stopped: %w", err)
		}
	}
	if c.Keep {
		p.say("\nThe world stays in %s. Go on with: harness run --world %s", d.world, d.world)
	} else {
		p.say("\nThe world is removed again; --keep keeps it. Make your own with: harness init world")
	}
	return nil
}

func (d *demo) makeWorld(ctx context.Context) error {
	d.explain("A world is a directory that plays / for agents. In it is a git repository with example extensions, in TypeScript.")
	if err := d.show(ctx, "init", d.world); err != nil {
		return err
	}
	if err := d.script(); err != nil {
		return err
	}
	d.explain("A harness serves it.")
	return d.start(ctx)
}

func (d *demo) callTool(ctx context.Context) error {
	d.explain("Extensions give agents tools. We call one as an agent would.")
	if err := d.show(ctx, "call", "todo_add", `{"title":"try harness"}`); err != nil {
		return err
	}
	return d.show(ctx, "call", "todo_list")
}

func (d *demo) addTool(ctx context.Context) error {
	d.explain("A new tool is a file, extensions/hello/server.ts, and a commit. Nothing is built, nothing is restarted.")
	return d.changed(ctx, "first.ts", "Say hello")
}

func (d *demo) changeTool(ctx context.Context) error {
	d.explain("We change its code and commit. The next call runs the new code, in the conversation too.")
	if err := d.changed(ctx, "second.ts", "Say more"); err != nil {
		return err
	}
	return d.goOn(ctx)
}

// changed commits another version of the tool, waits for it and calls it.
func (d *demo) changed(ctx context.Context, file, message string) error {
	if err := d.commit(ctx, file, message); err != nil {
		return err
	}
	status, err := d.loaded(ctx)
	if err != nil {
		return err
	}
	if !status.TipIsLive() {
		return fmt.Errorf("the commit is not live: %s", problemText(status.Problems))
	}
	if status.DurationMS != nil {
		d.say("%s is live, loaded in %.0f ms", short(*status.Good), *status.DurationMS)
	}
	return d.show(ctx, "call", "hello", `{"name":"Ada"}`)
}

func (d *demo) breakTool(ctx context.Context) error {
	d.explain("Now we commit a mistake. A commit that does not load changes nothing, and says where it is wrong.")
	if err := d.commit(ctx, "broken.ts", "Say it wrong"); err != nil {
		return err
	}
	status, err := d.loaded(ctx)
	if err != nil {
		return err
	}
	if status.Error == nil || len(status.Problems) == 0 {
		return errors.New("the broken commit was not refused")
	}
	d.say("%s is refused:", short(*status.Current))
	d.say("%s", problemText(status.Problems))
	return d.show(ctx, "call", "hello", `{"name":"Ada"}`)
}

func (d *demo) revert(ctx context.Context) error {
	d.explain("One command moves the branch back to the last good commit. In the world it is called extensions-revert.")
	if err := d.show(ctx, "revert"); err != nil {
		return err
	}
	return d.show(ctx, "exec", "--", "git", "log", "--oneline")
}

func (d *demo) restart(ctx context.Context) error {
	d.explain("A crash loses nothing: the harness is killed, started again, and comes up with the same code and conversations.")
	if err := d.kill(); err != nil {
		return err
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := d.show(ctx, "call", "todo_list"); err != nil {
		return err
	}
	return d.show(ctx, "show", d.conversation)
}

// commit writes the tool as a person would, and commits it.
func (d *demo) commit(ctx context.Context, file, message string) error {
	text, err := demoFiles.ReadFile("demo/" + file)
	if err != nil {
		return err
	}
	target := filepath.Join(host.Layout{Dir: d.world}.Root(), filepath.FromSlash(host.Repository), "extensions/hello/server.ts")
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(target, text, 0o644); err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "text:") {
			d.say("extensions/hello/server.ts has the line")
			d.say("  %s", strings.TrimSpace(line))
		}
	}
	if err := d.show(ctx, "exec", "--", "git", "add", "extensions/hello"); err != nil {
		return err
	}
	return d.show(ctx, "exec", "--", "git", "commit", "--quiet", "--message", message)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/registry"
)

type statusCommand struct {
	JSON bool `name:"json" help:"Print the document of /proc/extensions."`
	Wait bool `help:"Wait until the newest commit has been loaded or refused; fail when it is not live then."`
}

// Help implements [kong.HelpProvider].
func (*statusCommand) Help() string {
	return `Without a running harness it shows what the last one stored, without extensions.

Example, after a commit:

    harness status --wait`
}

// Run shows the status.
func (c *statusCommand) Run(ctx context.Context, p *program) error {
	var status host.Status
	served := false
	err := p.reach(ctx, func(client *control.Client) (err error) {
		served = true
		if c.Wait {
			status, err = client.Settled(ctx)
		} else {
			status, err = client.Status(ctx)
		}
		return err
	}, func() (err error) {
		status, err = host.ReadStatus(ctx, p.world)
		return err
	})
	if err != nil {
		return err
	}
	if c.Wait && !served {
		return errors.New("no harness runs, so no commit is loaded; start one with: harness run")
	}
	if c.JSON {
		err = printJSON(p.out, status)
	} else {
		printStatus(p, status, served)
	}
	if err == nil && c.Wait && !status.TipIsLive() {
		return &exitError{code: 1}
	}
	return err
}

func printJSON(to io.Writer, document any) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// printLine prints a document on a line of its own.
func printLine(to io.Writer, document any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}

// printStatus shows the status to a person.
func printStatus(p *program, status host.Status, served bool) {
	if !served {
		p.say("no harness runs; this is what the last one stored")
	}
	switch {
	case status.Good == nil:
		p.say("live     %s", p.out.paint(yellow, "no commit"))
	case status.LoadedAt != nil:
		p.say("live     %s, loaded %s in %.1f ms", p.out.paint(green, short(*status.Good)), status.LoadedAt.Local().Format("2006-01-02 15:04:05"), *status.DurationMS)
	default:
		p.say("live     %s", p.out.paint(green, short(*status.Good)))
	}
	if status.Loading != nil {
		p.say("loading  %s", short(*status.Loading))
	}
	printTip(p, status)
	if status.Notice != nil {
		p.say("notice   %s %s", status.Notice.Time.Local().Format("15:04:05"), strings.TrimPrefix(status.Notice.Extension+": "+status.Notice.Message, ": "))
	}
	for _, hidden := range status.Shadowed {
		p.say("hidden   %s", hiddenText(hidden))
	}
	for _, gap := range status.Unconfined {
		p.say("commands not confined: %s", gap)
	}
	for _, extension := range status.Extensions {
		printExtension(p, extension)
	}
}

// hiddenText says whose contribution another of its name hides.
func hiddenText(hidden registry.Shadowed) string {
	return fmt.Sprintf("%s %s of %s: that of %s is used", hidden.Kind, hidden.Name, hidden.Loser, hidden.By)
}

// printTip shows what is wrong with the newest commit, or with anything when that is
// live.
func printTip(p *program, status host.Status) {
	if status.Error == nil {
		for _, problem := range status.Problems {
			p.say("problem  %s", strings.ReplaceAll(strings.TrimRight(problem.String(), "\n"), "\n", "\n  "))
		}
		return
	}
	if status.Current != nil {
		p.say("newest   %s, %s", short(*status.Current), p.out.paint(red, "not live"))
	} else {
		p.say("newest   %s", p.out.paint(red, "none"))
	}
	message := *status.Error
	if len(status.Problems) > 0 {
		message = problemText(status.Problems)
	}
	p.say("  %s", strings.ReplaceAll(strings.TrimRight(message, "\n"), "\n", "\n  "))
}

func printExtension(p *program, extension host.ExtensionStatus) {
	var has []string
	for _, part := range []struct {
		word  string
		names []string
	}{
		{"tools", extension.Tools}, {"services", extension.Services}, {"hooks", extension.Hooks},
		{"sections", extension.Sections}, {"commands", extension.Commands}, {"tasks", extension.Tasks},
		{"resources", extension.Resources},
	} {
		if len(part.names) > 0 {
			has = append(has, part.word+" "+strings.Join(part.names, ", "))
		}
	}
	state := ""
	if extension.State != host.StateLive {
		state = p.out.paint(red, string(extension.State)) + " "
	}
	if extension.Calls > 0 {
		has = append(has, fmt.Sprintf("%d calls running", extension.Calls))
	}
	p.say("  %-16s %s%s", extension.Name, state, strings.Join(has, "; "))
	if extension.Error != "" {
		p.say("    %s", strings.ReplaceAll(extension.Error, "\n", "\n    "))
	}
}

package main

import (
	"context"
	"strings"
)

type doctorCommand struct {
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// Help implements [kong.HelpProvider].
func (*doctorCommand) Help() string {
	return `Looks at what the harness needs: git, ways of running commands in the world and what they do not keep
commands from, file notifications, free space, and the world with its repository and database. It fails when something
keeps the harness from working.

Example:

    harness doctor --world world`
}

// verdict says how bad a finding is.
type verdict string

const (
	fine    verdict = "ok"
	warning verdict = "warn"
	failure verdict = "fail"
)

// finding is one thing that doctor looked at.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Message string  `json:"message"`
	Advice  string  `json:"advice,omitempty"` // what to do about it
}

// Run prints the findings.
func (c *doctorCommand) Run(ctx context.Context, p *program) error {
	var findings []finding
	for _, look := range []func(context.Context) []finding{
		p.checkVersion, p.checkGit, p.checkWorld, p.checkRepository, p.checkHarness, p.checkCommands, p.checkNotifications, p.checkSpace,
	} {
		findings = append(findings, look(ctx)...)
	}
	failed := false
	for _, f := range findings {
		failed = failed || f.Verdict == failure
	}
	if c.JSON {
		if err := printJSON(p.out, findings); err != nil {
			return err
		}
	} else {
		p.printFindings(findings)
	}
	if failed {
		return &exitError{code: 1}
	}
	return nil
}

func (p *program) printFindings(findings []finding) {
	colours := map[verdict]string{fine: green, warning: yellow, failure: red}
	for _, f := range findings {
		word := string(f.Verdict) + strings.Repeat(" ", len(warning)-len(f.Verdict))
		p.say("%s  %-14s %s", p.out.paint(colours[f.Verdict], word), f.Check, strings.ReplaceAll(f.Message, "\n", "\n"+strings.Repeat(" ", 21)))
		if f.Advice != "" {
			p.say("%21s→ %s", "", f.Advice)
		}
	}
}

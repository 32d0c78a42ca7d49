package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

func (p *program) checkVersion(context.Context) []finding {
	v := readVersion()
	return []finding{{Check: "harness", Verdict: fine, Message: fmt.Sprintf("%s, built with %s for %s", v.Version, v.Go, v.Platform)}}
}

// oldestGit is the first version whose init knows --initial-branch.
const oldestGit = 2.28

// checkGit asks the git that the world uses, which need not be that of the caller's
// PATH.
func (p *program) checkGit(ctx context.Context) []finding {
	var said string
	err := p.withSomeRoot(ctx, func(commands *run.Runner) error {
		result, err := commands.Run(ctx, run.Command{Argv: []string{"git", "version"}, Dir: "/"})
		said = strings.TrimSpace(result.Stdout)
		if err == nil && result.Code != 0 {
			err = fmt.Errorf("exit code %d: %s", result.Code, strings.TrimSpace(result.Stderr))
		}
		return err
	})
	return []finding{judgeGit(said, err)}
}

// judgeGit makes a finding of what git version says.
func judgeGit(said string, err error) finding {
	f := finding{Check: "git", Verdict: fine, Message: said}
	if err != nil {
		f.Verdict, f.Message, f.Advice = failure, fmt.Sprintf("cannot be run: %v", err), "install git"
		return f
	}
	if number, ok := majorMinor(said); ok && number < oldestGit {
		f.Verdict, f.Advice = failure, fmt.Sprintf("install git %.2f or newer", oldestGit)
	}
	return f
}

// majorMinor reads 2.47 from "git version 2.47.3".
func majorMinor(text string) (float64, bool) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return 0, false
	}
	parts := strings.SplitN(fields[2], ".", 3)
	if len(parts) < 2 {
		return 0, false
	}
	major, err := strconv.Atoi(parts[0])
	minor, minorErr := strconv.Atoi(parts[1])
	return float64(major) + float64(minor)/100, err == nil && minorErr == nil
}

// withSomeRoot lets commands be run in the world or, when there is none, in an empty
// folder.
func (p *program) withSomeRoot(ctx context.Context, use func(*run.Runner) error) (err error) {
	root := p.layout().Root()
	if !isFolder(root) {
		if root, err = makeTemporary("harness-doctor-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	}
	commands, done, err := p.openCommands(ctx, root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return use(commands)
}

// checkCommands tries every way of running commands.
func (p *program) checkCommands(ctx context.Context) []finding {
	var chosen run.Way
	var ways []run.Way
	err := p.withSomeRoot(ctx, func(commands *run.Runner) error {
		chosen, ways = commands.Way(), commands.Ways(ctx)
		return nil
	})
	if err != nil {
		return []finding{{Check: "commands", Verdict: failure, Message: err.Error()}}
	}
	f := finding{Check: "commands", Verdict: fine, Message: "run by " + string(chosen.Name)}
	if chosen.Name == run.Plain {
		f.Verdict = warning
		f.Advice = "run as root, allow unprivileged user namespaces, or install bubblewrap"
	}
	findings := []finding{f}
	for _, gap := range chosen.Unconfined {
		findings = append(findings, finding{Check: "not confined", Verdict: f.Verdict, Message: gap})
	}
	for _, way := range ways {
		message := "works"
		if way.Reason != "" {
			message = "not here: " + way.Reason
		}
		findings = append(findings, finding{Check: "way " + string(way.Name), Verdict: fine, Message: message})
	}
	return findings
}

const (
	// fewWatches and fewInstances are limits that other programs of the same user
	// use up quickly: inotify(7) counts them by user.
	fewWatches   = 8192
	fewInstances = 64
)

func (p *program) checkNotifications(context.Context) []finding {
	f := finding{Check: "notifications", Verdict: fine}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		f.Verdict, f.Message = failure, fmt.Sprintf("cannot be had: %v", err)
		f.Advice = "raise fs.inotify.max_user_instances by sysctl"
		return []finding{f}
	}
	_ = watcher.Close()
	watches, instances := sysctl("max_user_watches"), sysctl("max_user_instances")
	f.Message = fmt.Sprintf("inotify, at most %d watches and %d instances", watches, instances)
	if watches < fewWatches || instances < fewInstances {
		f.Verdict = warning
		f.Advice = "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances by sysctl"
	}
	return []finding{f}
}

// sysctl reads a limit of inotify; 0 when it is not known.
func sysctl(name string) int {
	text, err := os.ReadFile(filepath.Join("/proc/sys/fs/inotify", name))
	if err != nil {
		return 0
	}
	number, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return number
}

const (
	// noSpace is what the database needs to be written to, and scarceSpace what a
	// world fills quickly.
	noSpace     = 16 << 20
	scarceSpace = 512 << 20
)

func (p *program) checkSpace(context.Context) []finding {
	dir := p.world
	for !isFolder(dir) {
		dir = filepath.Dir(dir)
	}
	f := finding{Check: "disk", Verdict: fine}
	free, err := vfs.FreeSpace(dir)
	if err != nil {
		f.Verdict, f.Message = warning, err.Error()
		return []finding{f}
	}
	f.Message = fmt.Sprintf("%d MiB free at %s", free>>20, dir)
	switch {
	case free < noSpace:
		f.Verdict, f.Advice = failure, "free some space: commits are refused until the database can be written to"
	case free < scarceSpace:
		f.Verdict, f.Advice = warning, "free some space soon"
	}
	return []finding{f}
}

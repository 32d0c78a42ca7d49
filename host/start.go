package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
	"github.com/seed-d579e5eb/harness/worktree"
)

// start brings the world up: leftovers are removed, the Go extensions are staged,
// the tip is loaded, else the last good commit, the branch is followed, and then
// tasks run.
func (h *Host) start(ctx context.Context) error {
	if h.isTrial() {
		h.loader = newLoader(h)
		return h.startTrial(ctx)
	}
	h.watchSession()
	if err := h.repo.Prune(ctx); err != nil {
		h.Report("", fmt.Errorf("remove what an earlier run left: %w", err))
	}
	known := ""
	if tip, err := h.repo.Tip(ctx); err == nil {
		known = tip.String()
	} else if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := h.judge(ctx, known); err != nil {
		return err
	}
	h.loader = newLoader(h) // from here on, an end on purpose ends a probation
	h.restoreGood(ctx)
	if err := h.startBuiltins(ctx); err != nil {
		return err
	}
	h.loader.watch()
	h.loader.first(ctx)
	if h.liveCommit() == "" && ctx.Err() == nil {
		h.loadLastGood(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.served.Store(true)
	h.watchMemory()
	h.loader.run()
	h.statusChanged()
	if h.options.Paused {
		return nil
	}
	return h.session.Resume()
}

// restoreGood derives ref and helper file from the record: a power cut may have
// left an older state of them.
func (h *Host) restoreGood(ctx context.Context) {
	good := h.copyRecord().Good
	if good != "" {
		h.pin(ctx, GoodRef, good)
	}
	if _, err := h.files.Stat(Repository + "/.git"); err == nil {
		h.writeHelper(ctx, good)
	}
}

// startBuiltins makes the embedder's extensions the first generation, so that
// they serve whatever becomes of the world's.
func (h *Host) startBuiltins(ctx context.Context) error {
	candidate := h.registry.Stage("")
	for _, builtin := range h.options.Extensions {
		instance, err := builtin.Instantiate(ctx, registry.ScopeContext{Scope: registry.ScopeGlobal})
		if err != nil {
			candidate.AddFailed(builtin, err)
			continue
		}
		candidate.Add(builtin, h.stoppable(bind.GoServices(instance)))
	}
	generation, problems := candidate.Validate()
	if generation == nil {
		return errors.Join(&RefusedError{Problems: problems}, candidate.Discard(ctx))
	}
	previous, err := h.registry.Promote(generation)
	if err != nil {
		return err
	}
	generation.Open(ctx)
	return previous.Close(ctx)
}

// loadLastGood loads the commit that was live last: by the record, else by the
// ref that pins it. What is wrong with the tip stays on show.
func (h *Host) loadLastGood(ctx context.Context) {
	record := h.copyRecord()
	good, err := worktree.ParseHash(record.Good)
	if err != nil {
		var known bool
		if good, known, err = h.repo.Ref(ctx, GoodRef); err != nil || !known || record.Skipped != nil {
			return
		}
	}
	if good.String() == record.Current || h.skipped(good.String()) != nil {
		return
	}
	a := h.newAttempt(good, newSteps(h.options.Clock))
	a.fallback = true
	h.load(ctx, a, nil)
}

// startTrial loads one commit and runs its onOpen callbacks.
func (h *Host) startTrial(ctx context.Context) error {
	commit, err := worktree.ParseHash(h.options.trial)
	if err != nil {
		return err
	}
	if err := h.startBuiltins(ctx); err != nil {
		return err
	}
	h.load(ctx, h.newAttempt(commit, newSteps(h.options.Clock)), nil)
	return ctx.Err()
}

// TryCommit loads one commit of a world over an empty database in memory, up to the
// end of its onOpen callbacks, and gives it up again. It is what a child process
// does to try a commit that may end it; its file and command effects are real.
// That the commit is refused is no error.
func TryCommit(ctx context.Context, options Options, commit string) error {
	options.trial, options.Storage = commit, new(memory.Storage)
	h, err := Open(ctx, options)
	if err != nil {
		return err
	}
	return h.Close(context.WithoutCancel(ctx))
}

// privateFolder is where commands find what the harness shows them.
func (h *Host) privateFolder() string {
	if h.isTrial() {
		return filepath.Join(h.layout.State(), "commands-trial")
	}
	return filepath.Join(h.layout.State(), "commands")
}

// gitOutput runs git for package worktree: untrimmed output, input from memory.
func (h *Host) gitOutput(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
	var output bytes.Buffer
	result, err := h.commands.Run(ctx, run.Command{
		Argv: append([]string{"git"}, args...), Dir: dir, Stdin: stdin,
		OnOutput: func(text string, stream run.Stream) {
			if stream == run.Stdout {
				output.WriteString(text)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	if result.Code != 0 {
		return nil, &run.GitError{Code: result.Code, Args: args, Stderr: result.Stderr}
	}
	return output.Bytes(), nil
}

// ownGraphs are the graphs that the harness itself needs.
func (h *Host) ownGraphs() []*jsapi.Graph { return []*jsapi.Graph{h.scripts, h.context, h.common} }

// noFiles is a tree without files, for compiling synthetic modules.
type noFiles struct{}

// Open implements [fs.FS].
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

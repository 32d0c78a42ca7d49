package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/worktree"
)

// promote makes a validated generation live. The document is stored first: an
// error means that nothing has changed. What fails later is reported, and the
// promotion goes on; a power cut between two steps leaves the older or the newer
// commit, whole, since ref and file are derived from the document.
func (h *Host) promote(ctx context.Context, a *attempt, next *registry.Generation) error {
	began := h.options.Clock.Now()
	if err := a.settle(ctx); err != nil {
		return err
	}
	settled := h.options.Clock.Now()
	duration := settled.Sub(a.began)
	err := h.change(ctx, func(record *Record) {
		record.Good = a.commit
		if !a.fallback {
			record.Current, record.Error = a.commit, ""
		}
		record.LoadedAt, record.Duration = settled, duration
		if record.Trial != nil && record.Trial.Commit != a.commit {
			record.Trial = nil // it is not live any more
		}
		if record.Trial != nil {
			record.Trial = &Trial{Commit: a.commit, Deaths: record.Trial.Deaths, Promoted: true}
		}
		record.remember(LoadRecord{Commit: a.commit, Outcome: Promoted, At: a.began, DurationMS: milliseconds(duration), Phases: a.phases})
	})
	if err != nil {
		return err
	}
	h.options.step("stored")
	ctx = context.WithoutCancel(ctx)
	h.pin(ctx, GoodRef, a.commit)
	h.options.step("pinned")
	h.writeHelper(ctx, a.commit)
	h.options.step("helper")
	if err := a.settle(ctx); err != nil { // a resource may have appeared meanwhile
		h.Report("", err)
	}
	previous, shown, err := h.swap(a, next)
	if err != nil {
		return err
	}
	h.measured(a, began)
	h.options.step("swapped")
	h.endLoading(a, next.Warnings())
	h.openGeneration(next)
	h.work.Go(func() { h.retireGeneration(previous, shown) })
	h.startProving(a.commit)
	h.statusChanged()
	h.options.Logger.Info("commit is live", "commit", a.commit, "extensions", len(next.Extensions()), "duration", h.copyRecord().Duration)
	return nil
}

// measured shows how long it took until the commit was live, of which the record
// that was stored before cannot tell the end. It is stored with the next change.
func (h *Host) measured(a *attempt, began time.Time) {
	now := h.options.Clock.Now()
	a.phases.Promote = milliseconds(now.Sub(began))
	h.recording.Lock()
	defer h.recording.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record.LoadedAt, h.record.Duration = now, now.Sub(a.began)
	h.record.History = slices.Clone(h.record.History)
	if last := len(h.record.History) - 1; last >= 0 {
		h.record.History[last].Phases = a.phases
		h.record.History[last].DurationMS = milliseconds(h.record.Duration)
	}
}

// swap makes the generation current and its isolates the ones that have the
// resources. It returns the generation before and its mount, which is nil for the
// first.
func (h *Host) swap(a *attempt, next *registry.Generation) (previous *registry.Generation, shown *mounted, err error) {
	if previous, err = h.registry.Promote(next); err != nil {
		return nil, nil, err
	}
	h.served.Store(true)
	for _, extension := range a.staged {
		extension.promoted.Store(true)
		if live := extension.live.Load(); live != nil {
			h.reportDropped(extension.name, live.home)
			live.home.adopt(a.commit)
			h.homes.keep(extension, live.home)
			h.revive(live.home) // it may have been lost since it was staged
		}
	}
	return previous, h.showing(a.mount), nil
}

// reportDropped reports resources that appeared in the isolate of the generation
// before, when it was too late to evaluate the commit there: they end with it.
func (h *Host) reportDropped(extension string, live *home) {
	kept := h.homes.holding(extension)
	if kept == nil {
		return
	}
	defer kept.release()
	if keys := kept.keys(); kept != live && len(keys) > 0 {
		h.Report(extension, fmt.Errorf("resources made by the commit before while the next one went live end with it: %s", strings.Join(keys, ", ")))
	}
}

// openGeneration runs the onOpen callbacks of a generation that went live. What
// takes long goes on while the next commit may load.
func (h *Host) openGeneration(generation *registry.Generation) {
	opened := make(chan struct{})
	h.work.Go(func() {
		defer close(opened)
		generation.Open(context.Background())
		h.options.step("opened")
	})
	limit := patience
	if h.isTrial() {
		limit = trialTime
	}
	waitClosed(h.options.Clock, opened, limit)
}

// settle makes sure that each extension was staged in the isolate that has its
// resources: one may have appeared in the live generation while this commit
// loaded. The extension is evaluated again there.
func (a *attempt) settle(ctx context.Context) error {
	for _, extension := range a.staged {
		kept := a.host.homes.holding(extension.name)
		if kept == nil {
			continue
		}
		err := extension.moveTo(ctx, kept, a.candidate.Provides)
		kept.release()
		if err != nil {
			return fmt.Errorf("extension %s: evaluate it in the isolate that has its resources: %w", extension.name, err)
		}
	}
	return nil
}

// moveTo evaluates a staged extension in another isolate, where it must declare
// the same.
func (e *extension) moveTo(ctx context.Context, kept *home, provided func(string) bool) error {
	old := e.live.Load()
	if old.home == kept {
		return nil
	}
	made, err := e.incarnate(ctx, kept)
	if err != nil {
		return err
	}
	declaration, err := e.declare(ctx, made, provided)
	if err == nil && (len(declaration.Problems) > 0 || !declaration.Same(e.declared)) {
		err = &DifferentDeclarationError{Extension: e.name}
	}
	if err != nil {
		made.end()
		return err
	}
	e.live.Store(made)
	old.home.discard(ctx, e.commit)
	old.end()
	return nil
}

// refuse records that a commit does not go live, and why. A load whose context
// ended says nothing of the commit, unless that was for a newer tip.
func (h *Host) refuse(ctx context.Context, a *attempt, cause error) Outcome {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errNewerTip) {
		h.idle()
		return Cancelled
	}
	ctx = context.WithoutCancel(ctx)
	outcome, why := outcomeOf(cause), jsapi.Shorten(cause.Error(), maxRecorded)
	duration := h.options.Clock.Now().Sub(a.began)
	err := h.note(ctx, func(record *Record) {
		if !a.fallback {
			record.Current, record.Error = a.commit, why
		}
		record.remember(LoadRecord{
			Commit: a.commit, Outcome: outcome, Error: why, At: a.began, DurationMS: milliseconds(duration), Phases: a.phases,
		})
	}, func(record *Record) {
		if record.Trial != nil && record.Trial.Commit == a.commit {
			record.Trial = nil
		}
	})
	if err != nil {
		h.Report("", fmt.Errorf("record the refusal of commit %.7s: %w", a.commit, err))
	}
	if a.fallback {
		h.Report("", fmt.Errorf("commit %.7s, which was live last, does not load: %w", a.commit, cause))
	}
	// The commit counts as loading until the record says what became of it.
	h.endLoading(a, problemsOf(cause))
	h.statusChanged()
	h.logRefusal(a.commit, outcome, cause)
	return outcome
}

func outcomeOf(cause error) Outcome {
	var skipped *SkippedError
	switch {
	case errors.Is(cause, errNewerTip):
		return Cancelled
	case errors.As(cause, &skipped):
		return Passed
	}
	return Refused
}

// logRefusal says why a commit does not go live. That a newer one has come is nobody's
// fault.
func (h *Host) logRefusal(commit string, outcome Outcome, cause error) {
	switch outcome {
	case Cancelled:
		h.options.Logger.Info("commit is passed over for a newer commit", "commit", commit)
	case Passed:
		h.options.Logger.Warn("commit is passed over", "commit", commit, "error", cause)
	default:
		h.options.Logger.Warn("commit is refused", "commit", commit, "error", cause)
	}
}

func problemsOf(cause error) []registry.Problem {
	var refused *RefusedError
	if errors.As(cause, &refused) {
		return refused.Problems
	}
	return []registry.Problem{{Message: cause.Error()}}
}

// pin moves a ref of the harness to a commit, or deletes it for a commit of zeros. A
// failure is reported.
func (h *Host) pin(ctx context.Context, ref, commit string) {
	if h.isTrial() {
		return
	}
	to, err := worktree.ParseHash(commit)
	if err == nil {
		var old worktree.Hash
		if old, _, err = h.repo.Ref(ctx, ref); err == nil && old != to {
			err = h.repo.SetRef(ctx, ref, to, old)
		}
	}
	if err != nil {
		h.Report("", fmt.Errorf("pin commit %.7s as %s: %w", commit, ref, err))
	}
}

// writeHelper tells extensions-revert the last good commit. A failure is
// reported.
func (h *Host) writeHelper(ctx context.Context, commit string) {
	if h.isTrial() {
		return
	}
	text := ""
	if commit != "" {
		text = commit + "\n"
	}
	if err := h.repo.WriteHelper(ctx, HelperFile, []byte(text)); err != nil {
		h.Report("", fmt.Errorf("write .git/%s: %w", HelperFile, err))
	}
}

// retireGeneration closes a generation that was replaced once it has drained, and
// then takes away what only it used.
func (h *Host) retireGeneration(previous *registry.Generation, shown *mounted) {
	if err := h.drain(previous); err != nil {
		h.leftBehind(err)
	} else {
		_ = previous.Close(context.Background()) // what failed was reported
	}
	if shown != nil {
		shown.release()
	}
	h.loader.notify() // an extension may have gone with it
	h.forgetGraphs()
	h.statusChanged()
}

// dropRemoved disposes of the resources of extensions that no generation has any
// more. The loader calls it between loads, so that no candidate uses them.
func (h *Host) dropRemoved() {
	generations := append(h.registry.Draining(), h.registry.Current())
	for _, name := range h.homes.names() {
		used := slices.ContainsFunc(generations, func(g *registry.Generation) bool { return g.Extension(name) != nil })
		if used {
			continue
		}
		if gone := h.homes.take(name); gone != nil {
			h.work.Go(func() { gone.giveUp(context.Background()) })
		}
	}
}

// worldExtensions lists the TypeScript extensions of a generation.
func worldExtensions(generation *registry.Generation) []*extension {
	var list []*extension
	for _, member := range generation.Extensions() {
		if own, ok := member.Extension().(*extension); ok {
			list = append(list, own)
		}
	}
	return list
}

// forgetGraphs lets the compiler forget modules that no generation uses.
func (h *Host) forgetGraphs() {
	graphs := h.ownGraphs()
	for _, generation := range append(h.registry.Draining(), h.registry.Current()) {
		for _, extension := range worldExtensions(generation) {
			graphs = append(graphs, extension.source.Graph)
		}
	}
	h.compiler.Retain(slices.Compact(graphs)...)
}

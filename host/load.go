package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/worktree"
)

// extensionName is what the folder of an extension may be called.
var extensionName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// entryFile is the file that makes a folder an extension.
const entryFile = "server.ts"

// attempt is one load of one commit, from its files to its promotion or refusal.
type attempt struct {
	host     *Host
	hash     worktree.Hash
	commit   string // hash, in hexadecimal
	fallback bool   // it is not the tip, which stays on show
	began    time.Time
	phases   Phases
	steps    *steps
	snapshot *worktree.Snapshot
	mount    *mounted
	found    []*extension
	staged   []*extension // those with an instance in the candidate
	problems []registry.Problem
	// candidate is made once something can be staged.
	candidate *registry.Candidate
}

func (h *Host) newAttempt(commit worktree.Hash, steps *steps) *attempt {
	return &attempt{host: h, hash: commit, commit: commit.String(), began: h.options.Clock.Now(), steps: steps}
}

// load loads a commit and makes it live, or refuses it.
func (h *Host) load(ctx context.Context, a *attempt, previous *worktree.Snapshot) Outcome {
	defer h.tidy()
	h.beginLoading(a.commit)
	if skipped := h.skipped(a.commit); skipped != nil {
		return h.refuse(ctx, a, &SkippedError{Skipped: *skipped})
	}
	if err := h.beginTrial(ctx, a); err != nil {
		return h.refuse(ctx, a, err)
	}
	h.options.step("recorded")
	generation, err := a.prepare(ctx, previous)
	if err != nil {
		a.discard(ctx)
		return h.refuse(ctx, a, err)
	}
	if err := h.promote(ctx, a, generation); err != nil {
		generation.Drop()
		closeErr := generation.Close(context.WithoutCancel(ctx))
		a.mount.release()
		return h.refuse(ctx, a, errors.Join(err, closeErr))
	}
	return Promoted
}

// tidy takes away what only the load used, and makes up for the spares it took.
func (h *Host) tidy() {
	h.forgetGraphs()
	h.spares.refill()
}

// prepare turns the commit into a validated generation. The error is a
// [*RefusedError] for problems of the commit, or what kept it from being read.
func (a *attempt) prepare(ctx context.Context, previous *worktree.Snapshot) (*registry.Generation, error) {
	for _, phase := range []struct {
		spent *float64
		run   func() error
	}{
		{&a.phases.Read, func() error { return a.read(ctx, previous) }},
		{&a.phases.Compile, func() error { return a.compile(ctx) }},
		{&a.phases.Evaluate, func() error { return a.evaluate(ctx) }},
		{&a.phases.Stage, func() error { return a.stage(ctx) }},
	} {
		began := a.host.options.Clock.Now()
		err := phase.run()
		*phase.spent = milliseconds(a.host.options.Clock.Now().Sub(began))
		if err != nil {
			return nil, err
		}
	}
	a.host.options.step("staged")
	for _, problem := range a.problems {
		a.candidate.Problem(problem)
	}
	generation, problems := a.candidate.Validate()
	if generation == nil {
		return nil, &RefusedError{Commit: a.commit, Problems: boundedProblems(problems)}
	}
	return generation, nil
}

// read takes the commit's files into memory and shows them in the world.
func (a *attempt) read(ctx context.Context, previous *worktree.Snapshot) (err error) {
	if a.snapshot, err = a.host.repo.Snapshot(ctx, a.hash, previous); err != nil {
		return err
	}
	a.host.options.step("read")
	if a.mount, err = a.host.show(a.snapshot); err != nil {
		return err
	}
	a.found, err = a.host.find(a.snapshot, a.commit, &a.problems)
	return err
}

// find lists the extensions of a snapshot in the order of their names.
func (h *Host) find(snapshot *worktree.Snapshot, commit string, problems *[]registry.Problem) ([]*extension, error) {
	tree := snapshot.FS()
	entries, err := fs.ReadDir(tree, "extensions")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("commit %s: list extensions: %w", commit, err)
	}
	var found []*extension
	for _, entry := range entries {
		folder := path.Join("extensions", entry.Name())
		file := path.Join(folder, entryFile)
		if !isExtension(tree, folder, file, entry, problems) {
			continue
		}
		if !extensionName.MatchString(entry.Name()) {
			*problems = append(*problems, registry.Problem{
				Position: registry.Position{File: strings.ToValidUTF8(file, "\uFFFD")},
				Message:  fmt.Sprintf("%q cannot be the name of an extension", entry.Name()),
				Hint:     "a name starts with a lower-case letter and goes on with lower-case letters, digits, _ and -",
			})
			continue
		}
		found = append(found, h.newExtension(entry.Name(), commit, file, snapshot))
	}
	return found, nil
}

// isExtension reports whether an entry of extensions/ is a folder with a
// server.ts. What looks like one and cannot be read is a problem.
func isExtension(tree fs.FS, folder, file string, entry fs.DirEntry, problems *[]registry.Problem) bool {
	info, err := fs.Stat(tree, folder)
	if err == nil && info.Mode()&fs.ModeIrregular != 0 {
		*problems = append(*problems, registry.Problem{
			Position: registry.Position{File: folder},
			Message:  "it is a git submodule, whose files are not part of the commit",
			Hint:     "commit the files themselves",
		})
		return false
	}
	if err != nil {
		*problems = append(*problems, registry.Problem{Position: registry.Position{File: folder}, Message: err.Error()})
		return false
	}
	if !info.IsDir() {
		return false
	}
	_, err = fs.Stat(tree, file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := fs.Lstat(tree, file); linkErr != nil {
			return false
		}
		err = errors.New("it is a symbolic link that leads nowhere")
	}
	switch {
	case err == nil:
		return true
	default:
		*problems = append(*problems, registry.Problem{Position: registry.Position{File: file}, Message: err.Error()})
		return false
	}
}

// compile compiles the graphs of all extensions in parallel. All problems of the
// commit are found before it is refused for one.
func (a *attempt) compile(ctx context.Context) error {
	problems := make([][]registry.Problem, len(a.found))
	var group errgroup.Group
	for i, extension := range a.found {
		group.Go(func() error {
			graph, err := a.host.compiler.Compile(ctx, extension.source.Tree, extension.file)
			var failed *jsapi.CompileErrors
			if errors.As(err, &failed) {
				problems[i] = compileProblems(extension.name, failed)
				return nil
			}
			extension.source.Graph = graph
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	a.problems = append(a.problems, slices.Concat(problems...)...)
	a.host.options.step("compiled")
	return nil
}

func compileProblems(extension string, failed *jsapi.CompileErrors) []registry.Problem {
	var problems []registry.Problem
	for _, problem := range failed.Problems {
		problems = append(problems, registry.Problem{
			Extension: extension,
			Position:  registry.Position{File: problem.File, Line: problem.Line, Column: problem.Column},
			Message:   excerpt(problem), Hint: problem.Hint,
		})
	}
	return problems
}

// excerpt is a problem's message with the source line that it is about.
func excerpt(problem jsapi.Problem) string {
	if problem.Text == "" {
		return problem.Message
	}
	bare := problem
	bare.File, bare.Hint = "", ""
	return bare.String()
}

// evaluate runs the modules of all extensions that compiled, in parallel, each in
// a fresh isolate.
func (a *attempt) evaluate(ctx context.Context) error {
	problems := make([]*registry.Problem, len(a.found))
	var group sync.WaitGroup
	for i, extension := range a.found {
		if extension.source.Graph == nil {
			continue
		}
		group.Go(func() {
			defer a.steps.begin()()
			if err := extension.begin(ctx); err != nil {
				problems[i] = extension.problem("", err)
			}
		})
	}
	group.Wait()
	for _, problem := range problems {
		if problem != nil {
			a.problems = append(a.problems, *problem)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	a.host.options.step("evaluated")
	return nil
}

// stage runs the factories one after another, in the order of the extensions, and
// adds what they declare to the candidate.
func (a *attempt) stage(ctx context.Context) error {
	a.candidate = a.host.registry.Stage(a.commit)
	limited, cancel := context.WithTimeoutCause(ctx, a.host.options.Limits.Commit,
		fmt.Errorf("the factories of the commit took longer than %s together", a.host.options.Limits.Commit))
	defer cancel()
	ready := slices.DeleteFunc(slices.Clone(a.found), func(e *extension) bool { return e.live.Load() == nil })
	slices.SortStableFunc(ready, func(x, y *extension) int {
		return cmp.Or(cmp.Compare(x.order, y.order), cmp.Compare(x.name, y.name))
	})
	for _, extension := range ready {
		a.stageOne(limited, extension)
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) stageOne(ctx context.Context, extension *extension) {
	defer a.steps.begin()()
	instance, problems, err := extension.stage(ctx, a.candidate.Provides)
	a.problems = append(a.problems, problems...)
	if err != nil {
		a.problems = append(a.problems, *extension.problem("factory", err))
		return
	}
	if instance != nil {
		a.candidate.Add(extension, instance)
		a.staged = append(a.staged, extension)
	}
}

// discard gives up everything that the attempt made.
func (a *attempt) discard(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if a.candidate != nil {
		_ = a.candidate.Discard(ctx) // reported by the registry
	}
	for _, extension := range a.found {
		extension.close(ctx)
	}
	if a.mount != nil {
		a.mount.release()
	}
}

// RefusedError is a commit that cannot go live, with everything wrong with it.
type RefusedError struct {
	Commit   string
	Problems []registry.Problem
}

func (e *RefusedError) Error() string {
	var errs []error
	for _, problem := range e.Problems {
		if problem.Fatal() {
			errs = append(errs, errors.New(problem.String()))
		}
	}
	return errors.Join(errs...).Error()
}

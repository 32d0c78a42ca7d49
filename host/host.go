package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
	"github.com/seed-d579e5eb/harness/worktree"
)

// Host serves one world. Its methods may be called from any goroutine.
type Host struct {
	options  Options
	layout   Layout
	lock     *os.File
	files    *vfs.World
	commands *run.Runner
	repo     *worktree.Repo
	storage  storage.Storage
	harness  *agent.Harness
	session  *durable.Session // the harness's
	models   WorldModels
	settings *worldSettings
	registry *registry.Registry
	compiler *jsapi.Compiler
	modules  *bind.Modules
	world    *bind.World
	context  *jsapi.Graph // the chord context module
	scripts  *jsapi.Graph // of package bind
	common   *jsapi.Graph // what most extensions import
	loader   *loader

	stopping
	work   sync.WaitGroup // goroutines of the host
	closed atomic.Bool
	served atomic.Bool // a generation of the world, or none of it, has become the first

	homes  homes
	spares spares
	calls  atomic.Int64 // of tools, for their ids

	recording  sync.Mutex // held while the record is being stored
	publishing sync.Mutex // held while the status is being shown
	disk       sync.Mutex // held while a commit is written to /run or removed

	stopProving context.CancelFunc // of the live commit; the loader's

	mu      sync.Mutex
	record  Record // as stored last
	loading string
	notice  *Notice
	// settingsNotice is the notice that says what is wrong with the settings.
	settingsNotice *Notice
	problems       []registry.Problem
	watchers       []*watcher // replaced when one comes or goes, never changed
	shown          []*mounted // commits that show in the world
	live           *mounted   // the one of the generation that serves
	left           []error    // what did not end when the host closed
}

// Open opens a world, loads the tip of its branch, or the last good commit when
// that does not load, and follows the branch from then on. It returns once calls
// can be made. That nothing loads is no error: the Go extensions serve then, and
// the status says why.
//
// Errors: a [*NotAWorldError]; a [*RunningError] when another harness has the
// world; a [*bind.NamespaceError] for one of Options.Modules; a database or a world that cannot be opened; the cause of ctx.
func Open(ctx context.Context, options Options) (*Host, error) {
	h := &Host{options: options.withDefaults(), layout: Layout{Dir: options.Dir}, storage: options.Storage, stopping: newStopping()}
	for _, step := range []func(context.Context) error{h.openWorld, h.openRegistry, h.prepare, h.openEngine, h.start} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, h.release(context.WithoutCancel(ctx)))
		}
	}
	return h, nil
}

// openWorld takes the world and its files.
func (h *Host) openWorld(ctx context.Context) (err error) {
	if err := h.layout.makeState(); err != nil {
		return err
	}
	if !h.isTrial() {
		if h.lock, err = lock(h.layout); err != nil {
			return err
		}
	}
	if h.files, err = vfs.Open(h.layout.Root(), vfs.Options{PollInterval: h.options.Poll, Logger: h.options.Logger}); err != nil {
		return fmt.Errorf("open world %s: %w", h.layout.Dir, err)
	}
	if !h.isTrial() {
		if err := h.emptyRun(); err != nil {
			return err
		}
	}
	return h.openRepository()
}

// openRegistry makes the registry, from which the session takes the definitions of
// tasks.
func (h *Host) openRegistry(context.Context) error {
	h.registry = registry.New(registry.Options{
		Limits: registry.Limits{
			Hook: h.options.Limits.Hook.Whole, Service: h.options.Limits.Callback.Whole, Close: h.options.Limits.Callback.Whole,
		},
		Now:    h.options.Clock.Now,
		Report: func(failure *registry.Failure) { h.Report(failure.Extension, failure) },
	})
	return nil
}

// prepare readies, side by side, what takes time and does not depend on each
// other.
func (h *Host) prepare(ctx context.Context) (err error) {
	if h.modules, err = bind.NewModules(h.options.Modules); err != nil {
		return err
	}
	h.compiler = jsapi.NewCompiler(jsapi.CompilerOptions{Synthetic: h.modules})
	var group errgroup.Group
	for _, task := range []func(context.Context) error{
		h.openCommands, h.openSession,
		h.compileOwn(&h.scripts, bind.Entry), h.compileOwn(&h.context, contextModule), h.compileOwn(&h.common, commonModule),
	} {
		group.Go(func() error { return task(ctx) })
	}
	return group.Wait()
}

// compileOwn compiles a module of the harness's own.
func (h *Host) compileOwn(graph **jsapi.Graph, specifier string) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if *graph, err = h.compiler.Import(ctx, noFiles{}, bind.Importer, specifier, nil); err != nil {
			return fmt.Errorf("compile the harness's own module %s: %w", specifier, err)
		}
		return nil
	}
}

// openCommands prepares the commands of the world.
func (h *Host) openCommands(ctx context.Context) (err error) {
	h.commands, err = run.New(ctx, h.files, run.Options{
		Private: h.privateFolder(), Way: h.options.Way, Helper: h.options.Helper, Programs: h.options.programs(), Logger: h.options.Logger,
	})
	if err != nil {
		return fmt.Errorf("open world %s: prepare commands: %w", h.layout.Dir, err)
	}
	way := h.commands.Way()
	level := slog.LevelInfo
	if way.Name == run.Plain {
		level = slog.LevelWarn
	}
	h.options.Logger.Log(ctx, level, "how commands are run", "way", way.Name, "unconfined", way.Unconfined)
	return nil
}

// emptyRun removes what an earlier process left in /run.
func (h *Host) emptyRun() error {
	if err := h.files.Mkdir("/run", true); err != nil {
		return fmt.Errorf("empty /run: %w", err)
	}
	entries, err := h.files.List("/run")
	for _, entry := range entries {
		err = errors.Join(err, h.files.Remove("/run/"+entry.Name, true))
	}
	if err != nil {
		return fmt.Errorf("empty /run: %w", err)
	}
	return nil
}

func (h *Host) openRepository() (err error) {
	h.repo, err = worktree.Open(h.files, Repository, worktree.Options{
		Snapshots: Snapshots, Git: h.gitOutput, Logger: h.options.Logger,
	})
	if err != nil {
		return fmt.Errorf("open repository %s: %w", Repository, err)
	}
	return nil
}

// openEngine makes what every load needs.
func (h *Host) openEngine(context.Context) (err error) {
	h.world = &bind.World{Files: h.files, Commands: materialised{h}, Models: h.harness.Models, Validate: h.registry.ValidateArguments}
	h.spares.host = h
	if h.settings, err = watchSettings(h.files, h.options.Clock, h.settingsState); err != nil {
		return err
	}
	_, err = h.files.Synthetic(StatusFile, h.statusText)
	return err
}

const (
	// contextModule makes the context object of calls.
	contextModule = "@earendil-works/chord/context"
	// commonModule is what most extensions import.
	commonModule = "@earendil-works/pi-durable"
)

// Close stops following the branch, ends what runs (its signal is aborted; what
// has not ended 5 s later is interrupted), closes every extension and its
// resources, and gives the world up. A commit that is live then is proven. The
// callbacks onClose, dispose and shutdown have ended, or are given up, 10 s after
// Close began. When ctx ends, what runs is interrupted at once. Closing twice is no
// error.
//
// Errors: a [*LeftBehindError]; what failed to be stored or closed.
func (h *Host) Close(ctx context.Context) error {
	if !h.closed.CompareAndSwap(false, true) {
		return nil
	}
	return h.release(ctx)
}

// release undoes what has been opened, in reverse order.
func (h *Host) release(ctx context.Context) error {
	h.unfollow()
	var failed []error
	if h.loader != nil {
		h.loader.wait()
		failed = append(failed, h.proveAtExit(context.WithoutCancel(ctx)))
	}
	h.sealSession()
	defer h.beginStop(ctx, h.options.Clock)()
	ctx = context.WithoutCancel(ctx)
	if h.loader != nil {
		h.retire()
	}
	h.work.Wait()
	failed = append(failed, h.left...)
	if h.settings != nil {
		h.settings.close()
	}
	h.homes.closeAll(ctx)
	h.spares.close()
	if h.commands != nil {
		failed = append(failed, h.commands.Close())
	}
	failed = append(failed, h.closeSession(ctx))
	if h.files != nil {
		failed = append(failed, h.files.Close())
	}
	if h.lock != nil {
		failed = append(failed, h.lock.Close())
	}
	return errors.Join(failed...)
}

// Registry returns the registry, for embedders that dispatch themselves.
func (h *Host) Registry() *registry.Registry { return h.registry }

// Files returns the world's file system.
func (h *Host) Files() *vfs.World { return h.files }

package host

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// Options configure a [Host]. Only Dir is required.
type Options struct {
	// Dir is the world's directory, a host path; see [Init]. The branch main of its
	// repository is followed.
	Dir string
	// Extensions are the embedder's own, in Go. They stand before those of the
	// world.
	Extensions []registry.Extension
	// Modules are packages that extensions can import, by namespace; see
	// [Options.RegisterModules].
	Modules map[string]*jsapi.Object
	// Limits are the budgets of extensions; a field that is zero has the budget of
	// [bind.DefaultLimits].
	Limits bind.Limits
	// Clock is the machine's when nil.
	Clock jsapi.Clockwork
	// Random is the source of random bytes; crypto/rand when nil.
	Random io.Reader
	// HTTPClient serves fetch; a client with a time limit of 5 minutes when nil.
	HTTPClient *http.Client
	// Logger gets what happens; nil drops it. What extensions print goes there
	// too, with the attribute extension.
	Logger *slog.Logger
	// Models are those that conversations ask; those of the world when nil, with its
	// default for conversations that choose none: see [Layout.OpenModels].
	Models *model.Models
	// Settings returns how conversations work; see [agent.Options]. Nil is the defaults.
	Settings func() agent.Settings
	// Paused has nothing go on that was cut off when the world was closed, until
	// Session().Resume is called or something asks for progress, such as an input.
	Paused bool
	// Approve answers the gates that ask about a call of a conversation; nil refuses.
	Approve registry.Approver
	// Storage is what the session of the world stands on; a badger database in the
	// state directory when nil. The host closes it, also when Open fails,
	// unless a session has it already.
	Storage storage.Storage
	// Program is the host path of the static harness program, which commands in
	// the world find as extensions-revert. Without it there is no such command.
	Program string
	// Way forces a way of running commands; the best that works when empty.
	Way run.Name
	// Helper is the command line of a program that calls [run.Serve] and does
	// nothing else; without it commands do not run in a user namespace.
	Helper []string
	// Try loads a commit in a child process and returns a [*DiedError] when the child
	// died of it; see [TryCommit]. Another error says nothing of the commit: it is
	// reported, and the commit is loaded. Nil means that a commit which killed the
	// harness is skipped without being tried.
	Try func(ctx context.Context, commit string) error
	// Proving is how long a commit must live to be proven; 30 s when zero.
	Proving time.Duration
	// Memory is how many bytes the process may have in use before extensions
	// that run for long are interrupted; half of the machine's when zero, and no
	// limit when negative.
	Memory int64
	// Poll is how often watches look by themselves; 2 s when zero.
	Poll time.Duration

	// trial is the commit that a child process tries out, alone.
	trial string
	// step is called by tests at named steps of a load.
	step func(step string)
}

const (
	defaultProving = 30 * time.Second
	// stopGrace is how long calls get to end by their signal when the host closes.
	stopGrace = 5 * time.Second
)

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.WithDefaults()
	if o.Clock == nil {
		o.Clock = jsapi.SystemClock{}
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Timeout: 5 * time.Minute}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = slog.New(boundedLog{o.Logger.Handler()})
	if o.Proving == 0 {
		o.Proving = defaultProving
	}
	if o.Memory == 0 {
		o.Memory = MachineMemory() / 2
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	return o
}

// programs are the commands that the harness adds to the world.
func (o Options) programs() map[string]string {
	if o.Program == "" {
		return nil
	}
	if _, err := os.Stat(o.Program); err != nil {
		return nil
	}
	return map[string]string{"extensions-revert": o.Program}
}

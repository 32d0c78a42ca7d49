package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/registry"
)

// Options configure a harness. Registry must be set.
type Options struct {
	// Registry has the extensions. They may change at any time.
	Registry *registry.Registry
	// Models are those that can be asked; nil has none, and every run ends as "no_model".
	Models *model.Models
	// Settings returns what holds for all conversations. It is called for each decision,
	// also inside commits, and must be quick; nil is the defaults.
	Settings func() Settings
	// Env makes what the tools and sections of a conversation work on. It is called at
	// each use, outside of commits. Nil, and a nil Env without an error, has none.
	Env func(ctx context.Context, conversation EnvRequest) (registry.Env, error)
	// Approve answers the gates that ask about a call; nil refuses.
	Approve registry.Approver
	// ExtensionSettings gives an extension's settings in a conversation, as JSON; nil
	// has none.
	ExtensionSettings func(conversation record.ConversationID, extension string) json.RawMessage
	// Session is how the session is opened. Its Runs, Definitions, Required and Hooks are
	// the harness's own; its Settled is called after what the harness does there.
	Session durable.Options
}

// EnvRequest says for which conversation an environment is made.
type EnvRequest struct {
	Conversation record.ConversationID
	// Cwd is the folder that was chosen for the conversation, "" for none.
	Cwd string
	// Documents are as they are stored.
	Documents durable.Documents
}

// Harness is an open session whose conversations think. Beside what it adds, all of
// the session is its own. It is safe for concurrent use.
type Harness struct {
	*durable.Session
	options Options
	models  *model.Models
	clock   durable.Clock

	generation generationTask
	call       toolTask
	compaction compactionTask
	work       workTask
	working    working

	cutOff    cutOff
	mu        sync.Mutex
	listeners map[nestedName][]*listener // of nested calls that are waited for, as they came
}

// Open opens the session that a storage holds, with conversations that think. Nothing
// runs before [durable.Session.Resume] or a call that asks for progress: extensions
// are to be there by then. The harness closes the storage; when Open fails the caller
// does. The errors are those of [durable.Open].
func Open(ctx context.Context, below storage.Storage, options Options) (*Harness, error) {
	if options.Registry == nil {
		return nil, fmt.Errorf("open a harness: Options.Registry is nil: pass the registry of the extensions, which may be empty")
	}
	h := &Harness{options: options, models: options.Models, clock: options.Session.Clock, listeners: make(map[nestedName][]*listener)}
	if h.models == nil {
		h.models = new(model.Models)
	}
	if h.clock == nil {
		h.clock = durable.SystemClock{}
	}
	h.generation, h.call, h.compaction, h.work = h.defineGeneration(), h.defineTool(), h.defineCompaction(), h.defineWork()
	inside := options.Session
	inside.Runs = runs{h}
	inside.Definitions = options.Registry.Definitions(h.generation.Definition, h.call.Definition, h.compaction.Definition, h.work.Definition)
	inside.Required = []string{registry.TaskGeneration, registry.TaskTool, registry.TaskCompaction}
	inside.Hooks = registry.HookSource(func(ctx context.Context, conversation record.ConversationID) (registry.AgentChoice, error) {
		return h.choice(ctx, h.Session, conversation)
	})
	inside.Settled = h.settled
	session, err := durable.Open(ctx, below, inside)
	if err != nil {
		return nil, err
	}
	h.Session = session
	return h, nil
}

// Models returns the models that conversations ask.
func (h *Harness) Models() *model.Models { return h.models }

// Registry returns the extensions.
func (h *Harness) Registry() *registry.Registry { return h.options.Registry }

// Settings returns what holds for all conversations now, with its defaults.
func (h *Harness) Settings() Settings {
	var s Settings
	if h.options.Settings != nil {
		s = h.options.Settings()
	}
	return s.withDefaults()
}

// Agent resolves what takes part in a conversation now. The caller calls release when
// it does not use the agent any more. An unknown conversation is a
// [*durable.NotFoundError].
func (h *Harness) Agent(ctx context.Context, conversation record.ConversationID) (agent *registry.Agent, release func(), err error) {
	if _, err := h.Conversation(ctx, conversation); err != nil {
		return nil, nil, err
	}
	choice, err := h.choice(ctx, h.Session, conversation)
	if err != nil {
		return nil, nil, err
	}
	generation, release := h.options.Registry.Acquire("an agent that is looked at")
	agent = generation.Agent(ctx, choice)
	if cause := context.Cause(ctx); cause != nil {
		release()
		return nil, nil, cause
	}
	return agent, release, nil
}

// PhaseAgent resolves what takes part in the conversation of a task, for one of its
// phases: of the code that was there when the phase began, which holds it, and by the
// choices of now. A task of another session's is an error, and so is the end of ctx.
func (h *Harness) PhaseAgent(ctx context.Context, run *durable.Runtime) (*registry.Agent, error) {
	return h.resolved(ctx, run)
}

// PhaseEnv makes what the conversation of a task works on, for one of its phases, and
// says in which folder; nil when there is none. The errors are those of PhaseAgent and
// of Options.Env.
func (h *Harness) PhaseEnv(ctx context.Context, run *durable.Runtime) (env registry.Env, folder string, err error) {
	agent, err := h.resolved(ctx, run)
	if err != nil {
		return nil, "", err
	}
	env, err = h.env(ctx, run, agent)
	return env, agent.Cwd, err
}

// choice returns what an agent is resolved from.
func (h *Harness) choice(ctx context.Context, from durable.Documents, conversation record.ConversationID) (registry.AgentChoice, error) {
	state, _, err := durable.AgentDocument.Read(ctx, from, durable.InConversation(conversation))
	settings := h.Settings()
	if state.Model == nil {
		state.Model = settings.Model
	}
	return registry.AgentChoice{State: state, Base: settings.Extensions}, err
}

// resolved returns what takes part in a phase: of the code that was there when it
// began, and by the choices of now.
func (h *Harness) resolved(ctx context.Context, run *durable.Runtime) (*registry.Agent, error) {
	choice, err := h.choice(ctx, run, run.Conversation())
	if err != nil {
		return nil, err
	}
	generation := registry.GenerationOf(run.Definitions())
	if generation == nil {
		return nil, fmt.Errorf("task %d does not run over the harness's registry", run.TaskID())
	}
	agent := generation.Agent(ctx, choice)
	return agent, context.Cause(ctx)
}

// asking says on whose behalf a phase asks hooks.
func (h *Harness) asking(run *durable.Runtime) registry.Asking {
	asking := registry.Asking{Conversation: run.Conversation(), Runtime: run, Models: h.models}
	if settings := h.options.ExtensionSettings; settings != nil {
		asking.Settings = func(extension string) json.RawMessage { return settings(run.Conversation(), extension) }
	}
	return asking
}

// env makes what tools and sections of a phase work on; nil when there is none.
func (h *Harness) env(ctx context.Context, run *durable.Runtime, agent *registry.Agent) (registry.Env, error) {
	if h.options.Env == nil {
		return nil, nil
	}
	return h.options.Env(ctx, EnvRequest{Conversation: run.Conversation(), Cwd: agent.Cwd, Documents: run})
}

// modelOf returns the model with a reference, which may be nil. The error is the
// reason for which there is none.
func (h *Harness) modelOf(ref *durable.ModelRef) (*model.Model, error) {
	if ref == nil {
		return nil, fmt.Errorf("no model is chosen for this conversation: choose one with Configure")
	}
	return h.models.Get(model.Ref{Provider: ref.Provider, ModelID: ref.Model})
}

// log is where what goes wrong and concerns no caller is told inside commits.
func (h *Harness) log() *slog.Logger {
	if h.options.Session.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.options.Session.Logger
}

// milliseconds is the time of now, as messages and checkpoints have it.
func (h *Harness) milliseconds() int64 { return h.clock.Now().UnixMilli() }

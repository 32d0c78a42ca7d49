package registry

import (
	"context"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TaskDeclaration declares a kind of durable task. Its name is unique over all
// extensions. It is resolved for every task of the name, whatever extensions the
// task's conversation selects.
type TaskDeclaration struct {
	Definition *durable.TaskDefinition
	Where      Position
}

// Tasks lists the definitions of tasks, in the order of their extensions.
func (g *Generation) Tasks() []*durable.TaskDefinition { return slices.Clone(g.tasks) }

// Task finds a definition; nil when there is none of that name.
func (g *Generation) Task(name string) *durable.TaskDefinition { return g.taskBy[name] }

// Definitions gives a session the tasks of the current generation, and with them
// builtin, which no generation changes. A snapshot holds its generation until it is
// released, so that a phase of a task goes on with the code it began with.
func (r *Registry) Definitions(builtin ...*durable.TaskDefinition) durable.Definitions {
	d := &definitions{registry: r, builtin: make(map[string]*durable.TaskDefinition, len(builtin))}
	for _, definition := range builtin {
		d.builtin[definition.Name] = definition
	}
	return d
}

type definitions struct {
	registry *Registry
	builtin  map[string]*durable.TaskDefinition
}

// Snapshot implements [durable.Definitions].
func (d *definitions) Snapshot() durable.DefinitionSnapshot {
	g, release := d.registry.Acquire("tasks")
	return &snapshot{generation: g, builtin: d.builtin, release: release}
}

// Subscribe implements [durable.Definitions].
func (d *definitions) Subscribe(changed func()) (stop func()) {
	return d.registry.Subscribe(func(*Generation) { changed() })
}

type snapshot struct {
	generation *Generation
	builtin    map[string]*durable.TaskDefinition
	release    func()
}

// Task implements [durable.DefinitionSnapshot].
func (s *snapshot) Task(name string) (*durable.TaskDefinition, bool) {
	if definition := s.builtin[name]; definition != nil {
		return definition, true
	}
	definition := s.generation.taskBy[name]
	return definition, definition != nil
}

// Release implements [durable.DefinitionSnapshot].
func (s *snapshot) Release() { s.release() }

// GenerationOf gives the generation of a snapshot that a registry's definitions
// gave, such as [durable.Runtime.Definitions]; nil for another snapshot. The
// generation is held as long as the snapshot is.
func GenerationOf(from durable.DefinitionSnapshot) *Generation {
	for {
		switch s := from.(type) {
		case *snapshot:
			return s.generation
		case interface {
			Unwrap() durable.DefinitionSnapshot
		}:
			from = s.Unwrap()
		default:
			return nil
		}
	}
}

// HookSource finds the hooks of tasks of extensions' own for a session whose
// definitions are a registry's: those of the extensions that a conversation selects.
// choose gives what is chosen for a conversation; its error is that of TaskHooks.
func HookSource(choose func(ctx context.Context, conversation record.ConversationID) (AgentChoice, error)) durable.HookSource {
	return hookSource(choose)
}

type hookSource func(ctx context.Context, conversation record.ConversationID) (AgentChoice, error)

// TaskHooks implements [durable.HookSource].
func (choose hookSource) TaskHooks(ctx context.Context, from durable.DefinitionSnapshot, conversation record.ConversationID, task string) ([]durable.Hooks, error) {
	g := GenerationOf(from)
	if g == nil {
		return nil, nil
	}
	choice, err := choose(ctx, conversation)
	if err != nil {
		return nil, err
	}
	return g.Agent(ctx, choice).TaskHooks(task), nil
}

// TaskHooks lists the handlers that the selected extensions have for a task of an
// extension's own, in their order.
func (a *Agent) TaskHooks(task string) []durable.Hooks {
	var list []durable.Hooks
	for _, part := range a.extensions {
		for _, h := range part.hooks {
			if of, name, ok := h.Kind.cut(); ok && of == task && h.Handler != nil {
				list = append(list, taskHook{name, h.Handler})
			}
		}
	}
	return list
}

type taskHook struct {
	name    string
	handler any
}

// Hook implements [durable.Hooks].
func (h taskHook) Hook(name string) (handler any, found bool) {
	return h.handler, h.name == name
}

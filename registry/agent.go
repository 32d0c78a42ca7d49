package registry

import (
	"context"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
)

// Agent is what takes part in one conversation at one moment: the selected
// extensions of a generation with their tools, sections and hooks, and what else was
// chosen. It does not change. Whoever uses it holds the generation; its methods may
// be called from any goroutine.
type Agent struct {
	*selection
	// Model is nil when none was chosen.
	Model        *durable.ModelRef
	Thinking     string // a level of the model; "off" when none was chosen
	Instructions string // the last section; empty for none
	Cwd          string // the world path in which tools work; empty for the default
}

// selection is what the selected extensions contribute together.
type selection struct {
	generation *Generation
	extensions []*contribution
	tools      []*BoundTool
	toolBy     map[string]*BoundTool
	sections   []*boundSection
	hooks      map[HookKind][]boundHook
}

// maxSelections bounds the selections that a generation remembers.
const maxSelections = 256

// Agent resolves a choice. Names of extensions and tools that the generation does
// not have count for nothing. A wrap that fails, or gives its target another name,
// drops the target and is reported. When ctx ends meanwhile, wraps that were left
// are such failures, and are not reported.
//
// What was resolved without a failure is remembered as long as the generation is.
func (g *Generation) Agent(ctx context.Context, choice AgentChoice) *Agent {
	a := &Agent{
		selection:    g.selection(ctx, choice),
		Model:        choice.State.Model,
		Thinking:     choice.State.ThinkingLevel,
		Instructions: choice.State.Instructions,
		Cwd:          choice.State.Cwd,
	}
	if a.Thinking == "" {
		a.Thinking = "off"
	}
	return a
}

func (g *Generation) selection(ctx context.Context, choice AgentChoice) *selection {
	key := choice.key()
	g.selecting.Lock()
	known := g.selections[key]
	g.selecting.Unlock()
	if known != nil {
		return known
	}
	// Wraps are pure, so that two who resolve the same at once do no harm.
	fresh, whole := g.resolve(ctx, choice)
	if !whole {
		return fresh
	}
	g.selecting.Lock()
	defer g.selecting.Unlock()
	if known := g.selections[key]; known != nil {
		return known
	}
	if g.selections == nil || len(g.selections) >= maxSelections {
		g.selections = map[string]*selection{}
	}
	g.selections[key] = fresh
	return fresh
}

// resolve reports whether no wrap failed.
func (g *Generation) resolve(ctx context.Context, choice AgentChoice) (s *selection, whole bool) {
	s = &selection{generation: g, toolBy: map[string]*BoundTool{}, hooks: map[HookKind][]boundHook{}}
	installed := make([]string, len(g.members))
	for i, m := range g.members {
		installed[i] = m.Name()
	}
	for _, name := range choice.extensions(installed) {
		if part := g.parts[name]; part != nil {
			s.extensions = append(s.extensions, part)
			s.add(part)
		}
	}
	whole = s.wrap(ctx)
	s.tools = choice.tools(s.tools)
	for _, t := range s.tools {
		s.toolBy[t.Name] = t
	}
	return s, whole
}

// add adds what one extension contributes. A later tool or section of the same name
// takes the earlier one's place.
func (s *selection) add(part *contribution) {
	for _, t := range part.tools {
		if i := toolIndex(s.tools, t.Name); i >= 0 {
			s.tools[i] = t
		} else {
			s.tools = append(s.tools, t)
		}
	}
	for _, section := range part.sections {
		if i := sectionIndex(s.sections, section.Key); i >= 0 {
			s.sections[i] = section
		} else {
			s.sections = append(s.sections, section)
		}
	}
	for _, h := range part.hooks {
		s.hooks[h.Kind] = append(s.hooks[h.Kind], h)
	}
}

func sectionIndex(list []*boundSection, key string) int {
	return slices.IndexFunc(list, func(s *boundSection) bool { return s.Key == key })
}

// Generation is what the agent was resolved from.
func (a *Agent) Generation() *Generation { return a.generation }

// Extensions lists the selected members in their order.
func (a *Agent) Extensions() []*Member {
	members := make([]*Member, len(a.extensions))
	for i, part := range a.extensions {
		members[i] = part.member
	}
	return members
}

// Tools lists the tools in their order, whoever may call them.
func (a *Agent) Tools() []*BoundTool { return slices.Clone(a.tools) }

// ModelTools lists the tools that models may call.
func (a *Agent) ModelTools() []*BoundTool { return a.toolsFor(CallerModel) }

// CallableTools lists the tools that other tools may call.
func (a *Agent) CallableTools() []*BoundTool { return a.toolsFor(CallerTool) }

func (a *Agent) toolsFor(who Caller) []*BoundTool {
	return slices.DeleteFunc(slices.Clone(a.tools), func(t *BoundTool) bool { return !t.MayCall(who) })
}

// Tool finds a tool; nil when there is none of that name.
func (a *Agent) Tool(name string) *BoundTool { return a.toolBy[name] }

// Sections lists the sections in their order, the instructions last. Those have no
// extension and no Render.
func (a *Agent) Sections() []Owned[Section] {
	list := make([]Owned[Section], 0, len(a.sections)+1)
	for _, s := range a.sections {
		list = append(list, Owned[Section]{Extension: s.extension, Value: s.Section})
	}
	if a.Instructions != "" {
		list = append(list, Owned[Section]{Value: Section{Key: instructions}})
	}
	return list
}

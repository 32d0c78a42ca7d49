package registry

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/seed-d579e5eb/harness/durable"
)

// content is what a generation is of.
type content struct {
	commitMembers arrangement // without what was installed at run time
	installed     []*Member   // at run time, in order
	arrangement
	names    map[string]*Member
	parts    map[string]*contribution  // by the name of the extension
	tasks    []*durable.TaskDefinition // in order of their extension
	taskBy   map[string]*durable.TaskDefinition
	tools    []*BoundTool // in order of their extension
	commands []Owned[Command]
	hooks    map[HookKind][]boundHook
	services []Owned[Service] // sorted by id
	toolBy   map[string]*BoundTool
	cmdBy    map[string]Owned[Command]
	svcBy    map[string]boundService
	shadowed []Shadowed
	outside  []Problem // that were found outside of this package
	warnings []Problem
	wrapped  *schemaCache // of tools that wraps gave
}

// arrangement is the members of a generation.
type arrangement struct {
	members  []*Member // in order
	replaced []*Member // whose place another member of their name took
}

func (a arrangement) all() []*Member { return slices.Concat(a.members, a.replaced) }

// Owned is a contribution with the extension it came from.
type Owned[T any] struct {
	Extension string
	Value     T
}

// Shadowed is a contribution that another of the same name hides. Loser and By
// are names of extensions; for a hidden extension they are sources.
type Shadowed struct {
	Kind  string `json:"kind"` // tool, command or extension
	Name  string `json:"name"`
	Loser string `json:"loser"` // whose contribution is hidden
	By    string `json:"by"`    // whose is used
}

// BoundTool is a tool with its extension and its compiled schemas.
type BoundTool struct {
	Tool
	Extension  string  // that the tool came from, also when another one wrapped it
	member     *Member // whose code is called: that of the last wrap
	schema     *jsonschema.Schema
	structured *jsonschema.Schema // nil when StructuredOutput is
	what       string
}

// contribution is what is valid of what one extension contributes.
type contribution struct {
	member   *Member
	tools    []*BoundTool
	sections []*boundSection
	wraps    []boundWrap
	hooks    []boundHook
}

type boundHook struct {
	Hook
	member *Member
	what   string
}

type boundService struct {
	Service
	member *Member
}

// Extensions lists the members in order.
func (g *Generation) Extensions() []*Member { return slices.Clone(g.members) }

// Replaced lists extensions whose place another of their name took: built-in and MCP
// ones by a world extension, any by one that was installed at run time. They
// contribute nothing to this generation, and are carried on.
func (g *Generation) Replaced() []*Member { return slices.Clone(g.replaced) }

// Installed lists the extensions that were installed at run time, in their order.
func (g *Generation) Installed() []*Member { return slices.Clone(g.installed) }

// Extension finds a member; nil when there is none of that name.
func (g *Generation) Extension(name string) *Member { return g.names[name] }

// Tools lists the tools that can be called, in the order of their extensions. A
// tool that replaced one of the same name has the replaced one's place.
func (g *Generation) Tools() []*BoundTool { return slices.Clone(g.tools) }

// Tool finds a tool; nil when there is none of that name.
func (g *Generation) Tool(name string) *BoundTool { return g.toolBy[name] }

// ToolsOf lists the tools of an extension, also those that another one's hides.
func (g *Generation) ToolsOf(extension string) []*BoundTool {
	if part := g.parts[extension]; part != nil {
		return slices.Clone(part.tools)
	}
	return nil
}

// SectionsOf lists the sections of an extension, also those that another one's hides.
func (g *Generation) SectionsOf(extension string) []Section {
	var list []Section
	if part := g.parts[extension]; part != nil {
		for _, s := range part.sections {
			list = append(list, s.Section)
		}
	}
	return list
}

// Commands lists the commands that can be called, in the order of their
// extensions.
func (g *Generation) Commands() []Owned[Command] { return slices.Clone(g.commands) }

// Command finds a command.
func (g *Generation) Command(name string) (Owned[Command], bool) {
	c, ok := g.cmdBy[name]
	return c, ok
}

// Hooks lists the hooks of a kind, in either spelling, in the order they run.
func (g *Generation) Hooks(kind HookKind) []Owned[Hook] {
	var list []Owned[Hook]
	for _, h := range g.hooks[kind.Canonical()] {
		list = append(list, Owned[Hook]{Extension: h.member.Name(), Value: h.Hook})
	}
	return list
}

// Services lists the services, sorted by id.
func (g *Generation) Services() []Owned[Service] { return slices.Clone(g.services) }

// Service finds a service.
func (g *Generation) Service(id string) (Owned[Service], bool) {
	s, ok := g.svcBy[id]
	if !ok {
		return Owned[Service]{}, false
	}
	return Owned[Service]{Extension: s.member.Name(), Value: s.Service}, true
}

// Shadowed lists what another contribution of the same name hides.
func (g *Generation) Shadowed() []Shadowed { return slices.Clone(g.shadowed) }

// Warnings lists what is wrong with the generation and did not refuse it.
func (g *Generation) Warnings() []Problem { return slices.Concat(g.outside, g.warnings) }

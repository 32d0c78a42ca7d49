package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/seed-d579e5eb/harness/durable"
)

// Generation is what one commit contributes, with the built-in and MCP
// extensions beside it. Its content never changes; its methods may be called
// from any goroutine.
//
// A generation derived at run time (one extension installed over a base) will
// be one more Generation over the same members, which are counted by holder for
// that reason: it needs no copy of an instance and no lock on its base.
type Generation struct {
	commit   string
	limits   Limits
	now      func() time.Time
	report   func(*Failure)
	members  []*Member // in order
	replaced []*Member // built-ins whose place a world extension took
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
	warnings []Problem

	wrapped *schemaCache // of tools that wraps gave

	selecting  sync.Mutex
	selections map[string]*selection // by [AgentChoice.key]

	units  units
	closed sync.Once
	err    error
	onEnd  func(*Generation)
}

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

// Commit is the commit's id; empty for the generation before the first.
func (g *Generation) Commit() string { return g.commit }

// Extensions lists the members in order.
func (g *Generation) Extensions() []*Member { return slices.Clone(g.members) }

// Replaced lists built-in and MCP extensions whose place a world extension
// took. They contribute nothing to this generation, and are carried on.
func (g *Generation) Replaced() []*Member { return slices.Clone(g.replaced) }

// Extension finds a member; nil when there is none of that name.
func (g *Generation) Extension(name string) *Member { return g.names[name] }

// Tools lists the tools that can be called, in the order of their extensions. A
// tool that replaced one of the same name has the replaced one's place.
func (g *Generation) Tools() []*BoundTool { return slices.Clone(g.tools) }

// Tool finds a tool; nil when there is none of that name.
func (g *Generation) Tool(name string) *BoundTool { return g.toolBy[name] }

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
func (g *Generation) Warnings() []Problem { return slices.Clone(g.warnings) }

// Hold makes a unit of work hold the generation until release is called; more
// calls of release do nothing. ok is false, and release nil, when the
// generation has drained.
func (g *Generation) Hold(unit string) (release func(), ok bool) {
	n, ok := g.units.hold(unit, g.now())
	if !ok {
		return nil, false
	}
	return func() { g.units.end(n) }, true
}

// Units lists the units of work that hold the generation, oldest first.
func (g *Generation) Units() []Unit { return g.units.list() }

// Drained is closed when the generation is no longer current (or was dropped
// before it became so) and the last unit of work has ended.
func (g *Generation) Drained() <-chan struct{} { return g.units.drained }

// Open calls OnOpen of each member that has not been opened by an earlier
// generation, in order, after the generation was promoted. It holds the
// generation meanwhile, and does nothing when it has drained already. Failures
// are reported.
func (g *Generation) Open(ctx context.Context) {
	release, ok := g.Hold("onOpen")
	if !ok {
		return
	}
	defer release()
	for _, m := range g.members {
		if err := m.openOnce(ctx, g.limits); err != nil {
			g.report(attributed(m, "onOpen", err))
		}
	}
}

// Drop gives up a generation that was not promoted, so that it drains; the
// caller closes it. On any other generation it does nothing.
func (g *Generation) Drop() { g.units.move(staged, retired) }

// Close waits until the generation has drained and then closes, in reverse
// order, each member that no other generation holds: OnClose, then Shutdown,
// each once and within its limit. Failures are reported and returned joined. An
// error that wraps ctx's says that ctx ended first and nothing was closed; Close
// may then be called again. After the first full Close it returns the same.
func (g *Generation) Close(ctx context.Context) error {
	select {
	case <-g.units.drained:
	default:
		select {
		case <-g.units.drained:
		case <-ctx.Done():
			return fmt.Errorf("close generation %s: %d units of work still hold it: %w", g.commit, len(g.Units()), context.Cause(ctx))
		}
	}
	g.closed.Do(func() {
		g.err = releaseAll(ctx, g.limits, g.report, g.members, g.replaced)
		if g.onEnd != nil {
			g.onEnd(g)
		}
	})
	return g.err
}

// releaseAll releases replaced members and then members, each list from its
// end. A context that ended does not keep instances from being closed; each
// handler still has its limit.
func releaseAll(ctx context.Context, limits Limits, report func(*Failure), members, replaced []*Member) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for _, list := range [][]*Member{replaced, members} {
		for _, m := range slices.Backward(list) {
			for _, err := range m.release(ctx, limits) {
				report(err)
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Generation is what one commit contributes, with the built-in and MCP
// extensions and those installed at run time beside it. Its content never changes;
// its methods may be called from any goroutine.
type Generation struct {
	commit string
	limits Limits
	now    func() time.Time
	report func(*Failure)
	content

	selecting  sync.Mutex
	selections map[string]*selection // by [AgentChoice.key]

	units  units
	closed sync.Once
	err    error
	onEnd  func(*Generation)
}

// Commit is the commit's id; empty for the generation before the first.
func (g *Generation) Commit() string { return g.commit }

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

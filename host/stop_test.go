package host

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
)

// native is an extension in Go with one tool.
type native struct {
	execute  func(ctx context.Context) error
	onClose  func(ctx context.Context) error
	shutdown func(ctx context.Context) error
}

var _ registry.Extension = (*native)(nil)

// Manifest implements [registry.Extension].
func (*native) Manifest() registry.Manifest {
	return registry.Manifest{Name: "native", Source: registry.SourceBuiltin, HookKinds: []registry.HookKind{registry.HookTool}}
}

// Instantiate implements [registry.Extension].
func (n *native) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	instance := &registry.Instance{OnOpen: func(context.Context) error { return nil }, OnClose: n.onClose, Shutdown: n.shutdown}
	if n.execute != nil {
		instance.Tools = []registry.Tool{{
			Name: "native", Description: "a tool", Parameters: []byte(`{"type":"object"}`),
			Execute: func(ctx context.Context, _ *registry.Call) (*registry.Result, error) { return nil, n.execute(ctx) },
		}}
	}
	return instance, nil
}

// closing closes a host and returns what receives the error.
func (h *testHost) closing(ctx context.Context) <-chan error {
	closed := make(chan error, 1)
	go func() { closed <- h.Close(ctx) }()
	return closed
}

func TestCallbacksThatHangAreGivenUpWhenTheTimeForStoppingIsOver(t *testing.T) {
	hang := "await new Promise(() => {});"
	wait := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	for name, hanging := range map[string]struct {
		source string
		native native
	}{
		"onClose":               {source: extensionOf("a", "host.onClose(async () => {"+hang+"}); host.onClose(async () => {"+hang+"});")},
		"dispose":               {source: extensionOf("a", `for (const key of ["a", "b"]) host.resource(key, () => 1, async () => {`+hang+`});`)},
		"shutdown":              {source: `export default { name: "a", async shutdown() {` + hang + `} };`},
		"all of them":           {source: `export default (host: any) => { host.onClose(async () => {` + hang + `}); host.resource("r", () => 1, async () => {` + hang + `}); return { name: "a", async shutdown() {` + hang + `} }; };`},
		"those of Go":           {source: answering("a", "A"), native: native{onClose: wait, shutdown: wait}},
		"a shutdown that spins": {source: `export default { name: "a", shutdown() { for (;;); } };`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := newManualClock()
			w := newWorld(t, files{server("a"): hanging.source})
			h := w.open(inMemory, clock.in, func(o *Options) { o.Extensions = []registry.Extension{&hanging.native} })
			closed := h.closing(t.Context())
			clock.awaited(t, 2*stopGrace)
			clock.advance(2 * stopGrace)
			if err := await(t, "the end", closed); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

func TestCallsEndWithTheHost(t *testing.T) {
	for name, kind := range map[string]struct {
		execute func(context.Context) error
		source  string
		moves   int // how often the clock moves by stopGrace
		left    bool
	}{
		"a tool that listens to its signal": {source: `await new Promise((_: any, no: any) => context.abortSignal.addEventListener("abort", () => no(new Error("stopped"))));`},
		"a tool that does not":              {source: `await new Promise(() => {});`, moves: 1},
		"a tool in Go":                      {execute: func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }},
		"a tool in Go that does not listen": {execute: func(context.Context) error { return nil }, moves: 2, left: true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newManualClock()
			began, free := make(chan struct{}), make(chan struct{})
			defer close(free)
			own := &native{execute: func(ctx context.Context) error {
				close(began)
				if kind.left {
					<-free
				}
				return kind.execute(ctx)
			}}
			w := newWorld(t, files{server("a"): extensionOf("a", "", tool("a", kind.source))})
			h, err := w.tryOpen(inMemory, clock.in, func(o *Options) { o.Extensions = []registry.Extension{own} })
			if err != nil {
				t.Fatal(err)
			}
			called := "a"
			if kind.execute != nil {
				called = "native"
			}
			call := h.background(called) // its caller never gives it up
			h.inFlight(called, 1)
			closed := h.closing(t.Context())
			for move := range kind.moves {
				clock.awaited(t, time.Duration(2-move)*stopGrace) // the last step of stopping
				clock.advance(stopGrace)
			}
			err = await(t, "the end", closed)
			var left *LeftBehindError
			if errors.As(err, &left) != kind.left || !kind.left && err != nil {
				t.Errorf("close: %v", err)
			}
			if !kind.left && !await(t, "the result", call).IsError {
				t.Error("the call succeeded")
			}
			if kind.left {
				contains(t, err.Error(), "tool native")
			}
		})
	}
}

func TestCloseWithAnEndedContextInterruptsAtOnce(t *testing.T) {
	clock := newManualClock()
	w := newWorld(t, files{server("a"): extensionOf("a", "", tool("a", `await new Promise(() => {});`))})
	h := w.open(inMemory, clock.in)
	call := h.background("a")
	h.inFlight("a", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := await(t, "the end", h.closing(ctx)); err != nil {
		t.Errorf("close: %v", err)
	}
	if !await(t, "the result", call).IsError {
		t.Error("the call succeeded")
	}
}

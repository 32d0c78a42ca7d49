package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
	"pgregory.net/rapid"
)

func TestInstancesOpenInOrderAndCloseInReverseOnce(t *testing.T) {
	var log []string
	life := func(e *extension) *extension {
		note := func(what string) func(context.Context) error {
			return func(context.Context) error {
				log = append(log, what+" "+e.manifest.Name)
				if what == "onOpen" && e.manifest.Name == "a" {
					return errors.New("no network")
				}
				return nil
			}
		}
		e.instance.OnOpen, e.instance.OnClose, e.instance.Shutdown = note("onOpen"), note("onClose"), note("shutdown")
		return e
	}
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	g := promote(t, r, "c1", life(world("b", registry.Instance{})), life(builtin("core", 0, registry.Instance{})), life(world("a", registry.Instance{})))
	g.Open(t.Context())
	next := promote(t, r, "c2", life(world("c", registry.Instance{})))
	next.Open(t.Context())
	if err := r.Retire().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"onOpen core", "onOpen a", "onOpen b",
		"onClose b", "shutdown b", "onClose a", "shutdown a",
		"onOpen c",
		"onClose c", "shutdown c", "onClose core", "shutdown core",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if want := []string{"extension a: onOpen: no network"}; !slices.Equal(reported.texts(), want) {
		t.Errorf("reported %q, want %q", reported.texts(), want)
	}
}

func TestAGenerationClosesAfterOnOpenReturned(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	var log []string
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("x", registry.Instance{
		OnOpen:  func(context.Context) error { close(entered); <-leave; log = append(log, "opened"); return nil },
		OnClose: func(context.Context) error { log = append(log, "closed"); return nil },
	}))
	done := make(chan struct{})
	go func() { defer close(done); g.Open(context.Background()) }()
	<-entered
	r.Retire()
	if units := g.Units(); len(units) != 1 || units[0].Name != "onOpen" {
		t.Errorf("units = %+v", units)
	}
	close(leave)
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-done
	if want := []string{"opened", "closed"}; !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
}

func TestAGenerationThatNeverOpenedIsOnlyShutDown(t *testing.T) {
	var log []string
	note := func(what string) func(context.Context) error {
		return func(context.Context) error { log = append(log, what); return nil }
	}
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("x", registry.Instance{OnOpen: note("onOpen"), OnClose: note("onClose"), Shutdown: note("shutdown")}))
	if err := r.Retire().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.Open(t.Context())
	if want := []string{"shutdown"}; !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
}

func TestACloseThatIsCutShortClosesNothing(t *testing.T) {
	closed := false
	r := registry.New(registry.Options{Now: func() time.Time { return time.Unix(1, 0) }})
	promote(t, r, "c1", world("x", registry.Instance{Shutdown: func(context.Context) error { closed = true; return nil }}))
	g, release := r.Acquire("tool slow")
	r.Retire()
	if want := []registry.Unit{{Name: "tool slow", Since: time.Unix(1, 0)}}; !slices.Equal(g.Units(), want) {
		t.Errorf("units = %+v, want %+v", g.Units(), want)
	}
	if want := []*registry.Generation{g}; !slices.Equal(r.Draining(), want) {
		t.Errorf("draining %d generations", len(r.Draining()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := g.Close(ctx)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 units") || closed {
		t.Errorf("close gave %v; closed: %v", err, closed)
	}
	release()
	release()
	if err := g.Close(t.Context()); err != nil || !closed {
		t.Errorf("close gave %v; closed: %v", err, closed)
	}
	if slices.Contains(r.Draining(), g) {
		t.Error("a closed generation is listed as draining")
	}
	if _, ok := g.Hold("late"); ok {
		t.Error("a drained generation can be held")
	}
}

func TestAGenerationIsPromotedOnce(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1")
	if _, err := r.Promote(g); err == nil {
		t.Error("the current generation is promoted again")
	}
	dropped, _ := stage(t, r, "c2").Validate()
	dropped.Drop()
	if _, err := r.Promote(dropped); err == nil || !strings.Contains(err.Error(), "c2") {
		t.Errorf("a dropped generation is promoted: %v", err)
	}
	if r.Current() != g {
		t.Error("a refused promotion changed the current generation")
	}
	g.Drop()
	if _, release := r.Acquire("still there"); release == nil {
		t.Error("the current generation can be dropped")
	} else {
		release()
	}
}

func TestSubscribersHearOfEachPromotionInOrder(t *testing.T) {
	r := registry.New(registry.Options{})
	var heard []string
	hear := func(who string) func(*registry.Generation) {
		return func(g *registry.Generation) { heard = append(heard, who+" "+g.Commit()) }
	}
	cancel := r.Subscribe(hear("a"))
	r.Subscribe(hear("b"))
	promote(t, r, "c1")
	cancel()
	promote(t, r, "c2")
	if want := []string{"a c1", "b c1", "b c2"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

// witness is the instance of one extension in one generation. It notes when it
// is used after it was closed, and how often it is closed.
type witness struct {
	shutdowns atomic.Int64
	misused   atomic.Bool
}

func (w *witness) instance() registry.Instance {
	tool := echo("act")
	tool.Execute = func(context.Context, *registry.Call) (*registry.Result, error) {
		if w.shutdowns.Load() > 0 {
			w.misused.Store(true)
		}
		return nil, nil
	}
	return registry.Instance{Tools: []registry.Tool{tool}, Shutdown: func(context.Context) error {
		w.shutdowns.Add(1)
		return nil
	}}
}

// TestNothingClosesWhileItIsHeld promotes, holds, calls, discards and closes in
// every order that rapid thinks of.
func TestNothingClosesWhileItIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type hold struct {
			*registry.Generation
			release func()
		}
		r := registry.New(registry.Options{})
		ctx := context.Background()
		var holds []hold
		var open []*registry.Generation // replaced or dropped, not closed
		instances := map[*registry.Generation][]*witness{}
		carried := &witness{}
		var all []*witness
		commit := 0

		candidate := func() (*registry.Candidate, []*witness) {
			commit++
			c := r.Stage(fmt.Sprint("c", commit))
			own := []*witness{{}}
			if commit == 1 {
				own = append(own, carried)
				c.Add(builtin("core", 0, registry.Instance{}), ptr(carried.instance()))
			}
			all = append(all, own...)
			c.Add(world("x", registry.Instance{}), ptr(own[0].instance()))
			return c, own
		}
		staged := func() *registry.Generation {
			c, own := candidate()
			g, problems := c.Validate()
			if g == nil {
				t.Fatal(problems)
			}
			instances[g] = append(own, carried)
			return g
		}
		advance := func() {
			previous, err := r.Promote(staged())
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, previous)
		}
		advance()

		t.Repeat(map[string]func(*rapid.T){
			"promote": func(*rapid.T) { advance() },
			"drop": func(*rapid.T) {
				g := staged()
				g.Drop()
				open = append(open, g)
			},
			"discard": func(t *rapid.T) {
				c, own := candidate()
				if err := c.Discard(ctx); err != nil || own[0].shutdowns.Load() != 1 {
					t.Fatalf("discard: %v, shut down %d times", err, own[0].shutdowns.Load())
				}
			},
			"acquire": func(*rapid.T) {
				g, release := r.Acquire("unit")
				holds = append(holds, hold{g, release})
			},
			"call": func(t *rapid.T) {
				if len(holds) == 0 {
					t.Skip("nothing is held")
				}
				h := holds[rapid.IntRange(0, len(holds)-1).Draw(t, "hold")]
				if result := h.CallTool(ctx, registry.Call{Tool: "act"}); result.IsError {
					t.Fatal(result.Text())
				}
			},
			"release": func(t *rapid.T) {
				if len(holds) == 0 {
					t.Skip("nothing is held")
				}
				i := rapid.IntRange(0, len(holds)-1).Draw(t, "hold")
				holds[i].release()
				holds = slices.Delete(holds, i, i+1)
			},
			"close": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip("nothing drains")
				}
				i := rapid.IntRange(0, len(open)-1).Draw(t, "generation")
				g := open[i]
				held := slices.ContainsFunc(holds, func(h hold) bool { return h.Generation == g })
				limited, cancel := context.WithCancel(ctx)
				if held {
					cancel()
				}
				err := g.Close(limited)
				cancel()
				if held != (err != nil) {
					t.Fatalf("held %v, close gave %v", held, err)
				}
				if !held {
					open = slices.Delete(open, i, i+1)
				}
			},
			"": func(t *rapid.T) {
				alive := append([]*registry.Generation{r.Current()}, open...)
				for _, g := range alive {
					for _, w := range instances[g] {
						if w.shutdowns.Load() != 0 {
							t.Fatalf("an instance of %s closed before its generation did", g.Commit())
						}
					}
				}
			},
		})

		for _, h := range holds {
			h.release()
		}
		for _, g := range append(open, r.Retire()) {
			if err := g.Close(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for i, w := range all {
			if n := w.shutdowns.Load(); n != 1 || w.misused.Load() {
				t.Fatalf("instance %d was shut down %d times; used afterwards: %v", i, n, w.misused.Load())
			}
		}
	})
}

func ptr[T any](v T) *T { return &v }

// TestAcquireNeverLosesARaceWithPromotion calls from several goroutines while
// generations come and go, and closes each as soon as it drained.
func TestAcquireNeverLosesARaceWithPromotion(t *testing.T) {
	r := registry.New(registry.Options{})
	var all []*witness
	next := func(commit string) *extension {
		w := &witness{}
		all = append(all, w)
		return world("x", w.instance())
	}
	promote(t, r, "c0", next("c0"))
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if result := r.CallTool(context.Background(), registry.Call{Tool: "act"}); result.IsError {
					t.Error(result.Text())
					return
				}
			}
		})
	}
	for i := range 200 {
		promote(t, r, fmt.Sprint("c", i+1), next("c"))
	}
	close(stop)
	callers.Wait()
	if err := r.Retire().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, w := range all {
		if w.shutdowns.Load() != 1 || w.misused.Load() {
			t.Errorf("generation %d: shut down %d times, used afterwards: %v", i, w.shutdowns.Load(), w.misused.Load())
		}
	}
}

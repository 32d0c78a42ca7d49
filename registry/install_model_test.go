package registry_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
	"pgregory.net/rapid"
)

// lives counts, for each instance that was made, how often it was shut down.
type lives map[string]int

func (l lives) extension(name string, source registry.Source) (instance string, e *extension) {
	instance = fmt.Sprint(name, "#", len(l))
	l[instance] = 0
	made := registry.Instance{
		Tools:    []registry.Tool{says("who_"+name, instance)},
		Shutdown: func(context.Context) error { l[instance]++; return nil },
	}
	e = builtin(name, 0, made)
	if source == registry.SourceWorld {
		e = world(name, made)
	}
	return instance, e
}

// place is one extension of the model.
type place struct {
	name, instance string
	source         registry.Source
}

// TestInstallationsAndCommitsFollowTheirRules holds a registry against lists: what is
// there and in which order, what each call reaches, and that an instance ends once,
// after the last generation that has it.
func TestInstallationsAndCommitsFollowTheirRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, made := registry.New(registry.Options{}), lives{}
		var commit, installed []place // of the current generation
		type held struct {
			generation *registry.Generation
			release    func()
			has        []place
		}
		var holds []held
		var closing []*registry.Generation
		effective := func() []place {
			all := slices.Clone(commit)
			for _, p := range installed {
				if i := slices.IndexFunc(all, func(o place) bool { return o.name == p.name }); i >= 0 {
					all[i] = p
				} else {
					all = append(all, p)
				}
			}
			return all
		}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		source := rapid.SampledFrom([]registry.Source{registry.SourceBuiltin, registry.SourceWorld})
		closeDrained := func() {
			closing = slices.DeleteFunc(closing, func(g *registry.Generation) bool {
				select {
				case <-g.Drained():
					if err := g.Close(context.Background()); err != nil {
						t.Fatal(err)
					}
					return true
				default:
					return false
				}
			})
		}
		t.Repeat(map[string]func(*rapid.T){
			"install": func(t *rapid.T) {
				p := place{name: name.Draw(t, "name"), source: source.Draw(t, "source")}
				var e *extension
				p.instance, e = made.extension(p.name, p.source)
				previous, err := r.Install(e, &e.instance)
				if err != nil {
					t.Fatal(err)
				}
				closing = append(closing, previous)
				if i := slices.IndexFunc(installed, func(o place) bool { return o.name == p.name }); i >= 0 {
					installed = slices.Clone(installed)
					installed[i] = p
				} else {
					installed = append(slices.Clip(installed), p)
				}
			},
			"uninstall": func(t *rapid.T) {
				n := name.Draw(t, "name")
				i := slices.IndexFunc(installed, func(o place) bool { return o.name == n })
				previous, err := r.Uninstall(n)
				if (err == nil) != (i >= 0) {
					t.Fatalf("uninstall %s: %v", n, err)
				}
				if err == nil {
					closing = append(closing, previous)
					installed = slices.Delete(slices.Clone(installed), i, i+1)
				}
			},
			"commit": func(t *rapid.T) {
				c := r.Stage("c")
				var next []place
				for _, n := range rapid.SliceOfDistinct(name, rapid.ID).Draw(t, "names") {
					p := place{name: n, source: registry.SourceWorld}
					var e *extension
					p.instance, e = made.extension(n, p.source)
					c.Add(e, &e.instance)
					next = append(next, p)
				}
				if rapid.Bool().Draw(t, "refused") {
					c.Problem(registry.Problem{Message: "refused"})
					if g, _ := c.Validate(); g != nil {
						t.Fatal("the commit is good")
					}
					_ = c.Discard(context.Background())
					return
				}
				g, problems := c.Validate()
				if g == nil {
					t.Fatal(problems)
				}
				previous, err := r.Promote(g)
				if err != nil {
					t.Fatal(err)
				}
				closing = append(closing, previous)
				slices.SortFunc(next, func(a, b place) int { return int(a.name[0]) - int(b.name[0]) })
				commit = next
				installed = slices.DeleteFunc(slices.Clone(installed), func(p place) bool { return p.source == registry.SourceWorld })
			},
			"hold": func(*rapid.T) {
				g, release := r.Acquire("work")
				holds = append(holds, held{g, release, effective()})
			},
			"release": func(t *rapid.T) {
				if len(holds) == 0 {
					t.Skip("nothing is held")
				}
				i := rapid.IntRange(0, len(holds)-1).Draw(t, "hold")
				holds[i].release()
				holds = slices.Delete(holds, i, i+1)
			},
			"": func(t *rapid.T) {
				closeDrained()
				alive := map[string]bool{}
				check := func(g *registry.Generation, has []place) {
					if len(g.Extensions()) != len(has) {
						t.Fatalf("extensions %v, want %v", names(g.Extensions()), has)
					}
					for i, m := range g.Extensions() {
						alive[has[i].instance] = true
						result := g.CallTool(context.Background(), registry.Call{ID: "1", Tool: "who_" + m.Name()})
						if m.Name() != has[i].name || result.Text() != has[i].instance {
							t.Fatalf("at %d there is %s, want %+v", i, result.Text(), has[i])
						}
					}
				}
				check(r.Current(), effective())
				for _, p := range commit {
					alive[p.instance] = true // what an installed one replaces comes back
				}
				for _, h := range holds {
					check(h.generation, h.has)
				}
				for instance, ended := range made {
					if ended > 1 || ended == 1 && alive[instance] {
						t.Fatalf("%s was shut down %d times; needed: %v", instance, ended, alive[instance])
					}
				}
			},
		})
		for _, h := range holds {
			h.release()
		}
		closing = append(closing, r.Retire())
		closeDrained()
		for instance, ended := range made {
			if ended != 1 {
				t.Fatalf("at the end %s was shut down %d times", instance, ended)
			}
		}
	})
}

package registry

import (
	"cmp"
	"context"
	"slices"
)

// Candidate is what a commit loaded into, before it is validated. It belongs to
// one goroutine, which calls [Candidate.Discard] in the end. Instances added to
// it are its own until [Candidate.Validate] gives a generation.
type Candidate struct {
	registry *Registry
	commit   string
	carried  []*Member // of the base, which holds them
	added    []*Member // the candidate's own, in the order they were added
	problems []Problem
	release  func() // of the base
	settled  bool   // a generation has the members, or they were shut down
}

// Stage begins a candidate for a commit. It carries the built-in and MCP
// extensions of the current generation, and holds that until it is settled. What was
// installed at run time is none of a candidate's: see [Registry.Promote].
func (r *Registry) Stage(commit string) *Candidate {
	base, release := r.Acquire("load " + commit)
	c := &Candidate{registry: r, commit: commit, release: release}
	for _, m := range base.commitMembers.all() {
		if m.manifest.Source != SourceWorld {
			c.carried = append(c.carried, m)
		}
	}
	return c
}

// Commit is the commit the candidate was staged for.
func (c *Candidate) Commit() string { return c.commit }

// Add adds an extension with its global instance; nil stands for an empty one.
// A built-in or MCP extension takes the place of a carried one of its name and
// source.
func (c *Candidate) Add(extension Extension, instance *Instance) {
	c.add(newMember(extension, instance, nil))
}

// AddFailed adds an extension that could not be instantiated. It is listed and
// contributes nothing; a world extension refuses the commit.
func (c *Candidate) AddFailed(extension Extension, err error) {
	c.add(newMember(extension, nil, err))
}

func (c *Candidate) add(m *Member) {
	c.Remove(m.Name(), m.manifest.Source)
	c.added = append(c.added, m)
}

// Remove takes out the carried extension of a name and source, such as the one
// of an MCP server that is configured no longer. It reports whether there was
// one.
func (c *Candidate) Remove(name string, source Source) bool {
	before := len(c.carried)
	c.carried = slices.DeleteFunc(c.carried, func(m *Member) bool {
		return m.Name() == name && m.manifest.Source == source
	})
	return len(c.carried) < before
}

// Members lists the members so far: the carried ones, then those added, in the
// order in which they were added.
func (c *Candidate) Members() []*Member { return slices.Concat(c.carried, c.added) }

// Provides reports whether a member so far implements the service. Members that
// a later one replaces count.
func (c *Candidate) Provides(service string) bool {
	return slices.ContainsFunc(c.Members(), func(m *Member) bool {
		return slices.ContainsFunc(m.instance.Services, func(s Service) bool { return s.ID == service })
	})
}

// Problem adds a problem that was found outside this package, such as an import
// that does not resolve. Unless it is a warning it refuses the commit.
func (c *Candidate) Problem(p Problem) { c.problems = append(c.problems, p) }

// Validate checks the commit whole. Without an error among the problems it gives
// the generation, which has the members from now on and the problems as its
// warnings; the candidate is settled. With one there is no generation, and the
// problems are all that were found, those of [Candidate.Problem] first, then by
// extension in order. A settled candidate has no generation to give and says so
// in a problem.
func (c *Candidate) Validate() (*Generation, []Problem) {
	if c.settled {
		return nil, []Problem{{Message: "the candidate of commit " + c.commit + " is settled", Hint: "stage the commit again", Severity: SeverityError}}
	}
	v := &validation{registry: c.registry, commit: c.commit}
	g := v.build(c.arrange())
	problems := slices.Concat(c.problems, v.problems)
	if slices.ContainsFunc(problems, Problem.Fatal) {
		return nil, problems
	}
	g.commitMembers, g.outside, g.warnings = g.arrangement, slices.Clone(c.problems), v.problems
	for _, m := range c.carried {
		m.refs.Add(1)
	}
	c.settle()
	return g, problems
}

// Discard gives up the candidate: each instance added to it is shut down, in
// reverse order. On a settled candidate it does nothing. Failures are reported
// and returned joined.
func (c *Candidate) Discard(ctx context.Context) error {
	if c.settled {
		return nil
	}
	c.settle()
	c.registry.schemas.keep(c.registry.Current())
	return releaseAll(ctx, c.registry.limits, c.registry.report, c.added, nil)
}

func (c *Candidate) settle() {
	c.settled = true
	c.release()
}

// arrange puts the members in order and separates those whose place a world
// extension takes.
func (c *Candidate) arrange() (arranged arrangement) {
	type place struct {
		*Member
		source Source
		order  float64
	}
	members := c.Members()
	world := map[string]*Member{}
	for _, m := range members {
		if m.manifest.Source == SourceWorld && world[m.Name()] == nil {
			world[m.Name()] = m
		}
	}
	places := make([]place, 0, len(members))
	taken := map[*Member]place{}
	for _, m := range members {
		p := place{m, m.manifest.Source, m.manifest.Order}
		if by := world[m.Name()]; by != nil && m != by && m.manifest.Source != SourceWorld {
			arranged.replaced = append(arranged.replaced, m)
			if earlier, ok := taken[by]; !ok || p.source < earlier.source {
				taken[by] = place{by, p.source, p.order}
			}
			continue
		}
		places = append(places, p)
	}
	for i, p := range places {
		if at, ok := taken[p.Member]; ok {
			places[i] = at
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.order, b.order), cmp.Compare(a.Name(), b.Name()))
	})
	for _, p := range places {
		arranged.members = append(arranged.members, p.Member)
	}
	return arranged
}

package registry

import (
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
)

// AgentChoice is what an agent is resolved from. The zero value is all extensions
// and all their tools.
type AgentChoice struct {
	// State is what was chosen for the conversation.
	State durable.AgentState
	// Base are the extensions that take part where State does not choose, in this
	// order; all that are installed when nil.
	Base []string
}

// key identifies what the choice selects.
func (c AgentChoice) key() string {
	if c.Base == nil && c.State.Extensions == nil && c.State.Tools == nil {
		return ""
	}
	base := "all"
	if c.Base != nil {
		base = fmt.Sprintf("%q", c.Base)
	}
	return base + selectionKey(c.State.Extensions) + selectionKey(c.State.Tools)
}

func selectionKey(s *durable.Selection) string {
	switch {
	case s == nil:
		return ";"
	case s.Exactly != nil:
		return fmt.Sprintf(";=%q", s.Exactly)
	}
	return fmt.Sprintf(";+%q-%q", s.Add, s.Remove)
}

// extensions gives the names that are selected, which need not be installed, each
// once.
func (c AgentChoice) extensions(installed []string) []string {
	names := installed
	if c.Base != nil {
		names = c.Base
	}
	if chosen := c.State.Extensions; chosen != nil {
		if chosen.Exactly != nil {
			names = chosen.Exactly
		} else {
			names = slices.DeleteFunc(slices.Concat(names, chosen.Add), func(name string) bool {
				return slices.Contains(chosen.Remove, name)
			})
		}
	}
	return once(names)
}

// tools filters the tools that the selected extensions have.
func (c AgentChoice) tools(all []*BoundTool) []*BoundTool {
	chosen := c.State.Tools
	switch {
	case chosen == nil:
		return all
	case chosen.Exactly == nil:
		return slices.DeleteFunc(slices.Clone(all), func(t *BoundTool) bool { return slices.Contains(chosen.Remove, t.Name) })
	}
	var kept []*BoundTool
	for _, name := range once(chosen.Exactly) {
		if i := toolIndex(all, name); i >= 0 {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// once leaves out the repetitions of names.
func once(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		repeated := seen[name]
		seen[name] = true
		return repeated
	})
}

func toolIndex(list []*BoundTool, name string) int {
	return slices.IndexFunc(list, func(t *BoundTool) bool { return t.Name == name })
}

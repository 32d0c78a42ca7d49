package registry

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
)

var (
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	toolPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

// validation is one run over the members of a generation to be, in order. It gathers
// the problems and fills the generation's indices as it goes.
type validation struct {
	registry   *Registry
	commit     string
	generation *Generation
	part       *contribution // of the member at hand
	problems   []Problem
	tasks      map[string]string // task name to extension
}

// build validates and indexes. The generation is of use only when no problem is
// fatal.
func (v *validation) build(members arrangement) *Generation {
	g := v.registry.newGeneration(v.commit)
	v.generation, v.tasks = g, map[string]string{}
	g.arrangement = members
	for _, m := range g.members {
		if other := g.names[m.Name()]; other != nil {
			v.fail(m, m.manifest.Where, RuleDuplicateExtension,
				fmt.Sprintf("there are two extensions of the name %q", m.Name()), "rename one of them")
			continue
		}
		v.part = &contribution{member: m}
		g.names[m.Name()], g.parts[m.Name()] = m, v.part
		v.member(m)
	}
	for _, m := range g.replaced {
		g.shadowed = append(g.shadowed, Shadowed{Kind: "extension", Name: m.Name(), Loser: m.manifest.Source.String(), By: g.names[m.Name()].manifest.Source.String()})
	}
	v.needs()
	v.capabilities()
	v.sort()
	for _, id := range slices.Sorted(maps.Keys(g.svcBy)) {
		s := g.svcBy[id]
		g.services = append(g.services, Owned[Service]{Extension: s.member.Name(), Value: s.Service})
	}
	return g
}

// sort puts what was found here into the order of the extensions.
func (v *validation) sort() {
	at := make(map[string]int, len(v.generation.members))
	for i, m := range v.generation.members {
		at[m.Name()] = i
	}
	slices.SortStableFunc(v.problems, func(a, b Problem) int {
		return cmp.Compare(at[a.Extension], at[b.Extension])
	})
}

// fail adds an error. An MCP server is not the author's to change, so what is
// wrong with it is a warning, and is left out of the generation.
func (v *validation) fail(m *Member, where Position, rule Rule, message, hint string) {
	severity := SeverityError
	if m.manifest.Source == SourceMCP {
		severity = SeverityWarning
	}
	v.add(m, where, severity, rule, message, hint)
}

func (v *validation) warn(m *Member, where Position, rule Rule, message, hint string) {
	v.add(m, where, SeverityWarning, rule, message, hint)
}

func (v *validation) add(m *Member, where Position, severity Severity, rule Rule, message, hint string) {
	v.problems = append(v.problems, Problem{
		Extension: m.Name(), Position: where.or(m.manifest.Where),
		Message: message, Hint: hint, Severity: severity, Rule: rule,
	})
}

func (v *validation) member(m *Member) {
	v.manifest(m)
	if m.err != nil {
		message := "could not be instantiated: " + m.err.Error()
		if m.manifest.Source == SourceWorld {
			v.fail(m, Position{}, RuleFailedExtension, message, "")
		} else {
			v.warn(m, Position{}, RuleFailedExtension, message, "")
		}
		return
	}
	v.toolsOf(m)
	v.sections(m)
	v.wraps(m)
	v.tasksOf(m)
	v.commandsOf(m)
	v.hooksOf(m)
	v.servicesOf(m)
}

func (v *validation) manifest(m *Member) {
	man := m.manifest
	if !namePattern.MatchString(man.Name) {
		v.fail(m, man.Where, RuleExtensionName, fmt.Sprintf("the name %q is not valid", man.Name),
			"a name is a lower-case letter, then lower-case letters, digits, _ and -")
	}
	if math.IsNaN(man.Order) || math.IsInf(man.Order, 0) {
		v.fail(m, man.Where, RuleOrder, fmt.Sprintf("order is %v", man.Order), "order is a finite number")
	}
	if man.Ref != (ExtensionRef{}) {
		if err := man.Ref.validate(); err != nil {
			v.fail(m, man.Where, RuleRef, err.Error(), "")
		}
	}
	if man.API < 0 || man.API > APIVersion {
		v.fail(m, man.Where, RuleAPIVersion, fmt.Sprintf("is written for version %d of the extension API, and this harness has version %d", man.API, APIVersion),
			"update the harness, or the extension")
	}
	for i, s := range man.Scopes {
		if !s.known() {
			v.fail(m, man.Where, RuleScope, fmt.Sprintf("unknown scope %q", s), "scopes are global, agent and session")
		} else if slices.Contains(man.Scopes[:i], s) {
			v.fail(m, man.Where, RuleScope, fmt.Sprintf("the scope %q is declared twice", s), "")
		}
	}
	v.capabilityLists(m)
	v.hookKinds(m)
	if man.Settings != nil {
		if _, err := v.registry.schemas.object(man.Settings); err != nil {
			v.fail(m, man.Where, RuleSettingsSchema, "the settings schema is not valid: "+err.Error(), "settings is a JSON Schema of an object")
		}
	}
}

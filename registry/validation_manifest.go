package registry

import (
	"fmt"
	"slices"
)

func (v *validation) capabilityLists(m *Member) {
	man := m.manifest
	for i, key := range man.Provides {
		switch {
		case key == "":
			v.fail(m, man.Where, RuleCapability, "provides has an empty capability", "")
		case key.HostOnly():
			v.fail(m, man.Where, RuleCapability, fmt.Sprintf("provides %q, which only the host provides", key), "ask for it in requires or requests")
		case slices.Contains(man.Provides[:i], key):
			v.fail(m, man.Where, RuleCapability, fmt.Sprintf("provides %q twice", key), "")
		}
	}
	v.requestList(m, "requires", man.Requires, nil)
	v.requestList(m, "requests", man.Requests, man.Requires)
}

func (v *validation) requestList(m *Member, list string, requests, other []CapabilityRequest) {
	where := m.manifest.Where
	for i, r := range requests {
		switch {
		case r.Kind == "":
			v.fail(m, where, RuleCapability, list+" has a capability without a kind", "")
		case r.Kind.HostOnly() && r.Provider != "":
			v.fail(m, where, RuleCapability, fmt.Sprintf("%s %q of the provider %q, but only the host provides it", list, r.Kind, r.Provider), "leave provider out")
		case r.Agents != nil && r.Kind != CapabilityAgentStateAdmin:
			v.fail(m, where, RuleCapability, fmt.Sprintf("%s %q with a list of agents", list, r.Kind), "agents belongs to agent_state_admin")
		case slices.ContainsFunc(requests[:i], r.equal):
			v.fail(m, where, RuleCapability, fmt.Sprintf("%s %q twice", list, r.Kind), "")
		case slices.ContainsFunc(other, r.equal):
			v.fail(m, where, RuleCapability, fmt.Sprintf("both requires and requests %q", r.Kind), "keep the one that is meant")
		}
	}
}

// capabilities checks that somebody provides what is required.
func (v *validation) capabilities() {
	for _, m := range v.generation.members {
		for _, r := range m.manifest.Requires {
			if r.Kind == "" || r.Kind.HostOnly() || v.provided(r) {
				continue
			}
			what := fmt.Sprintf("requires the capability %q, which no extension provides", r.Kind)
			if r.Provider != "" {
				what = fmt.Sprintf("requires the capability %q of the extension %q, which does not provide it", r.Kind, r.Provider)
			}
			v.fail(m, Position{}, RuleUnsatisfied, what, "add a provider, or ask for it in requests")
		}
	}
}

func (v *validation) provided(r CapabilityRequest) bool {
	return slices.ContainsFunc(v.generation.members, func(m *Member) bool {
		return m.err == nil && (r.Provider == "" || r.Provider == m.Name()) && slices.Contains(m.manifest.Provides, r.Kind)
	})
}

// hookKinds checks the declared kinds by themselves.
func (v *validation) hookKinds(m *Member) {
	man := m.manifest
	for i, kind := range man.HookKinds {
		if !kind.Canonical().known() {
			v.fail(m, man.Where, RuleHookKind, fmt.Sprintf("unknown hook kind %q", kind), "see hookKinds for those there are")
			continue
		}
		if slices.ContainsFunc(man.HookKinds[:i], func(o HookKind) bool { return o.Canonical() == kind.Canonical() }) {
			v.fail(m, man.Where, RuleHookKind, fmt.Sprintf("the hook kind %q is declared twice", kind.Canonical()), "")
		}
	}
}

// hooksOf checks an instance's handlers against the declared kinds, and indexes
// them.
func (v *validation) hooksOf(m *Member) {
	var kinds []HookKind
	for _, h := range m.instance.Hooks {
		kind := h.Kind.Canonical()
		if !kind.known() || kind == HookTool || kind == HookCommand {
			v.fail(m, h.Where, RuleHookKind, fmt.Sprintf("unknown hook kind %q", h.Kind), "see hookKinds for those there are")
			continue
		}
		if h.Kind = kind; !h.whole() {
			v.fail(m, h.Where, RuleMissingHandler, fmt.Sprintf("the hook %q has no function", kind), "")
			continue
		}
		kinds = append(kinds, kind)
		bound := boundHook{h, m, "hook " + string(kind)}
		v.part.hooks = append(v.part.hooks, bound)
		v.generation.hooks[kind] = append(v.generation.hooks[kind], bound)
	}
	if len(m.instance.Tools) > 0 {
		kinds = append(kinds, HookTool)
	}
	if len(m.instance.Commands) > 0 {
		kinds = append(kinds, HookCommand)
	}
	if !m.manifest.Derived {
		v.declared(m, kinds)
	}
}

// declared compares the kinds that an instance has with those its manifest
// declares.
func (v *validation) declared(m *Member, kinds []HookKind) {
	declared := make([]HookKind, len(m.manifest.HookKinds))
	for i, kind := range m.manifest.HookKinds {
		declared[i] = kind.Canonical()
	}
	for i, kind := range kinds {
		if !slices.Contains(declared, kind) && !slices.Contains(kinds[:i], kind) {
			v.fail(m, Position{}, RuleUndeclaredHook, fmt.Sprintf("has the hook kind %q, which its manifest does not declare", kind), "add it to the manifest's hook kinds")
		}
	}
	for _, kind := range declared {
		if kind.known() && !slices.Contains(kinds, kind) {
			v.warn(m, Position{}, RuleMissingHandler, fmt.Sprintf("declares the hook kind %q and has no handler of it", kind), "add a handler, or take the kind out of the manifest")
		}
	}
}

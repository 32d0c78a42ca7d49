package registry

import (
	"fmt"
	"slices"
)

func (v *validation) toolsOf(m *Member) {
	seen := map[string]bool{}
	for _, t := range m.instance.Tools {
		if seen[t.Name] {
			v.fail(m, t.Where, RuleDuplicateTool, fmt.Sprintf("has two tools of the name %q", t.Name), "rename one of them")
			continue
		}
		seen[t.Name] = true
		if bound, ok := v.tool(m, t); ok {
			v.offer(bound)
		}
	}
}

// tool checks one tool and compiles its schema.
func (v *validation) tool(m *Member, t Tool) (*BoundTool, bool) {
	before := len(v.problems)
	if !toolPattern.MatchString(t.Name) {
		v.fail(m, t.Where, RuleToolName, fmt.Sprintf("the tool name %q is not valid", t.Name), "a name is 1 to 64 letters, digits, _ and -")
	}
	if t.Execute == nil {
		v.fail(m, t.Where, RuleTool, fmt.Sprintf("the tool %q has no execute function", t.Name), "")
	}
	if t.Replay != ReplayUnsafe && t.Replay != ReplaySafe {
		v.fail(m, t.Where, RuleTool, fmt.Sprintf("the tool %q has the unknown replay policy %q", t.Name, t.Replay), `replay is "safe" or left out`)
	}
	if t.ExecutionMode != ExecutionParallel && t.ExecutionMode != ExecutionSequential {
		v.fail(m, t.Where, RuleTool, fmt.Sprintf("the tool %q has the unknown execution mode %q", t.Name, t.ExecutionMode), `executionMode is "sequential" or left out`)
	}
	if t.Timeout < 0 {
		v.fail(m, t.Where, RuleTool, fmt.Sprintf("the tool %q has a negative timeout", t.Name), "leave it out for none")
	}
	schema, err := v.candidate.registry.schemas.object(t.Parameters)
	if err != nil {
		v.fail(m, t.Where, RuleToolSchema, fmt.Sprintf("the tool %q has invalid parameters: %v", t.Name, err), "parameters is a JSON Schema of an object")
	}
	if len(v.problems) > before {
		return nil, false
	}
	return &BoundTool{Tool: t, Extension: m.Name(), member: m, schema: schema, what: "tool " + t.Name}, true
}

// offer indexes a tool: a later one of the same name takes the earlier one's
// place.
func (v *validation) offer(t *BoundTool) {
	g := v.generation
	if earlier := g.toolBy[t.Name]; earlier != nil {
		g.tools[slices.Index(g.tools, earlier)] = t
		g.shadowed = append(g.shadowed, Shadowed{Kind: "tool", Name: t.Name, Loser: earlier.Extension, By: t.Extension})
	} else {
		g.tools = append(g.tools, t)
	}
	g.toolBy[t.Name] = t
}

func (v *validation) sections(m *Member) {
	seen := map[string]bool{}
	for _, s := range m.instance.Sections {
		switch {
		case s.Key == reservedSection:
			v.fail(m, s.Where, RuleSectionKey, fmt.Sprintf("the section key %q is reserved", s.Key), "choose another key")
		case !namePattern.MatchString(s.Key):
			v.fail(m, s.Where, RuleSectionKey, fmt.Sprintf("the section key %q is not valid", s.Key), "a key is a lower-case letter, then lower-case letters, digits, _ and -")
		case seen[s.Key]:
			v.fail(m, s.Where, RuleDuplicateSection, fmt.Sprintf("has two sections of the key %q", s.Key), "rename one of them")
		}
		seen[s.Key] = true
	}
}

func (v *validation) wraps(m *Member) {
	for _, w := range m.instance.Wraps {
		if (w.Tool == "") == (w.Section == "") {
			v.fail(m, w.Where, RuleWrap, "has a wrap that does not name one tool or one section", "use wrapTool or wrapSection with a name")
		}
	}
}

func (v *validation) tasksOf(m *Member) {
	for _, t := range m.instance.Tasks {
		if t.Name == "" {
			v.fail(m, t.Where, RuleTaskName, "has a task without a name", "")
			continue
		}
		if t.Version < 1 {
			v.fail(m, t.Where, RuleTaskName, fmt.Sprintf("the task %q has version %d", t.Name, t.Version), "a version is a whole number from 1")
		}
		if owner, taken := v.tasks[t.Name]; taken {
			message := fmt.Sprintf("the task name %q is also that of a task of the extension %q", t.Name, owner)
			if owner == m.Name() {
				message = fmt.Sprintf("has two tasks of the name %q", t.Name)
			}
			v.fail(m, t.Where, RuleDuplicateTask, message, "task names are unique over all extensions; rename one of them")
			continue
		}
		v.tasks[t.Name] = m.Name()
	}
}

func (v *validation) commandsOf(m *Member) {
	g := v.generation
	seen := map[string]bool{}
	for _, c := range m.instance.Commands {
		switch {
		case !namePattern.MatchString(c.Name):
			v.fail(m, c.Where, RuleCommandName, fmt.Sprintf("the command name %q is not valid", c.Name), "a name is a lower-case letter, then lower-case letters, digits, _ and -, without the slash")
		case v.candidate.registry.reserved[c.Name]:
			v.fail(m, c.Where, RuleReservedCommand, fmt.Sprintf("the command name %q is reserved", c.Name), "it is a command of the harness itself; choose another name")
		case seen[c.Name]:
			v.fail(m, c.Where, RuleDuplicateCommand, fmt.Sprintf("has two commands of the name %q", c.Name), "rename one of them")
		default:
			if first, taken := g.cmdBy[c.Name]; taken {
				g.shadowed = append(g.shadowed, Shadowed{Kind: "command", Name: c.Name, Loser: m.Name(), By: first.Extension})
				break
			}
			g.cmdBy[c.Name] = Owned[Command]{m.Name(), c}
			g.commands = append(g.commands, g.cmdBy[c.Name])
		}
		seen[c.Name] = true
	}
}

func (v *validation) servicesOf(m *Member) {
	g := v.generation
	for _, s := range m.instance.Services {
		if s.ID == "" {
			v.fail(m, s.Where, RuleServiceID, "implements a service without an id", "")
			continue
		}
		if s.Call == nil {
			v.fail(m, s.Where, RuleServiceID, fmt.Sprintf("implements the service %q without a function", s.ID), "")
			continue
		}
		if other, taken := g.svcBy[s.ID]; taken {
			message := fmt.Sprintf("implements the service %q, which the extension %q implements too", s.ID, other.member.Name())
			if other.member == m {
				message = fmt.Sprintf("implements the service %q twice", s.ID)
			}
			v.fail(m, s.Where, RuleDuplicateService, message, "a service has one provider; remove one of them")
			continue
		}
		g.svcBy[s.ID] = boundService{s, m}
	}
}

// needs checks that somebody implements each service that is needed.
func (v *validation) needs() {
	for _, m := range v.generation.members {
		seen := map[string]bool{}
		for _, n := range m.instance.Needs {
			if _, ok := v.generation.svcBy[n.Service]; ok || seen[n.Service] {
				continue
			}
			seen[n.Service] = true
			v.fail(m, n.Where, RuleUnprovidedService, fmt.Sprintf("needs the service %q, which nobody implements", n.Service),
				"implement it in an extension of this commit, or use want, which may be undefined")
		}
	}
}

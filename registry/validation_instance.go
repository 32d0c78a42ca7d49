package registry

import (
	"fmt"
	"slices"
	"strings"
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
			v.part.tools = append(v.part.tools, bound)
			v.offer(bound)
		}
	}
}

// defect is what is wrong with a declaration.
type defect struct {
	rule          Rule
	message, hint string
}

// tool checks one tool and compiles its schemas.
func (v *validation) tool(m *Member, t Tool) (*BoundTool, bool) {
	bound, defects := bindTool(&v.registry.schemas, m, t)
	for _, f := range defects {
		v.fail(m, t.Where, f.rule, f.message, f.hint)
	}
	return bound, len(defects) == 0
}

// bindTool checks a tool of m and compiles its schemas. The tool is of use only
// without flaws.
func bindTool(schemas *schemaCache, m *Member, t Tool) (bound *BoundTool, defects []defect) {
	bad := func(rule Rule, hint, format string, args ...any) {
		defects = append(defects, defect{rule, fmt.Sprintf(format, args...), hint})
	}
	if !toolPattern.MatchString(t.Name) {
		bad(RuleToolName, "a name is 1 to 64 letters, digits, _ and -", "the tool name %q is not valid", t.Name)
	}
	if t.Execute == nil {
		bad(RuleTool, "", "the tool %q has no execute function", t.Name)
	}
	if t.Replay != ReplayUnsafe && t.Replay != ReplaySafe {
		bad(RuleTool, `replay is "safe" or left out`, "the tool %q has the unknown replay policy %q", t.Name, t.Replay)
	}
	if t.ExecutionMode != ExecutionParallel && t.ExecutionMode != ExecutionSequential {
		bad(RuleTool, `executionMode is "sequential" or left out`, "the tool %q has the unknown execution mode %q", t.Name, t.ExecutionMode)
	}
	if t.Timeout < 0 {
		bad(RuleTool, "leave it out for none", "the tool %q has a negative timeout", t.Name)
	}
	for _, who := range t.Callers {
		if who != CallerModel && who != CallerTool {
			bad(RuleTool, `callers are "model" and "tool"`, "the tool %q has the unknown caller %q", t.Name, who)
		}
	}
	if t.OutputLimits.MaxBytes < 0 || t.OutputLimits.MaxLines < 0 {
		bad(RuleTool, "leave a limit out for its default", "the tool %q has a negative output limit", t.Name)
	}
	if retain := t.OutputLimits.Retain; retain != RetainHead && retain != RetainTail {
		bad(RuleTool, `retain is "tail" or left out`, "the tool %q retains an unknown part of its output, %q", t.Name, retain)
	}
	bound = &BoundTool{Tool: t, Extension: m.Name(), member: m, what: "tool " + t.Name}
	var err error
	if bound.schema, err = schemas.object(t.Parameters); err != nil {
		bad(RuleToolSchema, "parameters is a JSON Schema of an object", "the tool %q has invalid parameters: %v", t.Name, err)
	}
	if t.StructuredOutput != nil {
		if bound.structured, err = schemas.compile(t.StructuredOutput); err != nil {
			bad(RuleToolSchema, "structuredOutput is a JSON Schema", "the tool %q has an invalid schema of its structured output: %v", t.Name, err)
		}
	}
	return bound, defects
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
		case s.Key == instructions:
			v.fail(m, s.Where, RuleSectionKey, fmt.Sprintf("the section key %q is reserved", s.Key), "choose another key")
		case !namePattern.MatchString(s.Key):
			v.fail(m, s.Where, RuleSectionKey, fmt.Sprintf("the section key %q is not valid", s.Key), "a key is a lower-case letter, then lower-case letters, digits, _ and -")
		case seen[s.Key]:
			v.fail(m, s.Where, RuleDuplicateSection, fmt.Sprintf("has two sections of the key %q", s.Key), "rename one of them")
		case s.Render == nil:
			v.fail(m, s.Where, RuleSection, fmt.Sprintf("the section %q has no render function", s.Key), "")
		default:
			v.part.sections = append(v.part.sections, &boundSection{Section: s, extension: m.Name(), member: m, what: "section " + s.Key})
		}
		seen[s.Key] = true
	}
}

func (v *validation) wraps(m *Member) {
	for _, w := range m.instance.Wraps {
		if (w.Tool == "") == (w.Section == "") {
			v.fail(m, w.Where, RuleWrap, "has a wrap that does not name one tool or one section", "use wrapTool or wrapSection with a name")
			continue
		}
		what, given := "wrap of tool "+w.Tool, w.WrapTool != nil
		if w.Section != "" {
			what, given = "wrap of section "+w.Section, w.WrapSection != nil
		}
		if !given {
			v.fail(m, w.Where, RuleWrap, "the "+what+" has no function", "")
			continue
		}
		v.part.wraps = append(v.part.wraps, boundWrap{w, m, what})
	}
}

func (v *validation) tasksOf(m *Member) {
	g := v.generation
	for _, t := range m.instance.Tasks {
		if err := t.Definition.Check(); err != nil {
			v.fail(m, t.Where, RuleTask, "has a task that cannot run: "+err.Error(), "")
			continue
		}
		name := t.Definition.Name
		if strings.HasPrefix(name, enginePrefix) {
			v.fail(m, t.Where, RuleDuplicateTask, fmt.Sprintf("the task name %q is reserved", name), `names that begin with "pi." are the engine's; choose another name`)
			continue
		}
		if owner, taken := v.tasks[name]; taken {
			message := fmt.Sprintf("the task name %q is also that of a task of the extension %q", name, owner)
			if owner == m.Name() {
				message = fmt.Sprintf("has two tasks of the name %q", name)
			}
			v.fail(m, t.Where, RuleDuplicateTask, message, "task names are unique over all extensions; rename one of them")
			continue
		}
		v.tasks[name] = m.Name()
		g.tasks, g.taskBy[name] = append(g.tasks, t.Definition), t.Definition
	}
}

func (v *validation) commandsOf(m *Member) {
	g := v.generation
	seen := map[string]bool{}
	for _, c := range m.instance.Commands {
		switch {
		case !namePattern.MatchString(c.Name):
			v.fail(m, c.Where, RuleCommandName, fmt.Sprintf("the command name %q is not valid", c.Name), "a name is a lower-case letter, then lower-case letters, digits, _ and -, without the slash")
		case v.registry.reserved[c.Name]:
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

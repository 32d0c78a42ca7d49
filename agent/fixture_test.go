package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// extension is a declaration in Go whose instance contributes what it holds.
type extension struct {
	name     string
	instance registry.Instance
}

var _ registry.Extension = extension{}

// Manifest implements [registry.Extension].
func (e extension) Manifest() registry.Manifest {
	return registry.Manifest{Name: e.name, Source: registry.SourceWorld, Derived: true, Ref: registry.GitRef(e.name, "/src", "c0ffee", "graph")}
}

// Instantiate implements [registry.Extension].
func (e extension) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	instance := e.instance
	return &instance, nil
}

// with is an extension of tools.
func with(tools ...registry.Tool) extension {
	return extension{"tools", registry.Instance{Tools: tools}}
}

// tool is one that takes any object.
func tool(name string, execute func(ctx context.Context, call *registry.Call) (*registry.Result, error)) registry.Tool {
	return registry.Tool{Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(`{"type":"object"}`), Execute: execute}
}

// says is a tool that gives a fixed text.
func says(name, text string) registry.Tool {
	return tool(name, func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(text), nil })
}

// harness is a harness over a memory that can be opened again, with a model by script.
type harness struct {
	*agent.Harness
	t        testing.TB
	below    func() storage.Storage
	registry *registry.Registry
	model    *faux.Provider
	options  agent.Options
	installs int

	mu      sync.Mutex
	reports []string
}

// open opens a harness over an empty memory.
func open(t testing.TB, options agent.Options, extensions ...extension) *harness {
	t.Helper()
	kept := new(memory.Storage)
	return openOver(t, func() storage.Storage {
		kept = kept.Clone()
		return kept
	}, options, faux.New(faux.Options{}), extensions...)
}

// openOver opens a harness over what a function opens, each time anew.
func openOver(t testing.TB, below func() storage.Storage, options agent.Options, scripted *faux.Provider, extensions ...extension) *harness {
	t.Helper()
	h := &harness{t: t, below: below, options: options}
	h.registry = registry.New(registry.Options{Report: func(f *registry.Failure) { h.report(f) }})
	h.model = scripted
	h.options.Registry = h.registry
	if h.options.Models == nil {
		h.options.Models = new(model.Models)
		if _, err := h.options.Models.Set(h.model); err != nil {
			t.Fatal(err)
		}
	}
	h.options.Session.Report = h.report
	h.install(extensions...)
	h.start()
	t.Cleanup(func() {
		h.stop()
		if err := h.registry.Retire().Close(context.Background()); err != nil {
			t.Error("close the extensions:", err)
		}
	})
	return h
}

func (h *harness) report(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reports = append(h.reports, err.Error())
}

func (h *harness) start() {
	h.t.Helper()
	opened, err := agent.Open(context.Background(), h.below(), h.options)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Harness = opened
}

func (h *harness) stop() {
	h.t.Helper()
	if err := h.Close(context.Background()); err != nil {
		h.t.Error("close:", err)
	}
}

// reopen closes the harness and opens it again over what was stored.
func (h *harness) reopen() {
	h.t.Helper()
	h.stop()
	h.start()
}

// install has these extensions, and no others, take part from now on.
func (h *harness) install(extensions ...extension) {
	h.t.Helper()
	h.installs++
	candidate := h.registry.Stage(fmt.Sprint("c", h.installs))
	defer func() { _ = candidate.Discard(context.Background()) }()
	for _, e := range extensions {
		instance, err := e.Instantiate(context.Background(), registry.ScopeContext{})
		if err != nil {
			h.t.Fatal(err)
		}
		candidate.Add(e, instance)
	}
	generation, problems := candidate.Validate()
	if generation == nil {
		h.t.Fatal(problems)
	}
	previous, err := h.registry.Promote(generation)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := previous.Close(context.Background()); err != nil {
			h.t.Error("close a generation:", err)
		}
	})
}

// within returns a context that ends with the test, or a long time after it has surely
// gone wrong.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// root returns the root conversation, which asks the scripted model.
func (h *harness) root() *durable.Conversation {
	h.t.Helper()
	root, err := h.Root(context.Background(), durable.ConversationOptions{Agent: durable.AgentChange{
		Model: durable.Set(durable.ModelRef{Provider: "faux", Model: "faux-1"}),
	}})
	if err != nil {
		h.t.Fatal(err)
	}
	return root
}

// submit hands an input in to the root conversation.
func (h *harness) submit(text string) *durable.Submission {
	h.t.Helper()
	submission, err := h.root().Submit(context.Background(), durable.Input{Content: message.Content{Text: text}})
	if err != nil {
		h.t.Fatal(err)
	}
	return submission
}

// say hands an input in to the root conversation and waits for what becomes of it.
func (h *harness) say(text string) record.Submission {
	h.t.Helper()
	settled, err := h.submit(text).Wait(within(h.t))
	if err != nil {
		h.t.Fatal(err)
	}
	return settled
}

// answer is the text that answers an input; "" when it is not answered.
func (h *harness) answer(settled record.Submission) string {
	h.t.Helper()
	entry, found, err := h.Entry(context.Background(), settled.Answer)
	if err != nil {
		h.t.Fatal(err)
	}
	if !found {
		return ""
	}
	return entry.Model[0].Text()
}

// live is what goes on in the root conversation.
func (h *harness) live() durable.LiveState {
	h.t.Helper()
	live, _, err := durable.LiveDocument.Read(context.Background(), h.Session, durable.InConversation(record.Root))
	if err != nil {
		h.t.Fatal(err)
	}
	return live
}

// idle waits until nothing goes on.
func (h *harness) idle() {
	h.t.Helper()
	if err := h.WaitForIdle(within(h.t)); err != nil {
		h.t.Fatal(err)
	}
}

// reported returns what was reported, and forgets it.
func (h *harness) reported() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.reports
	h.reports = nil
	return all
}

// entries are those of a conversation, the oldest first.
func (h *harness) entries(id record.ConversationID) (all []record.Entry) {
	h.t.Helper()
	for entry, err := range h.Entries(context.Background(), durable.EntryQuery{Conversation: id, Order: durable.Ascending}) {
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, entry)
	}
	return all
}

// transcript writes the root conversation, a line for each entry.
func (h *harness) transcript() string { return h.transcriptOf(record.Root) }

func (h *harness) transcriptOf(id record.ConversationID) string {
	h.t.Helper()
	var lines []string
	for _, entry := range h.entries(id) {
		line := strings.TrimPrefix(entry.Kind, "pi.")
		for _, m := range entry.Model {
			line += written(m)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func written(m message.Message) string {
	switch m := m.(type) {
	case *message.System:
		var line strings.Builder
		for _, s := range m.Sections {
			if s.Removed {
				fmt.Fprintf(&line, " -%s", s.Name)
			} else {
				fmt.Fprintf(&line, " %s=%s", s.Name, strings.ReplaceAll(s.Text, "\n", "|"))
			}
		}
		for _, t := range m.ToolsRemoved {
			line.WriteString(" -tool:" + t.Name)
		}
		for _, t := range m.ToolsAdded {
			line.WriteString(" +tool:" + t.Name)
		}
		return line.String()
	case *message.Assistant:
		line := " (" + string(m.StopReason) + ")"
		if text := m.Text(); text != "" {
			line += " " + text
		}
		for _, call := range m.ToolCalls() {
			line += fmt.Sprintf(" %s%s", call.Name, call.Arguments)
		}
		if m.ErrorMessage != "" {
			line += " !" + m.ErrorMessage
		}
		return line
	case *message.ToolResult:
		line := " " + m.ToolName
		if m.IsError {
			line += " failed"
		}
		return line + ": " + strings.ReplaceAll(m.Text(), "\n", "|")
	}
	return ": " + m.Text()
}

// check compares the transcript of the root conversation with lines.
func (h *harness) check(want ...string) {
	h.t.Helper()
	got := strings.Split(h.transcript(), "\n")
	if !slices.Equal(got, want) {
		h.t.Errorf("the transcript is\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// rest lets what goes on in a bubble of synctest come to rest. Some of it waits for a
// moment, so that time has to pass.
func rest() {
	<-time.After(20 * time.Millisecond)
	synctest.Wait()
}

// near says whether a time in milliseconds since 1970 is one, give or take what passes
// until a commit is stored.
func near(at int64, when time.Time) bool {
	apart := time.UnixMilli(at).Sub(when)
	return -time.Millisecond <= apart && apart < 100*time.Millisecond
}

// calls is a step that calls tools, each a name and arguments.
func calls(pairs ...string) faux.Step {
	var all []*message.ToolCall
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, faux.Call(pairs[i], json.RawMessage(pairs[i+1])))
	}
	return faux.Answer(faux.Calls(all...))
}

// text is a step that says something.
func text(answer string) faux.Step { return faux.Answer(faux.Says(answer)) }

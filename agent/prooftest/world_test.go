package prooftest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// tools is an extension of tools.
type tools []registry.Tool

// Manifest implements [registry.Extension].
func (tools) Manifest() registry.Manifest {
	return registry.Manifest{Name: "tools", Source: registry.SourceWorld, Derived: true, Ref: registry.GitRef("tools", "/src", "c0ffee", "graph")}
}

// Instantiate implements [registry.Extension].
func (t tools) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	return &registry.Instance{Tools: t}, nil
}

// safe is a tool that takes any object, and may run again.
func safe(name string, execute func(ctx context.Context, call *registry.Call) (*registry.Result, error)) registry.Tool {
	return registry.Tool{
		Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(`{"type":"object"}`), Execute: execute, Replay: registry.ReplaySafe,
	}
}

// look is a tool that publishes and tells what it was asked.
func look() registry.Tool {
	return safe("look", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		return registry.TextResult("seen with " + string(call.Arguments)), call.Output("looking\n")
	})
}

// nest is a tool that calls look.
func nest() registry.Tool {
	return safe("nest", func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		inner, err := call.Runtime.Execute(ctx, registry.NestedCall{Tool: "look", Arguments: json.RawMessage(`{"from":"nest"}`)})
		if err != nil {
			return nil, err
		}
		return registry.TextResult("nested: " + inner.Text), nil
	})
}

// delegate is a tool that has a conversation of its own answer, and finds that one again
// when it runs again.
func delegate() registry.Tool {
	return safe("delegate", func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		r := call.Runtime
		var child record.ConversationID
		err := r.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
			for known, err := range tx.Conversations(durable.ConversationQuery{OwnerTask: r.TaskID()}) {
				child = known.ID
				return err
			}
			created, err := tx.CreateConversation(durable.OwnedBy(r.TaskID()))
			child = created.ID
			return err
		})
		if err != nil {
			return nil, err
		}
		conversation, _, err := r.Conversation(ctx, child)
		if err != nil {
			return nil, err
		}
		submission, err := conversation.Submit(ctx, durable.Input{Request: fmt.Sprint("delegate:", r.TaskID()), Content: message.Content{Text: "Do: " + string(call.Arguments)}})
		if err != nil {
			return nil, err
		}
		settled, err := submission.Wait(ctx)
		if err != nil {
			return nil, err
		}
		return registry.TextResult(fmt.Sprint("delegated: ", settled.Status)), nil
	})
}

// conversational answers by what it is shown, and by nothing else: with two calls at
// once, one of them a subagent's, then one that calls another tool, then in words.
func conversational(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
	var input string
	var results []string
	for _, m := range request.Messages {
		switch m := m.(type) {
		case *message.User:
			input, results = m.Text(), nil
		case *message.ToolResult:
			results = append(results, m.Text())
		}
	}
	call := func(name string) *message.ToolCall {
		return faux.Call(name, json.RawMessage(fmt.Sprintf(`{"at":%d}`, len(results))))
	}
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(input+strings.Join(results, "|"))))[:16]
	switch {
	case strings.HasPrefix(input, "<conversation>"):
		return faux.Says("Summary " + digest), nil
	case strings.HasPrefix(input, "Do:") && len(results) == 0:
		return faux.Calls(call("look")), nil
	case strings.HasPrefix(input, "Do:"):
		return faux.Says("The child says " + digest), nil
	case len(results) == 0:
		return faux.Message(&message.Thinking{Thinking: "I look and I ask somebody."}, call("look"), call("delegate")), nil
	case len(results) == 2:
		return faux.Calls(call("nest")), nil
	}
	return faux.Says("All is done, and this is what came of it: " + digest), nil
}

// world is a harness and what it stands on.
type world struct {
	*agent.Harness
	registry *registry.Registry
}

// open opens a harness over a storage whose conversations ask a provider.
func open(ctx context.Context, below storage.Storage, provider *faux.Provider, settings agent.Settings, all ...registry.Tool) (*world, error) {
	w := &world{registry: registry.New(registry.Options{})}
	if err := w.install(tools(all)); err != nil {
		return nil, err
	}
	models := new(model.Models)
	if _, err := models.Set(provider); err != nil {
		return nil, err
	}
	harness, err := agent.Open(ctx, below, agent.Options{
		Registry: w.registry, Models: models, Settings: func() agent.Settings { return settings },
		// Processes die here more often in a row than one that is to be mended.
		Session: durable.Options{RestartLimit: -1},
	})
	w.Harness = harness
	return w, err
}

func (w *world) install(t tools) error {
	candidate := w.registry.Stage("c")
	defer func() { _ = candidate.Discard(context.Background()) }()
	instance, err := t.Instantiate(context.Background(), registry.ScopeContext{})
	if err != nil {
		return err
	}
	candidate.Add(t, instance)
	generation, problems := candidate.Validate()
	if generation == nil {
		return fmt.Errorf("the tools: %v", problems)
	}
	previous, err := w.registry.Promote(generation)
	if err != nil {
		return err
	}
	return previous.Close(context.Background())
}

// shut closes everything.
func (w *world) shut() error {
	return errors.Join(w.Close(context.Background()), w.registry.Retire().Close(context.Background()))
}

// opened opens a harness for a test.
func opened(t testing.TB, below storage.Storage, provider *faux.Provider, settings agent.Settings, all ...registry.Tool) *world {
	t.Helper()
	w, err := open(t.Context(), below, provider, settings, all...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.shut(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// root returns the root conversation.
func (w *world) root(ctx context.Context) (*durable.Conversation, error) {
	return w.Root(ctx, durable.ConversationOptions{Agent: thinker()})
}

// thinker has a conversation ask the scripted model.
func thinker() durable.AgentChange {
	return durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "faux", Model: "faux-1"})}
}

// say hands an input in and waits for what becomes of it.
func say(ctx context.Context, c *durable.Conversation, request, text string) (record.Submission, error) {
	submission, err := c.Submit(ctx, durable.Input{Request: request, Content: message.Content{Text: text}})
	if err != nil {
		return record.Submission{}, err
	}
	return submission.Wait(ctx)
}

// within returns a context that ends a long time after something has surely gone wrong.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// told is what all conversations show a model, without ids and times: those of
// subagents in the order of their texts.
func (w *world) told(t testing.TB) []string {
	t.Helper()
	var all []string
	for c, err := range w.Conversations(t.Context(), durable.ConversationQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		view, err := w.Context(t.Context(), c.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, m := range view.Messages {
			lines = append(lines, line(m))
		}
		all = append(all, strings.Join(lines, "\n"))
	}
	if len(all) > 0 {
		slices.Sort(all[1:])
	}
	return all
}

// line writes a message without ids and times.
func line(m message.Message) string {
	switch m := m.(type) {
	case *message.System:
		return fmt.Sprintf("system %v +%d -%d", m.Sections, len(m.ToolsAdded), len(m.ToolsRemoved))
	case *message.Assistant:
		written := fmt.Sprintf("assistant (%s) %s", m.StopReason, m.Text())
		for _, call := range m.ToolCalls() {
			written += fmt.Sprintf(" %s%s", call.Name, call.Arguments)
		}
		return written
	case *message.ToolResult:
		return fmt.Sprintf("result of %s (%v) %s", m.ToolName, m.IsError, m.Text())
	}
	return "user " + m.Text()
}

// verify reports what is wrong in the database.
func (w *world) verify(t testing.TB) {
	t.Helper()
	for violation, err := range w.Check(t.Context()) {
		t.Errorf("check: %v %v", violation, err)
	}
}

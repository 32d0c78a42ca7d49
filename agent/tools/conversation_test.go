package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/agent/tools"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// A conversation works in its folder, and its model sees the end of a long output.
func TestToolsWorkInTheFolderOfTheConversation(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.write("work/notes", "remember\n")
	models, scripted := new(model.Models), faux.New(faux.Options{})
	if _, err := models.Set(scripted); err != nil {
		t.Fatal(err)
	}
	h, err := agent.Open(context.Background(), new(memory.Storage), agent.Options{
		Registry: w.tools, Models: models,
		Env: func(context.Context, agent.EnvRequest) (registry.Env, error) { return w.env, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	root, err := h.Root(context.Background(), durable.ConversationOptions{Agent: durable.AgentChange{
		Model: durable.Set(durable.ModelRef{Provider: "faux", Model: "faux-1"}), Cwd: durable.Set("/work"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, arguments string) *message.ToolCall { return faux.Call(name, json.RawMessage(arguments)) }
	scripted.Set(
		faux.Answer(faux.Calls(call("read", `{"path":"notes"}`), call("write", `{"path":"new/f","content":"x"}`), call("bash", `{"command":"pwd"}`))),
		faux.Answer(faux.Calls(call("bash", `{"command":"seq 1 3000; exit 1"}`))),
		faux.Answer(faux.Says("Done.")),
	)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	submission, err := root.Submit(ctx, durable.Input{Content: message.Content{Text: "Go."}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := submission.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	var results []*message.ToolResult
	for entry, err := range h.Entries(ctx, durable.EntryQuery{Conversation: record.Root, Order: durable.Ascending}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range entry.Model {
			if result, ok := m.(*message.ToolResult); ok {
				results = append(results, result)
			}
		}
	}
	if len(results) != 4 {
		t.Fatalf("%d results", len(results))
	}
	said := map[string]string{}
	for _, result := range results[:3] {
		said[result.ToolName] = result.Text()
	}
	for name, want := range map[string]string{"read": "remember\n", "write": "Made new/f with 1 byte.", "bash": "/work\n"} {
		if said[name] != want {
			t.Errorf("%s said %q, want %q", name, said[name], want)
		}
	}
	if got := w.read("work/new/f"); got != "x" {
		t.Errorf("the file has %q", got)
	}
	long := results[3]
	for _, part := range []string{
		"1001\n1002\n", "\n3000\n", "<harness>\n[info] the complete output is in /tmp/output-", "[error] the command ended with exit code 1\n",
		"[warn] output truncated to its end: 1,000 lines, 3,893 bytes dropped\n",
	} {
		if !strings.Contains(long.Text(), part) {
			t.Errorf("%q is not in the result", part)
		}
	}
	if !long.IsError || strings.HasPrefix(long.Text(), "1000\n") {
		t.Errorf("error: %v; it begins with %q", long.IsError, long.Text()[:20])
	}
}

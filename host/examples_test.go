package host

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/testdata/world"
)

// exampleWorld is a world as harness init makes it.
func exampleWorld(t *testing.T) *testWorld {
	t.Helper()
	w := &testWorld{TB: t, dir: filepath.Join(t.TempDir(), "world")}
	if err := Init(context.Background(), w.dir, world.Files()); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestThePlanOfTheExampleWorldIsInThePromptAndHasTheModelGoOn(t *testing.T) {
	h := exampleWorld(t).talk(inMemory)
	plan := func(done bool) *message.ToolCall {
		return faux.Call("plan", map[string]any{"steps": []any{map[string]any{"title": "bake bread", "done": done}}})
	}
	h.model.Append(
		faux.Answer(faux.Calls(plan(false))),
		faux.Answer(faux.Says("I stop here.")),
		faux.Answer(faux.Calls(plan(true))),
		faux.Answer(faux.Says("All done.")),
	)
	if settled := h.say("Bake bread."); settled.Status != record.Done {
		t.Fatalf("%+v", settled)
	}
	inOrder(t, h.transcript(),
		"user: Bake bread.",
		"result: Steps that are open: 1",
		"system: <plan>\n[ ] bake bread\n</plan>",
		"assistant: I stop here.",
		"user: Steps of the plan that are open: 1. Go on, or write the plan anew.",
		"result: Steps that are open: 0",
		"system: <plan>\n[x] bake bread\n</plan>",
		"assistant: All done.")
}

func TestThePlanOfTheExampleWorldRemindsOnce(t *testing.T) {
	h := exampleWorld(t).talk(inMemory)
	h.model.Append(
		faux.Answer(faux.Calls(faux.Call("plan", map[string]any{"steps": []any{map[string]any{"title": "rest", "done": false}}}))),
		faux.Answer(faux.Says("Not now.")),
		faux.Answer(faux.Says("No.")),
	)
	if settled := h.say("Rest."); settled.Status != record.Done {
		t.Fatalf("%+v\n%s", settled, h.transcript())
	}
	inOrder(t, h.transcript(), "assistant: Not now.", "user: Steps of the plan", "assistant: No.")
}

func TestTheHelperOfTheExampleWorldAnswersInAConversationOfItsOwn(t *testing.T) {
	h := exampleWorld(t).talk(inMemory)
	h.model.Append(
		faux.Answer(faux.Calls(faux.Call("delegate", map[string]any{"task": "Count to two."}))),
		faux.Answer(faux.Says("One, two.")),
		faux.Answer(faux.Says("The helper says: one, two.")),
	)
	if settled := h.say("Have somebody count."); settled.Status != record.Done {
		t.Fatalf("%+v", settled)
	}
	inOrder(t, h.transcript(), "result: One, two.", "assistant: The helper says: one, two.")
	if helpers := h.helpers(); len(helpers) != 1 {
		t.Errorf("%d helpers, want 1", len(helpers))
	}
}

// helpers are the conversations that belong to tasks. None of them has helpers.
func (h *talking) helpers() (helpers []record.ConversationID) {
	h.Helper()
	for conversation, err := range h.Session().Conversations(h.Context(), durable.ConversationQuery{}) {
		if err != nil {
			h.Fatal(err)
		}
		if conversation.Owner == nil {
			continue
		}
		helpers = append(helpers, conversation.ID)
		agent, release, err := h.Harness().Agent(h.Context(), conversation.ID)
		if err != nil {
			h.Fatal(err)
		}
		if agent.Tool("delegate") != nil {
			h.Error("a helper has helpers")
		}
		release()
	}
	return helpers
}

func TestTheHelperOfTheExampleWorldIsFoundAgainAfterARestart(t *testing.T) {
	w := exampleWorld(t)
	disk := func(*Options) {}
	asked := make(chan struct{})
	h := w.talk(disk,
		faux.Answer(faux.Calls(faux.Call("delegate", map[string]any{"task": "Count to two."}))),
		func(ctx context.Context, _ model.Request, _ faux.State) (*message.Assistant, error) {
			close(asked)
			<-ctx.Done()
			return nil, ctx.Err()
		})
	h.submit("Have somebody count.")
	<-asked
	before := h.helpers()
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	h = w.talk(disk, faux.Answer(faux.Says("One, two.")), faux.Answer(faux.Says("Counted.")))
	if err := h.Session().WaitForIdle(h.Context()); err != nil {
		t.Fatal(err)
	}
	inOrder(t, h.transcript(), "user: Have somebody count.", "result: One, two.", "assistant: Counted.")
	if after := h.helpers(); len(after) != 1 || !slices.Equal(before, after) {
		t.Errorf("helpers %v before the restart and %v after it", before, after)
	}
}

func TestAReminderOfTheExampleWorldComesBackToTheConversation(t *testing.T) {
	h := exampleWorld(t).talk(inMemory)
	h.model.Append(
		faux.Answer(faux.Calls(faux.Call("remind_me", map[string]any{"about": "the bread", "seconds": 0}))),
		faux.Answer(faux.Says("first")),
		faux.Answer(faux.Says("second")),
	)
	if settled := h.say("Remind me of the bread."); settled.Status != record.Done {
		t.Fatalf("%+v", settled)
	}
	view, err := h.Session().Context(h.Context(), record.Root, 0)
	if err != nil {
		t.Fatal(err)
	}
	var details struct{ Task record.TaskID }
	for _, shown := range view.Messages {
		if result, is := shown.(*message.ToolResult); is {
			if err := json.Unmarshal(result.Details, &details); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := h.Session().WaitForTask(h.Context(), details.Task); err != nil {
		t.Fatal(err)
	}
	if err := h.Session().WaitForIdle(h.Context()); err != nil {
		t.Fatal(err)
	}
	inOrder(t, h.transcript(), "user: Remind me of the bread.", "user: Reminder: the bread", "assistant: second")
}

func TestThePolicyOfTheExampleWorldBlocksCallsOfConversations(t *testing.T) {
	h := exampleWorld(t).talk(inMemory)
	h.callThen("run_check", map[string]any{"command": "rm -rf /"}, "I may not.")
	h.say("Clean up.")
	inOrder(t, h.transcript(), `refused to run "rm -rf /"`, "assistant: I may not.")
}

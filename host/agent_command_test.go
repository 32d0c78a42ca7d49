package host

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/registry"
)

// commanding is an extension whose tool runs a command for a conversation of its own.
var commanding = engineModule(tool("serve", `
	const other = await commit((tx: any) => tx.createConversation({ ownership: { kind: "ownerless" } }));
	const command = host.exec("touch tmp/at-command /tmp/at-command; sleep 100", { conversations: [api.conversationId ?? 1, other.id], cwd: "/" });
	await host.fs.write("/tmp/other", String(other.id));
	try { return JSON.stringify(await command); } catch (error: any) { return error.name + ": " + error.message; }`),
	tool("quick", `return (await host.exec("echo done", { conversations: [1] })).stdout + (await session().inspect(background)).tasks.filter((t: any) => t.record.kind === "harness.work").length;`),
	tool("unknown", `return tried(() => host.exec("echo done", { conversations: [999] }));`),
	tool("wrong", `return tried(() => host.exec("echo done", { conversations: ["1"] as any }));`))

// working returns the conversations that have work of the process.
func (h *talking) working() (found []record.ConversationID) {
	h.Helper()
	inspection, err := h.Session().Inspect(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	for _, one := range inspection.Tasks {
		if one.Task.Kind == registry.TaskWork {
			found = append(found, one.Task.Conversation)
			contains(h, string(one.Task.Input), "the command of extension probe: touch")
		}
	}
	return found
}

func TestACommandIsListedUnderItsConversationsAndEndsWhenOneIsAborted(t *testing.T) {
	h := talk(t, files{server("probe"): commanding})
	h.model.Append(calls("serve"), says("done"))
	ended := h.begin("go")
	h.reached("command")
	working := h.working()
	if len(working) != 2 || working[0] != record.Root {
		t.Fatalf("the command works for %v", working)
	}
	other, err := h.Session().Conversation(t.Context(), working[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Abort(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	h.done(ended)
	contains(t, h.transcript(), "result: AbortError: the command of extension probe: touch", "was aborted")
	if left := h.working(); len(left) > 0 {
		t.Errorf("left is work for %v", left)
	}
}

func TestACommandForAConversationEndsByItselfAndIsNotListedAnyMore(t *testing.T) {
	h := talk(t, files{server("probe"): commanding})
	h.root()
	same(t, h.call("quick"), "done\n0")
	contains(t, h.call("unknown"), "NotFound: ", "conversation 999")
	contains(t, h.call("wrong"), "TypeError: ", "conversations", "ids of conversations")
}

func TestACommandThatWentWithItsProcessIsNotWaitedFor(t *testing.T) {
	w := newWorld(t, files{server("probe"): commanding})
	h := w.talk(func(*Options) {})
	h.root()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan *registry.Result, 1)
	go func() { served <- h.CallTool(ctx, ToolCall{Tool: "serve"}) }()
	h.reached("command")
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-served
	h = w.talk(func(*Options) {})
	if err := h.Session().WaitForIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for task, err := range h.Session().Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskWork}) {
		if err != nil {
			t.Fatal(err)
		}
		if outcome := task.State.Outcome; outcome == nil || !strings.Contains(asJSON(outcome), "the process that did it has ended") {
			t.Errorf("task %d ended as %s", task.ID, asJSON(outcome))
		}
	}
}

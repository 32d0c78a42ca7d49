package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// blocking is a tool that says that it began, and then waits until the harness stops:
// the first time it is called.
type blocking struct {
	began chan struct{}
	runs  atomic.Int32
	seen  []string
}

func (b *blocking) tool(name string, safe bool) registry.Tool {
	b.began = make(chan struct{}, 1)
	t := tool(name, func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		b.seen = append(b.seen, string(call.Arguments))
		if b.runs.Add(1) > 1 {
			return nil, call.Output("finished\n")
		}
		err := errors.Join(call.Output("so far\n"), call.Details(json.RawMessage(`{"n":1}`)), call.Diagnose(registry.Diagnostic{Severity: "info", Message: "hm"}), call.Runtime.Stored(ctx))
		b.began <- struct{}{}
		<-ctx.Done()
		return nil, errors.Join(err, context.Cause(ctx))
	})
	if safe {
		t.Replay = registry.ReplaySafe
	}
	return t
}

func TestACallThatWasCutOffRunsAgainOnlyWhenThatIsSafe(t *testing.T) {
	for name, c := range map[string]struct {
		before, after bool
		runs          int32
		result        string
		codes         []string
	}{
		"safe":              {true, true, 2, "finished\n", nil},
		"unsafe":            {false, false, 1, "", []string{"", "interrupted"}},
		"declared safe now": {false, true, 1, "", []string{"", "interrupted"}},
		"vetoed now":        {true, false, 1, "", []string{"", "interrupted"}},
	} {
		t.Run(name, func(t *testing.T) {
			var b blocking
			gates := 0
			gate := hooks(registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
				gates++
				return registry.Decision{Arguments: json.RawMessage(fmt.Sprintf(`{"gate":%d}`, gates))}, nil
			}})
			h := open(t, agent.Options{}, with(b.tool("wait", c.before)), gate)
			h.model.Set(calls("wait", `{}`), text("Done."))
			submission := h.submit("Go.")
			<-b.began
			h.install(with(b.tool("wait", c.after)), gate)
			h.reopen()
			submission, err := h.Submission(t.Context(), submission.ID())
			if err != nil {
				t.Fatal(err)
			}
			if settled, err := submission.Wait(within(t)); err != nil || h.answer(settled) != "Done." {
				t.Errorf("settled as %+v, %v", settled, err)
			}
			result, data := h.resultOf(0)
			if b.runs.Load() != c.runs || gates != 1 {
				t.Errorf("the tool ran %d times, and its gate %d", b.runs.Load(), gates)
			}
			if got := codes(data); !slices.Equal(got, c.codes) {
				t.Errorf("the result has the codes %q: %s", got, written(result))
			}
			if c.runs == 2 {
				if result.Text() != c.result || result.Details != nil || b.seen[1] != `{"gate":1}` {
					t.Errorf("the second attempt had %s and gave %s", b.seen[1], written(result))
				}
			} else if !strings.HasPrefix(result.Text(), "so far\n") || string(result.Details) != `{"n":1}` || !result.IsError || result.DurationMs != nil {
				t.Errorf("the result is %s with %s", written(result), result.Details)
			}
		})
	}
}

func TestACallWhoseCodeIsTakenAwayRunsAgainOnlyWhenThatIsSafe(t *testing.T) {
	for name, c := range map[string]struct {
		safe bool
		runs int
		code []string
	}{
		"safe": {true, 3, nil}, "unsafe": {false, 1, []string{"interrupted"}},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			lost := tool("lost", func(context.Context, *registry.Call) (*registry.Result, error) {
				if runs++; runs < 3 {
					return nil, &registry.InterruptedError{Err: errors.New("the isolate was replaced")}
				}
				return registry.TextResult("found"), nil
			})
			if c.safe {
				lost.Replay = registry.ReplaySafe
			}
			h := open(t, agent.Options{}, with(lost))
			h.model.Set(calls("lost", `{}`), text("Done."))
			h.say("Go.")
			if _, data := h.resultOf(0); runs != c.runs || !slices.Equal(codes(data), c.code) {
				t.Errorf("it ran %d times, and has %s", runs, data.Diagnostics)
			}
		})
	}
}

func TestAnAbortOfARunEndsItsCallsWithWhatTheyHadPublished(t *testing.T) {
	for _, mode := range []registry.ExecutionMode{registry.ExecutionParallel, registry.ExecutionSequential} {
		var b blocking
		h := open(t, agent.Options{Settings: func() agent.Settings { return agent.Settings{ToolExecution: mode} }},
			with(b.tool("wait", true), says("other", "done")), hooks(registry.Hook{
				Kind: registry.HookOnAbort, OnAbort: func(_ context.Context, _ registry.HookContext, _ registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
					other := *result
					other.Details, other.IsError = json.RawMessage(`"aborted"`), false
					return &other, nil
				},
			}))
		h.model.Set(calls("wait", `{}`, "other", `{}`), text("Never."))
		submission := h.submit("Go.")
		<-b.began
		if mode == registry.ExecutionParallel {
			for len(h.entries(record.Root)) < 4 { // until the other one is done
				time.Sleep(time.Millisecond)
			}
		}
		if err := h.root().Abort(within(t), false); err != nil {
			t.Fatal(err)
		}
		if settled, err := submission.Wait(within(t)); err != nil || settled.Reason != durable.ReasonAborted {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		want := []string{
			"tool-result other: done",
			"tool-result wait: so far||<harness>|[info] hm|[error] The call was aborted.|</harness>",
		}
		if mode == registry.ExecutionSequential {
			want = []string{want[1], "tool-result other failed: <harness>|[error] The run was aborted before this call began.|</harness>"}
		}
		if lines := strings.Split(h.transcript(), "\n"); !slices.Equal(lines[3:], want) {
			t.Errorf("%s: the transcript ends with %q", mode, lines[3:])
		}
		for i := range 2 {
			if result, _ := h.resultOf(i); result.ToolName == "wait" && string(result.Details) != `"aborted"` {
				t.Errorf("the hook's details are %s", result.Details)
			}
		}
		if live := h.live(); live.Run != nil || live.Tools != nil {
			t.Errorf("afterwards the conversation has %+v", live)
		}
		for task, err := range h.Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskTool}) {
			if err != nil || task.State.Outcome.Status != record.Aborted {
				t.Errorf("the first task is %+v, %v", task.State.Outcome, err)
			}
			break
		}
	}
}

func TestACallThatWasAlreadyDoneIsNotMadeAgain(t *testing.T) {
	var b blocking
	runs := 0
	once := tool("once", func(context.Context, *registry.Call) (*registry.Result, error) {
		runs++
		return registry.TextResult("done"), nil
	})
	h := open(t, agent.Options{}, with(once, b.tool("wait", true)))
	h.model.Set(calls("once", `{}`, "wait", `{}`), text("Done."))
	submission := h.submit("Go.")
	<-b.began
	for !strings.Contains(h.transcript(), "tool-result once") {
		time.Sleep(time.Millisecond)
	}
	h.reopen()
	submission, err := h.Submission(t.Context(), submission.ID())
	if err != nil {
		t.Fatal(err)
	}
	if settled, err := submission.Wait(within(t)); err != nil || h.answer(settled) != "Done." {
		t.Errorf("settled as %+v, %v", settled, err)
	}
	if runs != 1 {
		t.Errorf("the call that was done ran %d times", runs)
	}
}

// delegate is a tool that has a conversation of its own answer, and finds that one
// again when it runs again.
func delegate(name string) registry.Tool {
	t := tool(name, func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		r := call.Runtime
		var child record.ConversationID
		err := r.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
			for known, err := range tx.Conversations(durable.ConversationQuery{OwnerTask: r.TaskID()}) {
				child = known.ID
				return err
			}
			created, err := tx.CreateConversation(durable.OwnedBy(r.TaskID()))
			if err != nil {
				return err
			}
			child = created.ID
			return durable.Configure(tx, child, durable.AgentChange{Tools: durable.Set(durable.Selection{Remove: []string{name}})})
		})
		if err != nil {
			return nil, err
		}
		conversation, _, err := r.Conversation(ctx, child)
		if err != nil {
			return nil, err
		}
		submission, err := conversation.Submit(ctx, durable.Input{
			Request: fmt.Sprint("delegate:", r.TaskID()), Content: message.Content{Text: "Do: " + string(call.Arguments)},
		})
		if err != nil {
			return nil, err
		}
		settled, err := submission.Wait(ctx)
		if err != nil {
			return nil, err
		}
		return registry.TextResult(fmt.Sprint(settled.Status, " ", settled.Answer > 0)), nil
	})
	t.Replay = registry.ReplaySafe
	return t
}

func TestASubagentIsFoundAgainWhenItsCallRunsAgain(t *testing.T) {
	for _, restart := range []bool{false, true} {
		var b blocking
		h := open(t, agent.Options{}, with(delegate("delegate"), b.tool("wait", true)))
		if !restart {
			b.runs.Store(1)
		}
		h.model.Set(calls("delegate", `{"n":1}`), calls("wait", `{}`), text("Child."), text("Parent."))
		submission := h.submit("Go.")
		if restart {
			<-b.began
			h.reopen()
		}
		submission, err := h.Submission(t.Context(), submission.ID())
		if err != nil {
			t.Fatal(err)
		}
		settled, err := submission.Wait(within(t))
		if err != nil || h.answer(settled) != "Parent." {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		if result, _ := h.resultOf(0); result.Text() != "done true" {
			t.Errorf("the call gave %s", written(result))
		}
		children := 0
		for child, err := range h.Conversations(t.Context(), durable.ConversationQuery{OwnerConversation: record.Root}) {
			if err != nil {
				t.Fatal(err)
			}
			children++
			want := strings.Join([]string{
				`user: Do: {"n":1}`, "system +tool:wait", "assistant (toolUse) wait{}", "tool-result wait: finished|", "assistant (stop) Child.",
			}, "\n")
			if got := h.transcriptOf(child.ID); got != want {
				t.Errorf("the child says\n%s", got)
			}
		}
		if children != 1 {
			t.Errorf("there are %d children", children)
		}
	}
}

func TestAnAbortOfACallReachesTheConversationsItOwns(t *testing.T) {
	var b blocking
	h := open(t, agent.Options{}, with(delegate("delegate"), b.tool("wait", true)))
	h.model.Set(calls("delegate", `{}`), calls("wait", `{}`))
	submission := h.submit("Go.")
	<-b.began
	if err := h.root().Abort(within(t), false); err != nil {
		t.Fatal(err)
	}
	if settled, err := submission.Wait(within(t)); err != nil || settled.Reason != durable.ReasonAborted {
		t.Errorf("settled as %+v, %v", settled, err)
	}
	for child, err := range h.Conversations(t.Context(), durable.ConversationQuery{OwnerConversation: record.Root}) {
		if err != nil {
			t.Fatal(err)
		}
		if last := h.entries(child.ID); !strings.Contains(written(last[len(last)-1].Model[0]), "The call was aborted.") {
			t.Errorf("the child says\n%s", h.transcriptOf(child.ID))
		}
	}
}

// conversational answers by what the conversation has, and by nothing else.
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
	empty := json.RawMessage(`{}`)
	switch {
	case strings.HasPrefix(input, "Do:"):
		return faux.Says("Child says " + input), nil
	case len(results) == 0:
		return faux.Calls(faux.Call("look", empty), faux.Call("delegate", json.RawMessage(`{"n":1}`))), nil
	case len(results) == 2:
		return faux.Calls(faux.Call("nest", empty)), nil
	}
	return faux.Says("All done: " + strings.Join(results, ", ")), nil
}

// stoppable is a harness that works through a run of which every tool is safe to replay.
func stoppable(t testing.TB, below func() storage.Storage) *harness {
	look := says("look", "seen")
	look.Replay = registry.ReplaySafe
	nest := tool("nest", func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		inner, err := call.Runtime.Execute(ctx, registry.NestedCall{Tool: "look"})
		if err != nil {
			return nil, err
		}
		return registry.TextResult("nested " + inner.Text), nil
	})
	nest.Replay = registry.ReplaySafe
	return openOver(t, below, agent.Options{}, faux.New(faux.Options{Otherwise: conversational}), with(look, nest, delegate("delegate")))
}

func TestARunGoesOnWhereverItWasStopped(t *testing.T) {
	memories := func() func() storage.Storage {
		kept := new(memory.Storage)
		return func() storage.Storage {
			kept = kept.Clone()
			return kept
		}
	}
	databases := func() func() storage.Storage {
		dir := t.TempDir()
		return func() storage.Storage {
			database, err := badgerdb.Open(dir, badgerdb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return database
		}
	}
	whole := stoppable(t, memories())
	var commits atomic.Int32
	defer whole.SubscribeCommits(func(*durable.Publication) { commits.Add(1) })()
	whole.say("Go.")
	want := settledLines(whole)
	for n := range int(commits.Load()) {
		below := memories()
		if n%8 == 3 {
			below = databases()
		}
		h := stoppable(t, below)
		left := n + 1
		reached := make(chan struct{})
		h.root()
		stop := h.SubscribeCommits(func(*durable.Publication) {
			if left--; left == 0 {
				close(reached)
			}
		})
		submission := h.submit("Go.")
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = submission.Wait(within(t))
		}()
		select {
		case <-reached:
		case <-answered: // with fewer commits than the run before
		}
		stop()
		h.reopen()
		<-answered
		submission, err := h.Submission(t.Context(), submission.ID())
		if err != nil {
			t.Fatal(err)
		}
		if settled, err := submission.Wait(within(t)); err != nil || settled.Status != record.Done {
			t.Errorf("stopped after %d commits it ends as %+v, %v", n, settled, err)
		}
		if got := settledLines(h); !slices.Equal(got, want) {
			t.Errorf("stopped after %d commits it says\n\t%s\nwant\n\t%s", n, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
		for violation, err := range h.Check(t.Context()) {
			t.Errorf("stopped after %d commits: %v, %v", n, violation, err)
		}
	}
}

// settledLines are those of all conversations, without what was cut off; the results of
// a round are in the order of their tools.
func settledLines(h *harness) (lines []string) {
	for conversation, err := range h.Conversations(context.Background(), durable.ConversationQuery{}) {
		if err != nil {
			h.t.Fatal(err)
		}
		of := strings.Split(h.transcriptOf(conversation.ID), "\n")
		of = slices.DeleteFunc(of, func(line string) bool { return strings.HasPrefix(line, "assistant (aborted)") })
		slices.Sort(of)
		lines = append(lines, of...)
	}
	return lines
}

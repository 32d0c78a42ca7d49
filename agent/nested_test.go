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
	"github.com/seed-d579e5eb/harness/registry"
)

// calling is a tool that does something with its runtime.
func calling(name string, do func(ctx context.Context, r registry.CallRuntime) (string, error)) registry.Tool {
	return tool(name, func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		text, err := do(ctx, call.Runtime)
		return registry.TextResult(text), err
	})
}

func TestACallThatAToolMakesIsATaskOfItsOwn(t *testing.T) {
	var parents []string
	inner := tool("inner", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		if err := call.Details(json.RawMessage(`{"d":1}`)); err != nil {
			return nil, err
		}
		return registry.TextResult("got " + string(call.Arguments)), call.Output("not shown")
	})
	inner.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		var told []string
		result, err := r.Execute(ctx, registry.NestedCall{Tool: "inner", Arguments: json.RawMessage(`{"n":"7"}`), Progress: func(p registry.Progress) {
			told = append(told, p.Output+string(p.Details))
		}})
		if err != nil {
			return "", err
		}
		wrong, err := r.Execute(ctx, registry.NestedCall{Tool: "inner"})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s %s %v %q; %v %s", result.Text, result.Output, result.Details, result.DurationMs != nil, told, wrong.IsError, wrong.Diagnostics[0].Code), nil
	})
	h := open(t, agent.Options{}, with(inner, outer), hooks(registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(_ context.Context, _ registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
		if call.Parent != nil {
			parents = append(parents, fmt.Sprint(call.ID, " of ", call.Parent.CallID, " ", call.Parent.TaskID > 0))
		}
		return registry.Decision{}, nil
	}}))
	h.model.Set(calls("outer", `{}`), text("Done."))
	h.say("Go.")
	result, _ := h.resultOf(0)
	if want := `got {"n":7} "got {\"n\":7}" {"d":1} true ["{\"d\":1}" "not shown"]; true invalid_arguments`; result.Text() != want {
		t.Errorf("the call gave %s\nwant %s", result.Text(), want)
	}
	id := result.ToolCallID
	if want := []string{id + "/1 of " + id + " true"}; !slices.Equal(parents, want) {
		t.Errorf("the hooks saw %q, want %q", parents, want)
	}
	if n := strings.Count(h.transcript(), "tool-result"); n != 1 {
		t.Errorf("the transcript has %d results", n)
	}
	var told struct {
		Calls []struct {
			ID, Name, Status, Error string
			Arguments               json.RawMessage
			DurationMs              *float64
		}
		Complete bool
	}
	if err := json.Unmarshal(result.NestedCalls, &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Calls) != 2 || !told.Complete || told.Calls[0].Status != "ok" || told.Calls[0].ID != id+"/1" ||
		string(told.Calls[0].Arguments) != `{"n":"7"}` || told.Calls[1].Status != "error" || told.Calls[1].Error == "" || told.Calls[0].DurationMs == nil {
		t.Errorf("the result tells of %s", result.NestedCalls)
	}
}

func TestANestedCallOfAKeyIsMadeOnce(t *testing.T) {
	runs := 0
	inner := tool("inner", func(context.Context, *registry.Call) (*registry.Result, error) {
		runs++
		return registry.TextResult(fmt.Sprint("run ", runs)), nil
	})
	outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		var said []string
		for _, call := range []registry.NestedCall{
			{Tool: "inner", Key: "k", Arguments: json.RawMessage(`{"a":1,"b":[2]}`)},
			{Tool: "inner", Key: "k", Arguments: json.RawMessage(`{"b":[2],"a":1.0}`)},
			{Tool: "inner", Key: "k", Arguments: json.RawMessage(`{"a":2}`)},
			{Tool: "other", Key: "k", Arguments: json.RawMessage(`{"a":1,"b":[2]}`)},
			{Tool: "inner", Key: "a/b"}, {Tool: "inner", Key: "__proto__"}, {Tool: "inner", Key: "7"},
			{Tool: "inner", Key: "07"}, {Tool: "inner"}, {Tool: "inner"},
		} {
			result, err := r.Execute(ctx, call)
			if err != nil {
				said = append(said, "refused")
				continue
			}
			said = append(said, result.Text)
		}
		return strings.Join(said, ", "), nil
	})
	h := open(t, agent.Options{}, with(inner, outer))
	h.model.Set(calls("outer", `{}`), text("Done."))
	h.say("Go.")
	if result, _ := h.resultOf(0); result.Text() != "run 1, run 1, refused, refused, refused, refused, refused, run 2, run 3, run 4" {
		t.Errorf("the calls gave %s", result.Text())
	}
}

func TestAllWhoWaitForANestedCallAreToldOfItsProgress(t *testing.T) {
	for leaves := range 2 {
		next := make(chan struct{})
		prints := tool("print", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
			for range next {
				if err := call.Output("x"); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
		var told [2]atomic.Int32
		outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
			var ended [2]chan error
			var leave [2]context.CancelFunc
			for i := range 2 {
				var waits context.Context
				waits, leave[i] = context.WithCancel(ctx)
				defer leave[i]()
				ended[i] = make(chan error, 1)
				go func() {
					_, err := r.Execute(waits, registry.NestedCall{Tool: "print", Key: "k", Progress: func(registry.Progress) { told[i].Add(1) }})
					ended[i] <- err
				}()
				for told[i].Load() == 0 { // until this one listens
					next <- struct{}{}
				}
			}
			leave[leaves]()
			<-ended[leaves]
			before, others := told[leaves].Load(), told[1-leaves].Load()
			for range 3 {
				next <- struct{}{}
			}
			close(next)
			err := <-ended[1-leaves]
			if now := told[leaves].Load(); now != before {
				t.Errorf("who left as number %d is told %d times more", leaves, now-before)
			}
			if now := told[1-leaves].Load(); now < others+3 {
				t.Errorf("who stays when number %d leaves is told %d times of 3", leaves, now-others)
			}
			return "", err
		})
		h := open(t, agent.Options{}, with(prints, outer))
		h.model.Set(calls("outer", `{}`), text("Done."))
		h.say("Go.")
		if result, _ := h.resultOf(0); result.IsError {
			t.Errorf("the call gave %s", written(result))
		}
	}
}

func TestNestedCallsThatNobodyWaitsForAreAborted(t *testing.T) {
	var b blocking
	for _, fails := range []bool{false, true} {
		b.runs.Store(0)
		outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
			impatient, cancel := context.WithCancel(ctx)
			go func() {
				<-b.began
				cancel()
			}()
			if _, err := r.Execute(impatient, registry.NestedCall{Tool: "wait", Key: "slow"}); !errors.Is(err, context.Canceled) {
				return "", fmt.Errorf("the wait ended with %w", err)
			}
			var running bool
			err := r.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
				nested, _, err := agent.NestedDocument.Get(tx, durable.InTask(r.TaskID()))
				running = len(nested.Calls) == 1 && nested.Calls[0].Status == durable.SlotRunning
				return err
			})
			if err == nil && !running {
				err = errors.New("the end of the wait ended the call")
			}
			if err == nil && fails {
				err = errors.New("failed")
			}
			return "left", err
		})
		h := open(t, agent.Options{}, with(outer, b.tool("wait", false)))
		h.model.Set(calls("outer", `{}`), text("Done."))
		h.say("Go.")
		result, data := h.resultOf(0)
		if fails != slices.Equal(codes(data), []string{"tool_error"}) || !fails && result.Text() != "left" {
			t.Errorf("the call gave %s", written(result))
		}
		var states []string
		for task, err := range h.Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskTool}) {
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, string(task.State.Outcome.Status))
		}
		want := []string{"completed", "aborted"}
		if fails {
			want[0] = "failed"
		}
		if !slices.Equal(states, want) {
			t.Errorf("the tasks are %q", states)
		}
		if !strings.Contains(string(result.NestedCalls), `"status":"error"`) {
			t.Errorf("the result tells of %s", result.NestedCalls)
		}
	}
}

func TestANestedCallThatIsMadeWhileItsCallerEndsIsAbortedOrRefused(t *testing.T) {
	for range 30 {
		made := make(chan error, 1)
		outer := tool("outer", func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			go func() {
				_, err := call.Runtime.Execute(context.WithoutCancel(ctx), registry.NestedCall{Tool: "wait"})
				made <- err
			}()
			return registry.TextResult("left"), nil
		})
		wait := tool("wait", func(ctx context.Context, _ *registry.Call) (*registry.Result, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		h := open(t, agent.Options{}, with(outer, wait))
		h.model.Set(calls("outer", `{}`), text("Done."))
		h.say("Go.")
		var settled *registry.SettledError
		if err := <-made; !errors.As(err, &settled) {
			t.Errorf("the call that nobody waits for ended with %v", err)
		}
		h.idle()
		result, _ := h.resultOf(0)
		for task, err := range h.Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskTool, Order: durable.Descending}) {
			if err != nil {
				t.Fatal(err)
			}
			if task.Owner != 0 && strings.Contains(string(task.Input), `"nested"`) && result.NestedCalls == nil {
				t.Error("a nested call was made after the result")
			}
			break
		}
	}
}

func TestANestedCallIsFoundAgainWhenItsCallerRunsAgain(t *testing.T) {
	runs := 0
	var b blocking
	inner := tool("inner", func(context.Context, *registry.Call) (*registry.Result, error) {
		runs++
		return registry.TextResult("inner"), nil
	})
	outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		one, err := r.Execute(ctx, registry.NestedCall{Tool: "inner"})
		if err != nil {
			return "", err
		}
		two, err := r.Execute(ctx, registry.NestedCall{Tool: "wait"})
		if err != nil {
			return "", err
		}
		return one.Text + " " + two.Text, nil
	})
	outer.Replay = registry.ReplaySafe
	h := open(t, agent.Options{}, with(inner, outer, b.tool("wait", true)))
	h.model.Set(calls("outer", `{}`), text("Done."))
	submission := h.submit("Go.")
	<-b.began
	h.reopen()
	submission, err := h.Submission(t.Context(), submission.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := submission.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if result, _ := h.resultOf(0); runs != 1 || result.Text() != "inner finished\n" {
		t.Errorf("the inner call ran %d times, and the outer gave %s", runs, written(result))
	}
}

func TestWhatAnUnsafeCallWaitedForIsAbandonedAfterARestart(t *testing.T) {
	var b blocking
	outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		_, err := r.Execute(ctx, registry.NestedCall{Tool: "wait"})
		return "", err
	})
	h := open(t, agent.Options{}, with(outer, b.tool("wait", true)))
	h.model.Set(calls("outer", `{}`), text("Done."))
	submission := h.submit("Go.")
	<-b.began
	h.reopen()
	submission, err := h.Submission(t.Context(), submission.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := submission.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, data := h.resultOf(0); !slices.Equal(codes(data), []string{"interrupted"}) || b.runs.Load() != 1 {
		t.Errorf("the call has %s, and the inner one ran %d times", data.Diagnostics, b.runs.Load())
	}
	for task, err := range h.Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskTool, Order: durable.Descending}) {
		if err != nil || task.State.Outcome.Reason != durable.AbortedByRestart || !strings.Contains(string(task.State.Outcome.Result), `"abandoned"`) {
			t.Errorf("the inner task is %+v, %v", task.State.Outcome, err)
		}
		break
	}
}

func TestNestedCallsHaveADepth(t *testing.T) {
	runs, deepest := 0, 0
	again := calling("again", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		runs++
		deepest = max(deepest, registry.CallDepth(ctx))
		inner, err := r.Execute(ctx, registry.NestedCall{Tool: "again"})
		if err != nil {
			return "", err
		}
		return inner.Text, nil
	})
	h := open(t, agent.Options{}, with(again))
	h.model.Set(calls("again", `{}`), text("Done."))
	h.say("Go.")
	if runs != registry.MaxCallDepth+1 || deepest != registry.MaxCallDepth {
		t.Errorf("it ran %d times, %d deep", runs, deepest)
	}
	if result, _ := h.resultOf(0); !strings.Contains(result.Text(), "nest deeper than 32") {
		t.Errorf("the call gave %s", written(result))
	}
}

func TestToolsAreForThoseWhoMayCallThem(t *testing.T) {
	forModels, forTools := says("models", "m"), says("tools", "t")
	forModels.Callers, forTools.Callers = []registry.Caller{registry.CallerModel}, []registry.Caller{registry.CallerTool}
	outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		var said []string
		for _, name := range []string{"models", "tools"} {
			result, err := r.Execute(ctx, registry.NestedCall{Tool: name})
			if err != nil {
				return "", err
			}
			said = append(said, fmt.Sprint(name, " ", result.IsError))
		}
		return strings.Join(said, ", "), nil
	})
	h := open(t, agent.Options{}, with(forModels, forTools, outer))
	h.model.Set(calls("outer", `{}`), calls("tools", `{}`), text("Done."))
	h.say("Go.")
	h.check(
		"user: Go.", "system +tool:models +tool:outer", "assistant (toolUse) outer{}", "tool-result outer: models true, tools false",
		"assistant (toolUse) tools{}", `tool-result tools failed: <harness>|[error] Tool "tools" is not available.|</harness>`, "assistant (stop) Done.",
	)
}

func TestAProgramGetsTheStructuredOutputOrAnErrorThatIsToldToo(t *testing.T) {
	give := func(name, value string) registry.Tool {
		given := tool(name, func(context.Context, *registry.Call) (*registry.Result, error) {
			return &registry.Result{Content: []registry.Content{{Type: registry.ContentText, Text: "text"}}, StructuredOutput: json.RawMessage(value)}, nil
		})
		given.StructuredOutput = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
		return given
	}
	outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		var said []string
		for _, name := range []string{"good", "bad"} {
			result, err := r.Execute(ctx, registry.NestedCall{Tool: name})
			if err != nil {
				return "", err
			}
			said = append(said, fmt.Sprint(string(result.Output), " ", result.IsError))
		}
		return strings.Join(said, ", "), nil
	})
	h := open(t, agent.Options{}, with(give("good", `{"n":1}`), give("bad", `{"n":"x"}`), outer))
	h.model.Set(calls("outer", `{}`), text("Done."))
	h.say("Go.")
	result, _ := h.resultOf(0)
	if result.Text() != `{"n":1} false,  true` {
		t.Errorf("the calls gave %q", result.Text())
	}
	var told struct {
		Calls []struct{ Status, Error string }
	}
	if err := json.Unmarshal(result.NestedCalls, &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Calls) != 2 || told.Calls[0].Status != "ok" || told.Calls[1].Status != "error" || !strings.Contains(told.Calls[1].Error, "does not fit its schema") {
		t.Errorf("the result tells of %s", result.NestedCalls)
	}
}

// sleeper is a task that waits for its abort.
func sleeper() durable.Task[struct{}, struct {
	Phase string `json:"phase"`
}, struct{}] {
	type state = struct {
		Phase string `json:"phase"`
	}
	return durable.DefineTask(durable.TaskSpec[struct{}, state, struct{}]{
		Name: "test.sleeper", Version: 1, Initial: func(struct{}) state { return state{"sleep"} },
		Phases: map[string]func(context.Context, *durable.Run[struct{}, state, struct{}]) error{
			"sleep": func(ctx context.Context, run *durable.Run[struct{}, state, struct{}]) error {
				return run.Sleep(ctx, run.Now().Add(time.Hour))
			},
		},
	})
}

func TestATaskThatAnUnsafeCallOwnsIsAbandonedOnARestart(t *testing.T) {
	definition := sleeper().Definition
	for _, safe := range []bool{false, true} {
		var task record.Task
		outer := calling("outer", func(ctx context.Context, r registry.CallRuntime) (string, error) {
			id, err := r.CreateTask(ctx, definition, json.RawMessage(`{}`), durable.TaskOptions{Ownership: durable.OwnedBy(r.TaskID())})
			if err != nil {
				return "", err
			}
			if task, _, err = r.Task(ctx, id); err != nil {
				return "", err
			}
			return "", r.AbortOwned(ctx, id)
		})
		if safe {
			outer.Replay = registry.ReplaySafe
		}
		h := open(t, agent.Options{}, extension{"tools", registry.Instance{
			Tools: []registry.Tool{outer}, Tasks: []registry.TaskDeclaration{{Definition: definition}},
		}})
		h.model.Set(calls("outer", `{}`), text("Done."))
		h.say("Go.")
		if task.AbandonOnRestart == safe || task.ID == 0 {
			t.Errorf("safe %v: the task is %+v", safe, task)
		}
	}
}

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// resultOf returns the n-th result of the root conversation, from 0, and its data.
func (h *harness) resultOf(n int) (*message.ToolResult, durable.ToolResultData) {
	h.t.Helper()
	for _, entry := range h.entries(record.Root) {
		if !durable.ToolResultEntry.Is(entry) {
			continue
		}
		if n > 0 {
			n--
			continue
		}
		data, err := durable.ToolResultEntry.Data(entry)
		if err != nil {
			h.t.Fatal(err)
		}
		return entry.Model[0].(*message.ToolResult), data
	}
	h.t.Fatalf("there are too few results in\n%s", h.transcript())
	return nil, durable.ToolResultData{}
}

// codes are those of the diagnostics of a result.
func codes(data durable.ToolResultData) (all []string) {
	for _, text := range data.Diagnostics {
		var d registry.Diagnostic
		if json.Unmarshal(text, &d) == nil {
			all = append(all, d.Code)
		}
	}
	return all
}

func TestEachErrorOfACallHasItsCodeAndTheRunGoesOn(t *testing.T) {
	strict := says("strict", "ok")
	strict.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	throws := tool("throws", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		if err := call.Output("so far\n"); err != nil {
			return nil, err
		}
		return nil, errors.New("it broke")
	})
	returns := tool("returns", func(context.Context, *registry.Call) (*registry.Result, error) {
		return &registry.Result{IsError: true, Content: []registry.Content{{Type: registry.ContentText, Text: "no luck"}}}, nil
	})
	guard := registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(_ context.Context, _ registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
		if call.Tool == "guarded" {
			return registry.Decision{Verdict: registry.VerdictBlock, Reason: "not today"}, nil
		}
		return registry.Decision{}, nil
	}}
	for name, c := range map[string]struct {
		call, arguments string
		code            string
		outcome         record.OutcomeStatus // "" for a call without a task
		text            string
	}{
		"not offered":       {"missing", `{}`, "tool_unavailable", "", `<harness>|[error] Tool "missing" is not available.|</harness>`},
		"invalid arguments": {"strict", `{"n":"x"}`, "invalid_arguments", record.Completed, ""},
		"broken JSON":       {"strict", `"{\"n\": nope"`, "invalid_arguments", record.Completed, ""},
		"blocked":           {"guarded", `{}`, "blocked", record.Completed, `<harness>|[error] Tool call blocked: not today|</harness>`},
		"a throw":           {"throws", `{}`, "tool_error", record.Failed, "so far||<harness>|[error] it broke|</harness>"},
		"an error result":   {"returns", `{}`, "", record.Completed, "no luck"},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, agent.Options{}, with(strict, throws, returns, says("guarded", "never")), hooks(guard))
			h.model.Set(calls(c.call, c.arguments), text("So be it."))
			if got := h.answer(h.say("Try.")); got != "So be it." {
				t.Errorf("the answer is %q", got)
			}
			result, data := h.resultOf(0)
			if got := codes(data); !result.IsError || c.code != "" && !slices.Equal(got, []string{c.code}) {
				t.Errorf("the result has the codes %v: %s", got, written(result))
			}
			if got := strings.ReplaceAll(result.Text(), "\n", "|"); c.text != "" && got != c.text {
				t.Errorf("the result says %q, want %q", got, c.text)
			}
			if ran := c.outcome == record.Failed || c.code == ""; ran != (result.DurationMs != nil) {
				t.Errorf("the duration is %v", result.DurationMs)
			}
			var outcome record.OutcomeStatus
			for task, err := range h.Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskTool}) {
				if err != nil {
					t.Fatal(err)
				}
				outcome = task.State.Outcome.Status
			}
			if outcome != c.outcome {
				t.Errorf("the task is %q", outcome)
			}
		})
	}
}

// gauge counts how many calls run at once.
type gauge struct {
	now, most int
	lock      chan struct{}
}

func newGauge() *gauge { return &gauge{lock: make(chan struct{}, 1)} }

func (g *gauge) tool(name string) registry.Tool {
	return tool(name, func(ctx context.Context, _ *registry.Call) (*registry.Result, error) {
		g.lock <- struct{}{}
		g.now++
		g.most = max(g.most, g.now)
		<-g.lock
		<-time.After(time.Second)
		g.lock <- struct{}{}
		g.now--
		<-g.lock
		return registry.TextResult(name), nil
	})
}

func TestARoundRunsInParallelUnlessOneOfItsToolsIsSequential(t *testing.T) {
	for name, c := range map[string]struct {
		settings agent.Settings
		alone    bool
		most     int
	}{
		"parallel":          {agent.Settings{}, false, 3},
		"by the tool":       {agent.Settings{}, true, 1},
		"by the settings":   {agent.Settings{ToolExecution: registry.ExecutionSequential}, false, 1},
		"by both of it too": {agent.Settings{ToolExecution: registry.ExecutionSequential}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGauge()
				one, alone := g.tool("one"), g.tool("alone")
				if c.alone {
					alone.ExecutionMode = registry.ExecutionSequential
				}
				h := open(t, agent.Options{Settings: func() agent.Settings { return c.settings }}, with(one, alone))
				h.model.Set(calls("one", `{}`, "alone", `{}`, "one", `{"n":2}`), text("Done."))
				h.say("Go.")
				if g.most != c.most {
					t.Errorf("%d calls ran at once", g.most)
				}
				context, err := h.root().Context(t.Context(), 0)
				if err != nil {
					t.Fatal(err)
				}
				var results []string
				for _, m := range context.Messages {
					if result, is := m.(*message.ToolResult); is {
						results = append(results, result.Text())
					}
				}
				if want := []string{"one", "alone", "one"}; !slices.Equal(results, want) {
					t.Errorf("the model was shown %q", results)
				}
			})
		})
	}
}

func TestHooksSettleWhatRunsAndWhatIsShownOfIt(t *testing.T) {
	var seen []string
	first := registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(_ context.Context, _ registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
		seen = append(seen, "first saw "+string(call.Arguments))
		return registry.Decision{Arguments: json.RawMessage(`{"n":"2"}`)}, nil
	}}
	second := registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(ctx context.Context, at registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
		seen = append(seen, "second saw "+string(call.Arguments))
		_, err := durable.MemoOnce(ctx, at.Runtime, "second", true)
		return registry.Decision{}, err
	}}
	after := registry.Hook{Kind: registry.HookToolResult, AfterTool: func(_ context.Context, _ registry.HookContext, _ registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
		return registry.TextResult(strings.ReplaceAll(result.Text(), "secret", "***")), nil
	}}
	number := tool("number", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		return nil, call.Output("secret " + string(call.Arguments))
	})
	number.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	number.PrepareArguments = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"n":1}`), nil
	}
	h := open(t, agent.Options{}, with(number), hooks(first, second, after))
	h.model.Set(calls("number", `{"raw":1}`), text("Done."))
	h.say("Go.")
	if want := []string{`first saw {"n":1}`, `second saw {"n":"2"}`}; !slices.Equal(seen, want) {
		t.Errorf("the hooks: %q", seen)
	}
	if result, _ := h.resultOf(0); result.Text() != `*** {"n":2}` {
		t.Errorf("the result says %q", result.Text())
	}
}

func TestOutputIsBoundedAndTheModelIsTold(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("line\n", n) }
	for name, c := range map[string]struct {
		limits registry.OutputLimits
		result *registry.Result
		output string
		want   string
	}{
		"the beginning": {registry.OutputLimits{MaxLines: 2}, nil, "a\nb\nc\nd\n", "a|b||<harness>|[warn] output truncated to its beginning: 2 lines, 4 bytes dropped|</harness>"},
		"the end":       {registry.OutputLimits{MaxLines: 2, Retain: registry.RetainTail}, nil, "a\nb\nc\nd\n", "c|d||<harness>|[warn] output truncated to its end: 2 lines, 4 bytes dropped|</harness>"},
		"by default":    {registry.OutputLimits{}, nil, lines(5000), strings.ReplaceAll(lines(2000), "\n", "|") + "|<harness>|[warn] output truncated to its beginning: 3,000 lines, 15,000 bytes dropped|</harness>"},
		"a result":      {registry.OutputLimits{MaxBytes: 4}, registry.TextResult("ab\ncd\n"), "not shown", "ab||<harness>|[warn] output truncated to its beginning: 1 lines, 3 bytes dropped|</harness>"},
		"several texts": {registry.OutputLimits{MaxBytes: 4, Retain: registry.RetainTail}, &registry.Result{Content: []registry.Content{
			{Type: registry.ContentText, Text: "ab\ncd\n"}, {Type: registry.ContentText, Text: "e"},
		}}, "", "cd||e|<harness>|[warn] output truncated to its end: 1 lines, 3 bytes dropped|</harness>"},
		"nothing": {registry.OutputLimits{}, nil, "", ""},
		"empty":   {registry.OutputLimits{}, &registry.Result{Content: []registry.Content{}}, "not shown", ""},
	} {
		t.Run(name, func(t *testing.T) {
			prints := tool("print", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
				return c.result, call.Output(c.output)
			})
			prints.OutputLimits = c.limits
			h := open(t, agent.Options{}, with(prints))
			h.model.Set(calls("print", `{}`), text("Done."))
			h.say("Go.")
			if result, _ := h.resultOf(0); strings.ReplaceAll(result.Text(), "\n", "|") != c.want {
				t.Errorf("the result says %q, want %q", strings.ReplaceAll(result.Text(), "\n", "|"), c.want)
			}
		})
	}
}

func TestDiagnosticsAreInOrderAndInABlockOfTheirOwn(t *testing.T) {
	prints := tool("print", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		err := errors.Join(
			call.Details(json.RawMessage(`{"step":1}`)),
			call.Diagnose(registry.Diagnostic{Severity: "info", Message: "from the call"}),
			call.Details(json.RawMessage(`{"step":2}`)),
		)
		result := registry.TextResult("too long")
		result.Diagnostics = []registry.Diagnostic{{Severity: "warn", Message: "from the result", Code: "mine"}}
		return result, err
	})
	prints.OutputLimits.MaxBytes = 3
	h := open(t, agent.Options{}, with(prints))
	h.model.Set(calls("print", `{}`), text("Done."))
	h.say("Go.")
	result, data := h.resultOf(0)
	want := "too\n<harness>\n[info] from the call\n[warn] from the result\n[warn] output truncated to its beginning: 0 lines, 5 bytes dropped\n</harness>"
	if result.Text() != want || string(result.Details) != `{"step":2}` || result.IsError {
		t.Errorf("the result is %s with details %s", written(result), result.Details)
	}
	if got := codes(data); !slices.Equal(got, []string{"", "mine", "truncated"}) {
		t.Errorf("the entry has %s", data.Diagnostics)
	}
}

func TestWhatACallPublishesIsStoredWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		var slots []durable.ToolSlot
		look := func() {
			rest()
			slots = append(slots, h.live().Tools[0])
		}
		prints := tool("print", func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			for i := range 3 {
				if err := call.Output(fmt.Sprintln("line", i)); err != nil {
					return nil, err
				}
				look()
			}
			<-time.After(100 * time.Millisecond)
			look()
			if err := call.Details(json.RawMessage(`{"n":1}`)); err != nil {
				return nil, err
			}
			err := call.Runtime.Stored(ctx)
			slots = append(slots, h.live().Tools[0])
			return nil, err
		})
		h = open(t, agent.Options{}, with(prints))
		h.model.Set(calls("print", `{}`), text("Done."))
		h.say("Go.")
		for i, want := range []string{"line 0\n", "line 0\n", "line 0\n", "line 0\nline 1\nline 2\n", "line 0\nline 1\nline 2\n"} {
			if slots[i].Output != want || slots[i].Status != durable.SlotRunning || slots[i].Task == 0 {
				t.Errorf("look %d shows %+v, want %q", i, slots[i], want)
			}
		}
		if string(slots[4].Details) != `{"n":1}` {
			t.Errorf("the details are %s", slots[4].Details)
		}
	})
}

func TestACallIsOfNoUseOnceItHasSettled(t *testing.T) {
	var kept *registry.Call
	var watch *durable.Watch
	keeps := tool("keep", func(ctx context.Context, call *registry.Call) (_ *registry.Result, err error) {
		kept = call
		watch, err = call.Runtime.WatchDocument(ctx, durable.LiveDocument.Definition, durable.InConversation(record.Root), "")
		return nil, err
	})
	h := open(t, agent.Options{}, with(keeps))
	h.model.Set(calls("keep", `{}`), text("Done."))
	h.say("Go.")
	ctx, r := t.Context(), kept.Runtime
	for name, use := range map[string]func() error{
		"output":   func() error { return kept.Output("x") },
		"details":  func() error { return kept.Details(json.RawMessage(`1`)) },
		"diagnose": func() error { return kept.Diagnose(registry.Diagnostic{}) },
		"retained": func() error { _, err := r.RetainedOutput(); return err },
		"stored":   func() error { return r.Stored(ctx) },
		"commit":   func() error { return r.Commit(ctx, func(context.Context, *durable.Tx) error { return nil }) },
		"memo":     func() error { _, _, err := r.Memo(ctx, "m"); return err },
		"memoOnce": func() error { _, err := r.MemoOnce(ctx, "m", json.RawMessage(`1`)); return err },
		"task":     func() error { _, _, err := r.Task(ctx, 1); return err },
		"wait":     func() error { _, err := r.WaitForTask(ctx, 1); return err },
		"abort":    func() error { return r.AbortOwned(ctx, 1) },
		"create": func() error {
			_, err := r.CreateTask(ctx, &durable.TaskDefinition{}, nil, durable.TaskOptions{})
			return err
		},
		"conversation": func() error { _, _, err := r.Conversation(ctx, record.Root); return err },
		"read": func() error {
			_, err := r.ReadDocument(ctx, durable.LiveDocument.Definition, durable.InConversation(record.Root), "")
			return err
		},
		"execute": func() error { _, err := r.Execute(ctx, registry.NestedCall{Tool: "keep"}); return err },
	} {
		var settled *registry.SettledError
		if err := use(); !errors.As(err, &settled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	select {
	case <-watch.Done():
	case <-within(t).Done():
		t.Error("a watch of the call goes on")
	}
}

func TestControlEndsTheRunHandsItOverOrAddsTools(t *testing.T) {
	asks := func(name, control string) registry.Tool {
		return tool(name, func(context.Context, *registry.Call) (*registry.Result, error) {
			return &registry.Result{Control: json.RawMessage(control)}, nil
		})
	}
	all := with(asks("end", `{"terminate":true}`), asks("add", `{"addTools":["hidden"]}`),
		asks("over", `{"handoff":"Go on from here."}`), asks("over2", `{"handoff":"No, from here."}`), says("hidden", "seen"))
	t.Run("terminate", func(t *testing.T) {
		h := open(t, agent.Options{}, all)
		h.model.Set(calls("end", `{}`, "end", `{}`))
		if settled := h.say("Go."); settled.Status != record.Done || !strings.HasPrefix(written(h.entries(record.Root)[2].Model[0]), " (toolUse) end") || settled.Answer != h.entries(record.Root)[2].ID {
			t.Errorf("settled as %+v", settled)
		}
	})
	t.Run("terminate by some", func(t *testing.T) {
		h := open(t, agent.Options{}, all)
		h.model.Set(calls("end", `{}`, "hidden", `{}`), text("On."))
		if got := h.answer(h.say("Go.")); got != "On." {
			t.Errorf("the answer is %q", got)
		}
	})
	t.Run("handoff", func(t *testing.T) {
		h := open(t, agent.Options{}, all)
		h.model.Set(calls("over", `{}`, "over2", `{}`), text("Fresh."))
		if settled := h.say("Go."); settled.Status != record.Done {
			t.Errorf("settled as %+v", settled)
		}
		h.say("Well?")
		entries := strings.Split(h.transcript(), "\n")
		want := []string{
			"reset: No, from here.", "user: Well?",
			"system +tool:end +tool:add +tool:over +tool:over2 +tool:hidden", "assistant (stop) Fresh.",
		}
		if got := entries[len(entries)-4:]; !slices.Equal(got, want) {
			t.Errorf("the transcript ends with %q", got)
		}
	})
	t.Run("add tools", func(t *testing.T) {
		for _, chosen := range []durable.Selection{{Exactly: []string{"add"}}, {Remove: []string{"hidden", "end", "over", "over2"}}} {
			h := open(t, agent.Options{}, all)
			if err := h.root().Configure(t.Context(), durable.AgentChange{Tools: durable.Set(chosen)}); err != nil {
				t.Fatal(err)
			}
			h.model.Set(calls("add", `{}`), calls("hidden", `{}`), text("Done."))
			h.say("Go.")
			h.check(
				"user: Go.", "system +tool:add", "assistant (toolUse) add{}", "tool-result add: ",
				"system +tool:hidden", "assistant (toolUse) hidden{}", "tool-result hidden: seen", "assistant (stop) Done.",
			)
		}
	})
	t.Run("nonsense", func(t *testing.T) {
		h := open(t, agent.Options{}, with(asks("odd", `{"addTools":7}`)))
		h.model.Set(calls("odd", `{}`), text("Done."))
		h.say("Go.")
		if _, data := h.resultOf(0); !slices.Equal(codes(data), []string{"invalid_result"}) {
			t.Errorf("the result has %s", data.Diagnostics)
		}
	})
}

func TestAfterToolsSeesTheRound(t *testing.T) {
	var seen []string
	h := open(t, agent.Options{}, with(says("a", "1"), says("b", "2")), hooks(registry.Hook{
		Kind: registry.HookAfterTools, AfterTools: func(_ context.Context, _ registry.HookContext, response record.EntryID, results []record.EntryID) error {
			seen = append(seen, fmt.Sprint(response, results))
			return nil
		},
	}))
	h.model.Set(calls("b", `{}`, "gone", `{}`, "a", `{}`), text("Done."))
	h.say("Go.")
	ids := map[string]record.EntryID{}
	var response record.EntryID
	for _, e := range h.entries(record.Root) {
		switch m := e.Model[0].(type) {
		case *message.ToolResult:
			ids[m.ToolName] = e.ID
		case *message.Assistant:
			if len(m.ToolCalls()) > 0 {
				response = e.ID
			}
		}
	}
	if want := fmt.Sprint(response, []record.EntryID{ids["b"], ids["gone"], ids["a"]}); !slices.Equal(seen, []string{want}) {
		t.Errorf("the hook saw %v, want %v", seen, want)
	}
}

func TestAToolThatIsGoneWhenItsCallRunsIsUnavailable(t *testing.T) {
	h := open(t, agent.Options{}, with(says("a", "1")))
	h.model.Set(func(context.Context, model.Request, faux.State) (*message.Assistant, error) {
		h.install()
		return faux.Calls(faux.Call("a", json.RawMessage(`{}`))), nil
	}, text("Done."))
	h.say("Go.")
	if _, data := h.resultOf(0); !slices.Equal(codes(data), []string{"tool_unavailable"}) {
		t.Errorf("the result has %s", data.Diagnostics)
	}
	lines := strings.Split(h.transcript(), "\n")
	if !slices.Contains(lines, "system -tool:a") {
		t.Errorf("the transcript is %q", lines)
	}
}

func TestACallThatRunsKeepsItsCode(t *testing.T) {
	var h *harness
	first := tool("a", func(context.Context, *registry.Call) (*registry.Result, error) {
		h.install(with(says("a", "new")))
		return registry.TextResult("old"), nil
	})
	h = open(t, agent.Options{}, with(first))
	h.model.Set(calls("a", `{}`), calls("a", `{}`), text("Done."))
	h.say("Go.")
	one, _ := h.resultOf(0)
	two, _ := h.resultOf(1)
	if one.Text() != "old" || two.Text() != "new" {
		t.Errorf("the calls gave %q and %q", one.Text(), two.Text())
	}
}

func TestUsageOfAToolIsCounted(t *testing.T) {
	spends := tool("spend", func(context.Context, *registry.Call) (*registry.Result, error) {
		return &registry.Result{Usage: &message.Usage{Input: 5, TotalTokens: 5}}, nil
	})
	h := open(t, agent.Options{}, with(spends))
	h.model.Set(calls("spend", `{}`, "spend", `{}`), text("Done."))
	h.say("Go.")
	usage, err := h.Usage(t.Context())
	if err != nil || usage.Tools["spend"].Input != 10 {
		t.Errorf("the usage is %+v, %v", usage, err)
	}
	if result, _ := h.resultOf(0); result.Usage == nil || result.Usage.Input != 5 {
		t.Errorf("the result has %+v", result.Usage)
	}
}

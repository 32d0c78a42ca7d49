package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestACallWhoseToolFailedStaysFailedWhateverHooksMakeOfItsResult(t *testing.T) {
	throws := tool("throws", func(context.Context, *registry.Call) (*registry.Result, error) { return nil, errors.New("it broke") })
	h := open(t, agent.Options{}, with(throws), hooks(registry.Hook{
		Kind: registry.HookToolResult, AfterTool: func(context.Context, registry.HookContext, registry.ToolCallEvent, *registry.Result) (*registry.Result, error) {
			return &registry.Result{Content: []registry.Content{{Type: registry.ContentText, Text: "All is well."}}, Control: json.RawMessage(`{"terminate":true}`)}, nil
		},
	}))
	h.model.Set(calls("throws", `{}`), text("Done."))
	if got := h.answer(h.say("Go.")); got != "Done." {
		t.Errorf("the answer is %q", got)
	}
	if result, _ := h.resultOf(0); result.IsError || result.Text() != "All is well." {
		t.Errorf("the result is %s", written(result))
	}
	for task, err := range h.Tasks(t.Context(), durable.TaskQuery{Kind: registry.TaskTool}) {
		if err != nil || task.State.Outcome.Status != record.Failed || task.State.Outcome.Error.Message != "it broke" {
			t.Errorf("the task is %+v, %v", task.State.Outcome, err)
		}
	}
}

func TestHooksThatReplaceAResultKeepWhatItsCallRecorded(t *testing.T) {
	kept := "<harness>|[info] spilled|%s[warn] output truncated to its end: 1 lines, 4 bytes dropped|</harness>"
	for name, c := range map[string]struct {
		replaced *registry.Result
		want     string
		details  string
	}{
		"nothing":     {nil, "two||" + fmt.Sprintf(kept, "[warn] its own|"), `{"step":1}`},
		"the content": {registry.TextResult("***"), "***|" + fmt.Sprintf(kept, ""), ""},
		"the details": {&registry.Result{Details: json.RawMessage(`{"step":2}`)}, "two||" + fmt.Sprintf(kept, ""), `{"step":2}`},
		"diagnostics": {&registry.Result{Diagnostics: []registry.Diagnostic{{Severity: "info", Message: "other"}}}, "two||" + fmt.Sprintf(kept, "[info] other|"), ""},
		"all content": {&registry.Result{Content: []registry.Content{}}, fmt.Sprintf(kept, ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			prints := tool("print", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
				err := errors.Join(call.Output("one\ntwo\n"), call.Details(json.RawMessage(`{"step":1}`)),
					call.Diagnose(registry.Diagnostic{Severity: "info", Message: "spilled"}))
				return &registry.Result{Diagnostics: []registry.Diagnostic{{Severity: "warn", Message: "its own"}}}, err
			})
			prints.OutputLimits = registry.OutputLimits{MaxLines: 1, Retain: registry.RetainTail}
			h := open(t, agent.Options{}, with(prints), hooks(registry.Hook{
				Kind: registry.HookToolResult, AfterTool: func(_ context.Context, _ registry.HookContext, _ registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
					if result.Text() != "two\n" || string(result.Details) != `{"step":1}` || len(result.Diagnostics) != 1 {
						t.Errorf("the hook sees %+v", result)
					}
					return c.replaced, nil
				},
			}))
			h.model.Set(calls("print", `{}`), text("Done."))
			h.say("Go.")
			result, _ := h.resultOf(0)
			if got := strings.ReplaceAll(result.Text(), "\n", "|"); got != c.want || string(result.Details) != c.details {
				t.Errorf("the result says %q with %s, want %q with %s", got, result.Details, c.want, c.details)
			}
		})
	}
}

func TestAGateThatAsksIsAnsweredByTheHarness(t *testing.T) {
	gate := hooks(registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
		return registry.Decision{Verdict: registry.VerdictAsk, Reason: "sure?", Arguments: json.RawMessage(`{"n":2}`)}, nil
	}})
	for name, c := range map[string]struct {
		approve registry.Approver
		code    []string
	}{
		"nobody":  {nil, []string{"blocked"}},
		"refused": {func(context.Context, registry.Approval) (bool, error) { return false, nil }, []string{"blocked"}},
		"approved": {func(_ context.Context, ask registry.Approval) (bool, error) {
			return string(ask.Call.Arguments) == `{"n":2}`, nil
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, agent.Options{Approve: c.approve}, with(says("a", "1")), gate)
			h.model.Set(calls("a", `{"n":1}`), text("Done."))
			h.say("Go.")
			if _, data := h.resultOf(0); !slices.Equal(codes(data), c.code) {
				t.Errorf("the result has %s", data.Diagnostics)
			}
		})
	}
}

func TestAChainOfHooksGoesOnWithTheCodeItBeganWith(t *testing.T) {
	var h *harness
	var seen []string
	sees := func(name string, then func()) registry.Hook {
		return registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
			seen = append(seen, name)
			then()
			return registry.Decision{}, nil
		}}
	}
	nothing := func() {}
	h = open(t, agent.Options{}, with(says("a", "old")), hooks(
		sees("first", func() { h.install(with(says("a", "new")), hooks(sees("new", nothing))) }), sees("second", nothing)))
	h.model.Set(calls("a", `{}`), calls("a", `{}`), text("Done."))
	h.say("Go.")
	one, _ := h.resultOf(0)
	two, _ := h.resultOf(1)
	if want := []string{"first", "second", "new"}; !slices.Equal(seen, want) || one.Text() != "old" || two.Text() != "new" {
		t.Errorf("the hooks are %q, and the calls gave %q and %q", seen, one.Text(), two.Text())
	}
}

func TestAResultIsMadeFitForTranscripts(t *testing.T) {
	odd := tool("odd", func(context.Context, *registry.Call) (*registry.Result, error) {
		return &registry.Result{
			Content: []registry.Content{{Type: registry.ContentText, Text: "a\xffb"}, {Type: registry.ContentImage, Data: []byte{1, 2}, MIMEType: "image/png"}},
			Details: json.RawMessage(`{not json`),
		}, nil
	})
	h := open(t, agent.Options{}, with(odd))
	h.model.Set(calls("odd", `{}`), text("Done."))
	h.say("Go.")
	result, data := h.resultOf(0)
	if !slices.Equal(codes(data), []string{"invalid_result"}) || result.Details != nil || !strings.HasPrefix(result.Text(), "a�b\n") {
		t.Errorf("the result is %s with %s", written(result), result.Details)
	}
	if image, is := result.Content[1].(*message.Image); !is || image.Data != "AQI=" || image.MimeType != "image/png" {
		t.Errorf("the content is %+v", result.Content)
	}
}

func TestDetailsThatAreNotUTF8AreLeftOut(t *testing.T) {
	h := open(t, agent.Options{}, with(tool("odd", func(context.Context, *registry.Call) (*registry.Result, error) {
		result := registry.TextResult("kept")
		result.Details = json.RawMessage("\"\xff\"")
		return result, nil
	})))
	h.model.Set(calls("odd", `{}`), text("Done."))
	h.say("Go.")
	result, data := h.resultOf(0)
	if !slices.Equal(codes(data), []string{"invalid_result"}) || result.Details != nil || result.IsError || !strings.HasPrefix(result.Text(), "kept\n") {
		t.Errorf("the result is %q with details %q and %s", result.Text(), result.Details, data.Diagnostics)
	}
}

func TestArgumentsThatCannotBeStoredAreInvalid(t *testing.T) {
	deep := json.RawMessage(`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`)
	large := json.RawMessage(`{"a":"` + strings.Repeat("x", 33<<20) + `"}`)
	for name, arguments := range map[string]json.RawMessage{"too deep": deep, "too large": large} {
		for _, by := range []string{"a hook", "the tool"} {
			t.Run(name+" by "+by, func(t *testing.T) {
				odd := says("odd", "ran")
				var extensions []extension
				if by == "the tool" {
					odd.PrepareArguments = func(context.Context, json.RawMessage) (json.RawMessage, error) { return arguments, nil }
				} else {
					extensions = append(extensions, hooks(registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
						return registry.Decision{Arguments: arguments}, nil
					}}))
				}
				h := open(t, agent.Options{}, append(extensions, with(odd))...)
				h.model.Set(calls("odd", `{}`), text("Done."))
				if got := h.answer(h.say("Go.")); got != "Done." {
					t.Errorf("the answer is %q", got)
				}
				if got, data := h.resultOf(0); !got.IsError || !slices.Equal(codes(data), []string{"invalid_arguments"}) {
					t.Errorf("the result is %.300s", written(got))
				}
			})
		}
	}
}

func TestAResultThatCannotBeStoredIsAnErrorOfItsCall(t *testing.T) {
	for name, result := range map[string]*registry.Result{
		"too large":  {Content: []registry.Content{{Type: registry.ContentImage, Data: make([]byte, 13<<20), MIMEType: "image/png"}}},
		"too deep":   {Details: json.RawMessage(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))},
		"odd number": {Usage: &message.Usage{Input: 1 << 60}},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, agent.Options{}, with(tool("odd", func(context.Context, *registry.Call) (*registry.Result, error) { return result, nil })))
			h.model.Set(calls("odd", `{}`), text("Done."))
			if got := h.answer(h.say("Go.")); got != "Done." {
				t.Errorf("the answer is %q", got)
			}
			if got, data := h.resultOf(0); !slices.Equal(codes(data), []string{"tool_error"}) || !strings.Contains(got.Text(), "cannot be stored") {
				t.Errorf("the result is %.200s", written(got))
			}
		})
	}
}

// careless is a provider that ends its responses with messages as they are.
type careless struct{ answers []*message.Assistant }

// ID implements [model.Provider].
func (*careless) ID() string { return "careless" }

// Models implements [model.Provider].
func (*careless) Models() []*model.Model {
	return []*model.Model{{ID: "c", Provider: "careless", API: "c"}}
}

// Stream implements [model.Provider].
func (p *careless) Stream(context.Context, model.Request) model.Stream {
	return func(yield func(model.Event) bool) {
		answer := p.answers[0]
		p.answers = p.answers[1:]
		answer.Provider, answer.Model, answer.API = "careless", "c", "c"
		yield(model.Event{Type: model.Done, Message: answer})
	}
}

func TestCallsHaveIdsOfTheirOwn(t *testing.T) {
	h := open(t, agent.Options{}, with(tool("a", func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		return registry.TextResult(string(call.Arguments)), nil
	})))
	call := func(n string) *message.ToolCall {
		return &message.ToolCall{ID: "same", Name: "a", Arguments: json.RawMessage(n)}
	}
	if _, err := h.Models().Set(&careless{[]*message.Assistant{
		faux.Message(call(`{"n":1}`), call(`{"n":2}`), &message.ToolCall{Name: "a", Arguments: json.RawMessage(`{"n":3}`)}), faux.Says("Done."),
	}}); err != nil {
		t.Fatal(err)
	}
	if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "careless", Model: "c"})}); err != nil {
		t.Fatal(err)
	}
	h.say("Go.")
	context, err := h.root().Context(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, m := range context.Messages {
		if result, is := m.(*message.ToolResult); is {
			shown = append(shown, result.ToolCallID+result.Text())
		}
	}
	if want := []string{`same{"n":1}`, `same#2{"n":2}`, `#2{"n":3}`}; !slices.Equal(shown, want) {
		t.Errorf("the model was shown %q", shown)
	}
}

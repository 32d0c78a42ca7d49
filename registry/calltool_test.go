package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

var numberSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)

// TestACallGoesThroughItsStepsInOrder also shows what each step sees.
func TestACallGoesThroughItsStepsInOrder(t *testing.T) {
	var steps []string
	step := func(format string, args ...any) { steps = append(steps, fmt.Sprintf(format, args...)) }
	tool := registry.Tool{
		Name: "act", Parameters: numberSchema,
		PrepareArguments: func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			step("prepare %s", arguments)
			return json.RawMessage(`{"n":"1"}`), nil
		},
		Execute: func(_ context.Context, call *registry.Call) (*registry.Result, error) {
			step("execute %s", call.Arguments)
			return registry.TextResult("one"), nil
		},
	}
	hooks := []registry.Hook{
		{Kind: registry.HookToolCall, BeforeTool: func(_ context.Context, at registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
			step("before %s %s for %s in %d with %s", call.ID, call.Arguments, at.Agent, at.Conversation, at.Settings)
			return registry.Decision{Verdict: registry.VerdictAsk, Arguments: json.RawMessage(`{"n":"2"}`)}, nil
		}},
		{Kind: registry.HookToolResult, AfterTool: func(_ context.Context, _ registry.HookContext, call registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
			step("after %s %s", call.Arguments, result.Text())
			return registry.TextResult("two"), nil
		}},
		{Kind: "ToolTask.afterTool", AfterTool: func(_ context.Context, _ registry.HookContext, call registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
			step("after %s %s", call.Arguments, result.Text())
			return nil, nil
		}},
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("x", registry.Instance{Tools: []registry.Tool{tool}, Hooks: hooks}))
	result := r.CallTool(t.Context(), registry.Call{
		ID: "7", Tool: "act", Arguments: json.RawMessage(`{"m":1}`), Asking: registry.Asking{
			Agent: "main", Conversation: 12,
			Settings: func(extension string) json.RawMessage { return fmt.Appendf(nil, "{%q:1}", extension) },
		},
		Approve: func(_ context.Context, ask registry.Approval) (bool, error) {
			step("approve %s", ask.Call.Arguments)
			return true, nil
		},
	})
	want := []string{
		`prepare {"m":1}`,
		`before 7 {"n":1} for main in 12 with {"x":1}`,
		`approve {"n":2}`,
		`execute {"n":2}`,
		`after {"n":2} one`,
		`after {"n":2} two`,
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if result.Text() != "two" || result.IsError {
		t.Errorf("result = %+v", result)
	}
}

func TestAnErrorResultHasItsCode(t *testing.T) {
	gone := errors.New("the isolate was replaced")
	failing := func(err error) func(context.Context, *registry.Call) (*registry.Result, error) {
		return func(context.Context, *registry.Call) (*registry.Result, error) { return nil, err }
	}
	tests := []struct {
		name    string
		change  func(*registry.Tool, *registry.Call)
		code    registry.ResultCode
		isError bool
		text    string
	}{
		{"no such tool", func(_ *registry.Tool, c *registry.Call) { c.Tool = "other" }, registry.CodeToolUnavailable, true, `Tool "other" is not available.`},
		{"arguments the model broke", func(_ *registry.Tool, c *registry.Call) { c.ArgumentsError = "unexpected end" }, registry.CodeInvalidArguments, true, `Invalid arguments for tool "act": unexpected end`},
		{"preparing fails", func(tool *registry.Tool, _ *registry.Call) {
			tool.PrepareArguments = func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errors.New("no n") }
		}, registry.CodeInvalidArguments, true, `Invalid arguments for tool "act": no n`},
		{"invalid arguments", func(_ *registry.Tool, c *registry.Call) { c.Arguments = json.RawMessage(`{"m": [1, "x"]}`) }, registry.CodeInvalidArguments, true,
			"Validation failed for tool \"act\":\n  - n: missing\n  - m: unknown field\n\nReceived arguments:\n{\n  \"m\": [\n    1,\n    \"x\"\n  ]\n}"},
		{"no arguments", func(_ *registry.Tool, c *registry.Call) { c.Arguments = nil }, registry.CodeInvalidArguments, true,
			"Validation failed for tool \"act\":\n  - n: missing\n\nReceived arguments:\n{}"},
		{"the tool fails", func(tool *registry.Tool, _ *registry.Call) { tool.Execute = failing(errors.New("disk full")) }, registry.CodeToolError, true, "disk full"},
		{"the tool panics", func(tool *registry.Tool, _ *registry.Call) {
			tool.Execute = func(context.Context, *registry.Call) (*registry.Result, error) { panic("ouch") }
		}, registry.CodeToolError, true, "extension x: tool act: panicked: ouch"},
		{"the tool takes too long", func(tool *registry.Tool, _ *registry.Call) {
			tool.Timeout = 10 * time.Millisecond
			tool.Execute = func(ctx context.Context, _ *registry.Call) (*registry.Result, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}, registry.CodeToolError, true, "extension x: tool act: did not finish within 10ms"},
		{"the tool is interrupted", func(tool *registry.Tool, _ *registry.Call) {
			tool.Execute = failing(fmt.Errorf("call: %w", &registry.InterruptedError{Err: gone}))
		}, registry.CodeInterrupted, true, "call: interrupted: the isolate was replaced"},
		{"the tool returns an error result", func(tool *registry.Tool, _ *registry.Call) {
			tool.Execute = func(context.Context, *registry.Call) (*registry.Result, error) {
				r := registry.TextResult("exit 1")
				r.IsError, r.Code = true, "made up"
				return r, nil
			}
		}, "", true, "exit 1"},
		{"the tool returns nothing", func(tool *registry.Tool, _ *registry.Call) { tool.Execute = failing(nil) }, "", false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := echo("act")
			tool.Parameters = numberSchema
			call := registry.Call{ID: "1", Tool: "act", Arguments: json.RawMessage(`{"n":1}`)}
			test.change(&tool, &call)
			var reported failures
			r := registry.New(registry.Options{Report: reported.report})
			promote(t, r, "c1", world("x", tools(tool)))
			result := r.CallTool(t.Context(), call)
			if result.Code != test.code || result.IsError != test.isError || result.Text() != test.text {
				t.Errorf("result = %q, error %v, %q\nwant %q, error %v, %q", result.Code, result.IsError, result.Text(), test.code, test.isError, test.text)
			}
			if want := strings.HasPrefix(test.text, "extension x:"); want != (len(reported.texts()) == 1) {
				t.Errorf("reported %q", reported.texts())
			}
		})
	}
}

func TestACallWhoseContextEndsIsAborted(t *testing.T) {
	for _, where := range []string{"prepare", "gate", "approval", "execute"} {
		t.Run(where, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			wait := func(here string) error {
				if here != where {
					return nil
				}
				cancel(errors.New("the user pressed escape"))
				return ctx.Err()
			}
			tool := echo("act")
			tool.PrepareArguments = func(_ context.Context, a json.RawMessage) (json.RawMessage, error) { return a, wait("prepare") }
			tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
				if err := call.Output("half of "); err != nil {
					t.Error(err)
				}
				return nil, wait("execute")
			}
			var seen []string
			var reported failures
			r := registry.New(registry.Options{Report: reported.report})
			promote(t, r, "c1", world("x", registry.Instance{Tools: []registry.Tool{tool}, Hooks: []registry.Hook{
				{Kind: registry.HookToolCall, BeforeTool: func(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
					return registry.Decision{Verdict: registry.VerdictAsk}, wait("gate")
				}},
				{Kind: registry.HookToolResult, AfterTool: func(ctx context.Context, _ registry.HookContext, _ registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
					seen = append(seen, result.Text())
					return nil, ctx.Err()
				}},
			}}))
			result := r.CallTool(ctx, registry.Call{ID: "1", Tool: "act", Approve: func(context.Context, registry.Approval) (bool, error) {
				return true, wait("approval")
			}})
			if result.Code != registry.CodeAborted || !result.IsError {
				t.Errorf("result = %+v", result)
			}
			if where == "execute" {
				if len(seen) != 1 || !strings.HasPrefix(seen[0], "half of ") {
					t.Errorf("the hook on results saw %q, not the output of the aborted call", seen)
				}
			} else if len(seen) != 0 {
				t.Errorf("the hook on results saw %q of a call that did not run", seen)
			}
			if got := reported.texts(); len(got) != 0 {
				t.Errorf("reported %q", got)
			}
		})
	}
}

func TestAFailingResultHookIsReportedAndTheChainGoesOn(t *testing.T) {
	after := func(f func(*registry.Result) (*registry.Result, error)) registry.Instance {
		return registry.Instance{Hooks: []registry.Hook{{Kind: registry.HookToolResult,
			AfterTool: func(_ context.Context, _ registry.HookContext, _ registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
				return f(result)
			}}}}
	}
	more := func(text string) registry.Instance {
		return after(func(r *registry.Result) (*registry.Result, error) { return registry.TextResult(r.Text() + text), nil })
	}
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	promote(t, r, "c1", world("a", more("+a")),
		world("b", after(func(*registry.Result) (*registry.Result, error) {
			return registry.TextResult("lost"), errors.New("no network")
		})),
		world("c", after(func(*registry.Result) (*registry.Result, error) { panic("nil map") })),
		world("d", more("+d")), world("tool", tools(says("act", "done"))))
	if got := r.CallTool(t.Context(), registry.Call{Tool: "act"}).Text(); got != "done+a+d" {
		t.Errorf("result %q", got)
	}
	want := []string{"extension b: hook tool_result: no network", "extension c: hook tool_result: panicked: nil map"}
	if got := reported.texts(); !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
}

func TestAReplacedErrorResultKeepsItsCode(t *testing.T) {
	failing := echo("act")
	failing.Execute = func(context.Context, *registry.Call) (*registry.Result, error) {
		return nil, errors.New("key sk-123 refused")
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("x", registry.Instance{Tools: []registry.Tool{failing}, Hooks: []registry.Hook{{Kind: registry.HookToolResult,
		AfterTool: func(_ context.Context, _ registry.HookContext, _ registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
			clean := registry.TextResult("key *** refused")
			clean.IsError = result.IsError
			return clean, nil
		}}}}))
	result := r.CallTool(t.Context(), registry.Call{Tool: "act"})
	if result.Code != registry.CodeToolError || result.Text() != "key *** refused" {
		t.Errorf("result = %+v", result)
	}
}

func TestWhatARunningCallPublishes(t *testing.T) {
	var kept *registry.Call
	tool := echo("act")
	tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		kept = call
		for _, err := range []error{
			call.Output("line 1\n"), call.Output("line 2\n"),
			call.Details(json.RawMessage(`{"step":1}`)), call.Details(json.RawMessage(`{"step":2}`)),
			call.Diagnose(registry.Diagnostic{Severity: "info", Message: "first"}),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		return &registry.Result{Diagnostics: []registry.Diagnostic{{Severity: "warn", Message: "last"}}}, nil
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("x", tools(tool)))
	var live []string
	result := r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act", Progress: func(p registry.Progress) {
		text, err := json.Marshal(p)
		if err != nil {
			t.Error(err)
		}
		live = append(live, string(text))
	}})
	want := &registry.Result{
		Content:     []registry.Content{{Type: registry.ContentText, Text: "line 1\nline 2\n"}},
		Details:     json.RawMessage(`{"step":2}`),
		Diagnostics: []registry.Diagnostic{{Severity: "info", Message: "first"}, {Severity: "warn", Message: "last"}},
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if len(live) != 5 {
		t.Errorf("progress = %q", live)
	}
	var settled *registry.SettledError
	if err := kept.Output("late"); !errors.As(err, &settled) {
		t.Errorf("publishing after the call settled gave %v", err)
	}
}

// TestProgressIsToldInTheOrderInWhichItIsKept publishes from many goroutines at once.
func TestProgressIsToldInTheOrderInWhichItIsKept(t *testing.T) {
	tool := echo("act")
	tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		var writing sync.WaitGroup
		for n := range 8 {
			writing.Go(func() {
				for range 100 {
					if err := call.Output(fmt.Sprint(n)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writing.Wait()
		return nil, nil
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("x", tools(tool)))
	told := ""
	result := r.CallTool(t.Context(), registry.Call{Tool: "act", Progress: func(p registry.Progress) { told += p.Output }})
	if told != result.Text() || len(told) != 800 {
		t.Errorf("told %q, kept %q", told, result.Text())
	}
}

func TestPublishedOutputIsBounded(t *testing.T) {
	tool := echo("act")
	tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		for range 3 {
			if err := call.Output(strings.Repeat("ä", 400_000)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("x", tools(tool)))
	result := r.CallTool(t.Context(), registry.Call{Tool: "act"})
	if n := len(result.Text()); n > 1<<20 || n < 1<<20-1 || strings.Trim(result.Text(), "ä") != "" {
		t.Errorf("%d bytes are kept, or not whole characters", n)
	}
	if len(result.Diagnostics) != 1 || !strings.Contains(result.Diagnostics[0].Message, fmt.Sprint(2_400_000-len(result.Text()))) {
		t.Errorf("diagnostics = %+v", result.Diagnostics)
	}
}

func TestPublishedDiagnosticsAreBounded(t *testing.T) {
	for _, test := range []struct {
		name          string
		message       string
		count, at, to int // how many are kept: from at to to
	}{
		{"few", "x", 10, 10, 10},
		{"many", "x", 5000, 900, 1000},
		{"large", strings.Repeat("x", 300_000), 5, 3, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			tool := echo("act")
			tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
				for range test.count {
					if err := call.Diagnose(registry.Diagnostic{Severity: "info", Message: test.message}); err != nil {
						return nil, err
					}
				}
				return nil, nil
			}
			r := registry.New(registry.Options{})
			promote(t, r, "c1", world("x", tools(tool)))
			shown := 0
			result := r.CallTool(t.Context(), registry.Call{Tool: "act", Progress: func(registry.Progress) { shown++ }})
			kept := len(result.Diagnostics)
			if test.count > test.to {
				kept--
				if last := result.Diagnostics[kept]; last.Severity != "warn" || !strings.Contains(last.Message, fmt.Sprintf("%d of them are not kept", test.count-kept)) {
					t.Errorf("the last is %+v", last)
				}
			}
			if kept < test.at || kept > test.to || shown != test.count {
				t.Errorf("%d of %d are kept, %d were shown", kept, test.count, shown)
			}
		})
	}
}

// A running call sees its output as it is kept, and its end, in whole characters.
func TestARunningCallSeesItsOutput(t *testing.T) {
	tool := echo("act")
	tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		var all string
		for n := range 3000 {
			text := strings.Repeat("ä", n) + "|"
			all += text
			if err := call.Output(text); err != nil {
				return nil, err
			}
			if n%500 > 0 && n != 60 {
				continue
			}
			retained, err := call.Retained()
			if err != nil || !strings.HasPrefix(all, retained) || len(retained) < min(len(all), 1<<20-1) || len(retained) > 1<<20 {
				t.Errorf("of %d bytes %d are retained, %v", len(all), len(retained), err)
			}
			window, err := call.Window()
			if err != nil || !strings.HasSuffix(all, window) || len(window) < min(len(all), 64<<10-1) || len(window) > 64<<10 || !utf8.ValidString(window) {
				t.Errorf("of %d bytes %d are in the window, %v", len(all), len(window), err)
			}
		}
		return nil, nil
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("x", tools(tool)))
	if result := r.CallTool(t.Context(), registry.Call{Tool: "act"}); result.IsError {
		t.Error(result.Text())
	}
}

func TestAHookThatKeepsItsOwnLimitsGetsNoDeadline(t *testing.T) {
	for _, limited := range []bool{false, true} {
		var deadline bool
		r := registry.New(registry.Options{})
		promote(t, r, "c1", world("tool", tools(says("act", ""))), world("x", registry.Instance{Limited: limited, Hooks: []registry.Hook{{
			Kind: registry.HookToolCall,
			BeforeTool: func(ctx context.Context, _ registry.HookContext, _ registry.ToolCallEvent) (registry.Decision, error) {
				_, deadline = ctx.Deadline()
				return registry.Decision{}, nil
			}}}}))
		r.CallTool(context.WithoutCancel(t.Context()), registry.Call{Tool: "act"})
		if deadline == limited {
			t.Errorf("limited %v: deadline %v", limited, deadline)
		}
	}
}

// TestAFailureIsThatOfTheExtensionWhoseHandlerFailed: a hook that fails because
// a service of another extension panicked.
func TestAFailureIsThatOfTheExtensionWhoseHandlerFailed(t *testing.T) {
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	promote(t, r, "c1", world("tool", tools(says("act", "done"))),
		provider("clock", "clock", func(context.Context, string, []any) (any, error) { panic("no battery") }),
		world("hook", registry.Instance{Hooks: []registry.Hook{{Kind: registry.HookToolResult,
			AfterTool: func(ctx context.Context, _ registry.HookContext, _ registry.ToolCallEvent, _ *registry.Result) (*registry.Result, error) {
				_, err := r.CallService(ctx, "clock", "now", nil)
				return nil, err
			}}}}))
	r.CallTool(t.Context(), registry.Call{Tool: "act"})
	want := []string{"extension hook: hook tool_result: extension clock: service clock.now: panicked: no battery"}
	if got := reported.texts(); !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
}

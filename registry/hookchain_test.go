package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

type (
	hookContext = registry.HookContext
	toolCall    = registry.ToolCallEvent
)

// watcher is an extension with a hook of each kind of the engine, which notes that it
// was asked, and has no opinion.
func watcher(name string, asked *[]string) *extension {
	note := func(kind string) { *asked = append(*asked, name+" "+kind) }
	return world(name, registry.Instance{
		Tools: []registry.Tool{echo("act")},
		Hooks: []registry.Hook{
			{Kind: registry.HookToolCall, BeforeTool: func(context.Context, hookContext, toolCall) (registry.Decision, error) {
				note("beforeTool")
				return registry.Decision{}, nil
			}},
			{Kind: registry.HookToolResult, AfterTool: func(context.Context, hookContext, toolCall, *registry.Result) (*registry.Result, error) {
				note("afterTool")
				return nil, nil
			}},
			{Kind: registry.HookOnAbort, OnAbort: func(context.Context, hookContext, toolCall, *registry.Result) (*registry.Result, error) {
				note("onAbort")
				return nil, nil
			}},
			{Kind: registry.HookBeforeRequest, BeforeRequest: func(context.Context, hookContext, message.Messages) (message.Messages, error) {
				note("beforeRequest")
				return nil, nil
			}},
			{Kind: registry.HookAfterResponse, AfterResponse: func(context.Context, hookContext, *message.Assistant) error {
				note("afterResponse")
				return nil
			}},
			{Kind: registry.HookOnYield, OnYield: func(context.Context, hookContext, *message.Assistant) (*message.Content, error) {
				note("onYield")
				return nil, nil
			}},
			{Kind: registry.HookAfterTools, AfterTools: func(context.Context, hookContext, record.EntryID, []record.EntryID) error {
				note("afterTools")
				return nil
			}},
			{Kind: registry.HookBeforeCompact, BeforeCompact: func(context.Context, hookContext, registry.Compaction) (*registry.CompactionDecision, error) {
				note("beforeCompact")
				return nil, nil
			}},
		},
	})
}

// askEverything asks the hooks of each kind of the engine, in the order of watcher.
func askEverything(t *testing.T, a *registry.Agent) {
	t.Helper()
	call := registry.Call{ID: "1", Tool: "act"}
	if refused := a.Admit(t.Context(), &call); refused != nil {
		t.Errorf("refused: %s", refused.Text())
	}
	given := registry.TextResult("given")
	if got := a.AfterTool(t.Context(), call, given); got != given {
		t.Errorf("afterTool gave %+v", got)
	}
	if got := a.OnAbort(t.Context(), call, given); got != given {
		t.Errorf("onAbort gave %+v", got)
	}
	messages := message.Messages{message.UserText("hello", 1)}
	if got, err := a.BeforeRequest(t.Context(), registry.Asking{}, messages); err != nil || len(got) != 1 || got[0] != messages[0] {
		t.Errorf("beforeRequest gave %v, %v", got, err)
	}
	if err := a.AfterResponse(t.Context(), registry.Asking{}, &message.Assistant{}); err != nil {
		t.Error(err)
	}
	if got, err := a.OnYield(t.Context(), registry.Asking{}, &message.Assistant{}); err != nil || got != nil {
		t.Errorf("onYield gave %v, %v", got, err)
	}
	if err := a.AfterTools(t.Context(), registry.Asking{}, 1, []record.EntryID{2}); err != nil {
		t.Error(err)
	}
	if got, err := a.BeforeCompact(t.Context(), registry.Asking{}, registry.Compaction{}); err != nil || got != nil {
		t.Errorf("beforeCompact gave %v, %v", got, err)
	}
}

// hooked is the agent of extensions with one hook each.
func hooked(t *testing.T, options registry.Options, hooks ...registry.Hook) *registry.Agent {
	t.Helper()
	var list []*extension
	for i, h := range hooks {
		list = append(list, world(string(rune('a'+i)), registry.Instance{Hooks: []registry.Hook{h}, Tools: []registry.Tool{echo("act")}}))
	}
	return promote(t, registry.New(options), "c1", list...).Agent(t.Context(), registry.AgentChoice{})
}

func TestHooksOnARequestReplaceItsMessagesOneAfterAnother(t *testing.T) {
	var seen []string
	adds := func(text string) registry.Hook {
		return registry.Hook{Kind: registry.HookBeforeRequest, BeforeRequest: func(_ context.Context, _ hookContext, messages message.Messages) (message.Messages, error) {
			var all []string
			for _, m := range messages {
				all = append(all, m.Text())
			}
			seen = append(seen, strings.Join(all, " "))
			if text == "" {
				return nil, nil
			}
			return append(slices.Clip(messages), message.UserText(text, 2)), nil
		}}
	}
	a := hooked(t, registry.Options{}, adds("two"), adds(""), adds("three"))
	given := message.Messages{message.UserText("one", 1)}
	got, err := a.BeforeRequest(t.Context(), registry.Asking{}, given)
	if err != nil || len(got) != 3 || got[2].Text() != "three" || len(given) != 1 {
		t.Errorf("got %v, %v; given %v", got, err, given)
	}
	if diff := cmp.Diff([]string{"one", "one two", "one two"}, seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
	empty := registry.Hook{Kind: registry.HookBeforeRequest, BeforeRequest: func(context.Context, hookContext, message.Messages) (message.Messages, error) {
		return message.Messages{}, nil
	}}
	if got, err := hooked(t, registry.Options{}, empty).BeforeRequest(t.Context(), registry.Asking{}, given); err != nil || got == nil || len(got) != 0 {
		t.Errorf("an empty list is a replacement; got %v, %v", got, err)
	}
}

func TestAllObserversAreToldWhatHappened(t *testing.T) {
	var told []string
	observes := func(name string) *extension {
		return world(name, registry.Instance{Hooks: []registry.Hook{
			{Kind: registry.HookAfterResponse, AfterResponse: func(_ context.Context, _ hookContext, response *message.Assistant) error {
				told = append(told, name+" "+response.Text()+" "+string(response.StopReason))
				return nil
			}},
			{Kind: registry.HookAfterTools, AfterTools: func(_ context.Context, _ hookContext, response record.EntryID, results []record.EntryID) error {
				told = append(told, fmt.Sprint(name, " ", response, results))
				return nil
			}},
		}})
	}
	a := promote(t, registry.New(registry.Options{}), "c1", observes("a"), observes("b")).Agent(t.Context(), registry.AgentChoice{})
	response := &message.Assistant{StopReason: message.StopReasonError, Content: message.Blocks{&message.Text{Text: "half"}}}
	if err := a.AfterResponse(t.Context(), registry.Asking{}, response); err != nil {
		t.Error(err)
	}
	if err := a.AfterTools(t.Context(), registry.Asking{}, 7, []record.EntryID{9, 8}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"a half error", "b half error", "a 7 [9 8]", "b 7 [9 8]"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestTheFirstHookThatContinuesIsTheLastThatIsAsked(t *testing.T) {
	asked := 0
	says := func(text string) registry.Hook {
		return registry.Hook{Kind: registry.HookOnYield, OnYield: func(_ context.Context, _ hookContext, answer *message.Assistant) (*message.Content, error) {
			asked++
			if answer.Text() != "done" {
				t.Errorf("asked about %q", answer.Text())
			}
			if text == "" {
				return nil, nil
			}
			return &message.Content{Text: text}, nil
		}}
	}
	a := hooked(t, registry.Options{}, says(""), says("go on"), says("no, stop"))
	answer := &message.Assistant{Content: message.Blocks{&message.Text{Text: "done"}}}
	turn, err := a.OnYield(t.Context(), registry.Asking{}, answer)
	if err != nil || turn == nil || turn.Text != "go on" || asked != 2 {
		t.Errorf("got %+v, %v after %d", turn, err, asked)
	}
}

func TestADecisionAboutACompactionWithoutASummaryDecidesNothing(t *testing.T) {
	for name, summary := range map[string]string{"none": "", "blanks": " \n\t"} {
		t.Run(name, func(t *testing.T) {
			decides := func(summary string) registry.Hook {
				return registry.Hook{Kind: registry.HookBeforeCompact, BeforeCompact: func(context.Context, hookContext, registry.Compaction) (*registry.CompactionDecision, error) {
					return &registry.CompactionDecision{Summary: summary}, nil
				}}
			}
			var reports []string
			options := registry.Options{Report: func(f *registry.Failure) { reports = append(reports, f.Error()) }}
			got, err := hooked(t, options, decides(summary), decides("it was long")).BeforeCompact(t.Context(), registry.Asking{}, registry.Compaction{})
			if err != nil || got == nil || got.Summary != "it was long" {
				t.Errorf("got %+v, %v", got, err)
			}
			if len(reports) != 1 || !strings.Contains(reports[0], "neither declined nor gave a summary") {
				t.Errorf("reported: %q", reports)
			}
			got, err = hooked(t, options, decides(summary)).BeforeCompact(t.Context(), registry.Asking{}, registry.Compaction{})
			if err != nil || got != nil {
				t.Errorf("alone it decides %+v, %v", got, err)
			}
		})
	}
}

func TestTheFirstDecisionAboutACompactionCounts(t *testing.T) {
	compaction := registry.Compaction{Reason: "overflow", FirstKept: 7, Entries: []record.Entry{{ID: 3}}, Instructions: "short"}
	for name, first := range map[string]registry.CompactionDecision{"declines": {Decline: true}, "summarizes": {Summary: "it was long"}, "declines with a summary": {Decline: true, Summary: "it was long"}} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			decides := func(decision *registry.CompactionDecision) registry.Hook {
				return registry.Hook{Kind: registry.HookBeforeCompact, BeforeCompact: func(_ context.Context, _ hookContext, got registry.Compaction) (*registry.CompactionDecision, error) {
					asked++
					if diff := cmp.Diff(compaction, got); diff != "" {
						t.Errorf("asked about (-want +got):\n%s", diff)
					}
					return decision, nil
				}}
			}
			a := hooked(t, registry.Options{}, decides(nil), decides(&first), decides(&registry.CompactionDecision{Summary: "other"}))
			got, err := a.BeforeCompact(t.Context(), registry.Asking{}, compaction)
			if err != nil || got == nil || *got != first || asked != 2 {
				t.Errorf("got %+v, %v after %d", got, err, asked)
			}
		})
	}
}

func TestHooksOnAnAbortedCallReplaceItsResult(t *testing.T) {
	adds := func(text string) registry.Hook {
		return registry.Hook{Kind: registry.HookOnAbort, OnAbort: func(_ context.Context, _ hookContext, call toolCall, result *registry.Result) (*registry.Result, error) {
			if call.ID != "7" || result.Code != registry.CodeAborted {
				t.Errorf("asked about %+v: %+v", call, result)
			}
			next := *result
			next.Content = append(slices.Clip(next.Content), registry.TextResult(text).Content...)
			return &next, nil
		}}
	}
	a := hooked(t, registry.Options{}, adds("one"), adds("two"))
	got := a.OnAbort(t.Context(), registry.Call{ID: "7", Tool: "act"}, registry.ErrorResult(registry.CodeAborted, "aborted"))
	if got.Text() != "one\ntwo\naborted" || got.Code != registry.CodeAborted || !got.IsError {
		t.Errorf("got %+v", got)
	}
	if changed := a.AfterTool(t.Context(), registry.Call{ID: "7", Tool: "act"}, registry.TextResult("ran")); changed.Text() != "ran" {
		t.Errorf("hooks on aborts were asked about a call that ran: %+v", changed)
	}
}

// TestAHookThatFailsIsReportedAndTheNextOneIsAsked covers each kind but the gate, which
// blocks.
func TestAHookThatFailsIsReportedAndTheNextOneIsAsked(t *testing.T) {
	wrong := errors.New("wrong")
	given, messages := registry.TextResult("given"), message.Messages{message.UserText("given", 1)}
	tests := []struct {
		kind  registry.HookKind
		hooks func(fail func() error, noted func()) (registry.Hook, registry.Hook)
		ask   func(a *registry.Agent) error
	}{
		{registry.HookToolResult, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{AfterTool: func(context.Context, hookContext, toolCall, *registry.Result) (*registry.Result, error) {
					return registry.TextResult("of a failure"), fail()
				}}, registry.Hook{AfterTool: func(_ context.Context, _ hookContext, _ toolCall, result *registry.Result) (*registry.Result, error) {
					noted()
					return result, nil
				}}
		}, func(a *registry.Agent) error {
			if got := a.AfterTool(t.Context(), registry.Call{Tool: "act"}, given); got.Text() != "given" {
				t.Errorf("got %+v", got)
			}
			return nil
		}},
		{registry.HookOnAbort, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{OnAbort: func(context.Context, hookContext, toolCall, *registry.Result) (*registry.Result, error) {
					return registry.TextResult("of a failure"), fail()
				}}, registry.Hook{OnAbort: func(_ context.Context, _ hookContext, _ toolCall, result *registry.Result) (*registry.Result, error) {
					noted()
					return result, nil
				}}
		}, func(a *registry.Agent) error {
			if got := a.OnAbort(t.Context(), registry.Call{Tool: "act"}, given); got.Text() != "given" {
				t.Errorf("got %+v", got)
			}
			return nil
		}},
		{registry.HookBeforeRequest, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{BeforeRequest: func(context.Context, hookContext, message.Messages) (message.Messages, error) {
					return message.Messages{}, fail()
				}}, registry.Hook{BeforeRequest: func(context.Context, hookContext, message.Messages) (message.Messages, error) {
					noted()
					return nil, nil
				}}
		}, func(a *registry.Agent) error {
			got, err := a.BeforeRequest(t.Context(), registry.Asking{}, messages)
			if len(got) != 1 {
				t.Errorf("got %v", got)
			}
			return err
		}},
		{registry.HookAfterResponse, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{AfterResponse: func(context.Context, hookContext, *message.Assistant) error { return fail() }},
				registry.Hook{AfterResponse: func(context.Context, hookContext, *message.Assistant) error { noted(); return nil }}
		}, func(a *registry.Agent) error {
			return a.AfterResponse(t.Context(), registry.Asking{}, &message.Assistant{})
		}},
		{registry.HookOnYield, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{OnYield: func(context.Context, hookContext, *message.Assistant) (*message.Content, error) {
					return &message.Content{Text: "of a failure"}, fail()
				}}, registry.Hook{OnYield: func(context.Context, hookContext, *message.Assistant) (*message.Content, error) {
					noted()
					return nil, nil
				}}
		}, func(a *registry.Agent) error {
			got, err := a.OnYield(t.Context(), registry.Asking{}, &message.Assistant{})
			if got != nil {
				t.Errorf("got %v", got)
			}
			return err
		}},
		{registry.HookAfterTools, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{AfterTools: func(context.Context, hookContext, record.EntryID, []record.EntryID) error { return fail() }},
				registry.Hook{AfterTools: func(context.Context, hookContext, record.EntryID, []record.EntryID) error { noted(); return nil }}
		}, func(a *registry.Agent) error { return a.AfterTools(t.Context(), registry.Asking{}, 1, nil) }},
		{registry.HookBeforeCompact, func(fail func() error, noted func()) (registry.Hook, registry.Hook) {
			return registry.Hook{BeforeCompact: func(context.Context, hookContext, registry.Compaction) (*registry.CompactionDecision, error) {
					return &registry.CompactionDecision{Decline: true}, fail()
				}}, registry.Hook{BeforeCompact: func(context.Context, hookContext, registry.Compaction) (*registry.CompactionDecision, error) {
					noted()
					return nil, nil
				}}
		}, func(a *registry.Agent) error {
			got, err := a.BeforeCompact(t.Context(), registry.Asking{}, registry.Compaction{})
			if got != nil {
				t.Errorf("got %v", got)
			}
			return err
		}},
	}
	for _, test := range tests {
		for how, fail := range map[string]func() error{"returns": func() error { return wrong }, "panics": func() error { panic(wrong) }} {
			t.Run(string(test.kind)+" "+how, func(t *testing.T) {
				var reported failures
				asked := 0
				first, second := test.hooks(fail, func() { asked++ })
				first.Kind, second.Kind = test.kind, test.kind
				a := hooked(t, registry.Options{Report: reported.report}, first, second)
				if err := test.ask(a); err != nil || asked != 1 {
					t.Errorf("%v; the next one was asked %d times", err, asked)
				}
				if len(reported.list) != 1 || reported.list[0].Extension != "a" || !errors.Is(reported.list[0], wrong) {
					t.Errorf("reported %q", reported.texts())
				}
			})
		}
	}
}

func TestAHookHasATimeLimit(t *testing.T) {
	var reported failures
	a := hooked(t, registry.Options{Report: reported.report, Limits: registry.Limits{Hook: time.Millisecond}},
		registry.Hook{Kind: registry.HookAfterResponse, AfterResponse: func(ctx context.Context, _ hookContext, _ *message.Assistant) error {
			<-ctx.Done()
			return ctx.Err()
		}})
	var late *registry.TimeoutError
	if err := a.AfterResponse(t.Context(), registry.Asking{}, &message.Assistant{}); err != nil || len(reported.list) != 1 || !errors.As(reported.list[0], &late) {
		t.Errorf("%v, reported %q", err, reported.texts())
	}
}

// TestTheEndOfTheAskersContextEndsTheChain covers each kind that composes by ask.
func TestTheEndOfTheAskersContextEndsTheChain(t *testing.T) {
	stopped := errors.New("the task is to be aborted")
	var asked []string
	for _, kind := range []string{"beforeRequest", "afterResponse", "onYield", "afterTools", "beforeCompact"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var reported failures
		note := func() error {
			asked = append(asked, kind)
			cancel(stopped)
			return ctx.Err()
		}
		list := func() registry.Hook {
			switch kind {
			case "beforeRequest":
				return registry.Hook{Kind: registry.HookBeforeRequest, BeforeRequest: func(context.Context, hookContext, message.Messages) (message.Messages, error) {
					return nil, note()
				}}
			case "afterResponse":
				return registry.Hook{Kind: registry.HookAfterResponse, AfterResponse: func(context.Context, hookContext, *message.Assistant) error { return note() }}
			case "onYield":
				return registry.Hook{Kind: registry.HookOnYield, OnYield: func(context.Context, hookContext, *message.Assistant) (*message.Content, error) {
					return nil, note()
				}}
			case "afterTools":
				return registry.Hook{Kind: registry.HookAfterTools, AfterTools: func(context.Context, hookContext, record.EntryID, []record.EntryID) error { return note() }}
			}
			return registry.Hook{Kind: registry.HookBeforeCompact, BeforeCompact: func(context.Context, hookContext, registry.Compaction) (*registry.CompactionDecision, error) {
				return nil, note()
			}}
		}
		a := hooked(t, registry.Options{Report: reported.report}, list(), list())
		var err error
		switch kind {
		case "beforeRequest":
			_, err = a.BeforeRequest(ctx, registry.Asking{}, nil)
		case "afterResponse":
			err = a.AfterResponse(ctx, registry.Asking{}, &message.Assistant{})
		case "onYield":
			_, err = a.OnYield(ctx, registry.Asking{}, &message.Assistant{})
		case "afterTools":
			err = a.AfterTools(ctx, registry.Asking{}, 1, nil)
		case "beforeCompact":
			_, err = a.BeforeCompact(ctx, registry.Asking{}, registry.Compaction{})
		}
		if !errors.Is(err, stopped) || len(reported.list) != 0 {
			t.Errorf("%s: %v, reported %q", kind, err, reported.texts())
		}
	}
	if diff := cmp.Diff([]string{"beforeRequest", "afterResponse", "onYield", "afterTools", "beforeCompact"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestAHookIsToldWhoAsks(t *testing.T) {
	models := &model.Models{}
	var got []hookContext
	note := registry.Hook{Kind: registry.HookAfterResponse, AfterResponse: func(_ context.Context, at hookContext, _ *message.Assistant) error {
		got = append(got, at)
		return nil
	}}
	a := hooked(t, registry.Options{}, note)
	asking := registry.Asking{
		Agent: "main", Conversation: 5, Models: models,
		Settings: func(extension string) json.RawMessage { return json.RawMessage(`"of ` + extension + `"`) },
	}
	for _, from := range []registry.Asking{asking, {}} {
		if err := a.AfterResponse(registry.WithCallDepth(t.Context(), 2), from, &message.Assistant{}); err != nil {
			t.Error(err)
		}
	}
	want := []hookContext{
		{Extension: "a", Agent: "main", Conversation: 5, Depth: 2, Settings: json.RawMessage(`"of a"`), Models: models},
		{Extension: "a", Depth: 2},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *model.Models) bool { return a == b })); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestAChainOfHooksGoesOnInTheGenerationItBeganIn promotes while the first hook runs.
func TestAChainOfHooksGoesOnInTheGenerationItBeganIn(t *testing.T) {
	r := registry.New(registry.Options{})
	var asked []string
	note := func(commit, name string, then func()) *extension {
		return world(name, registry.Instance{Tools: []registry.Tool{says("act", commit)}, Hooks: []registry.Hook{
			{Kind: registry.HookToolCall, BeforeTool: func(context.Context, hookContext, toolCall) (registry.Decision, error) {
				asked = append(asked, commit+" "+name)
				then()
				return registry.Decision{}, nil
			}},
			{Kind: registry.HookToolResult, AfterTool: func(_ context.Context, _ hookContext, _ toolCall, result *registry.Result) (*registry.Result, error) {
				asked = append(asked, commit+" "+name+" sees "+result.Text())
				return nil, nil
			}},
		}})
	}
	nothing := func() {}
	reload := func() {
		next, problems := stage(t, r, "c2", note("c2", "a", nothing), note("c2", "b", nothing)).Validate()
		if next == nil {
			t.Fatal(problems)
		}
		if _, err := r.Promote(next); err != nil {
			t.Error(err)
		}
	}
	promote(t, r, "c1", note("c1", "a", reload), note("c1", "b", nothing))
	for range 2 {
		r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"})
	}
	var want []string
	for _, commit := range []string{"c1", "c2"} {
		want = append(want, commit+" a", commit+" b", commit+" a sees "+commit, commit+" b sees "+commit)
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

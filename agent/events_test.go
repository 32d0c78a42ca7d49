package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

var update = flag.Bool("update", false, "write the expected events into testdata anew")

// slowly is a tool that publishes in some steps, each a while after the one before.
func slowly(name string) registry.Tool {
	return tool(name, func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		for n := range 3 {
			err := call.Output(fmt.Sprintf("line %d\n", n))
			if n == 0 {
				err = errors.Join(err, call.Runtime.Stored(ctx))
			}
			if err = errors.Join(err, call.Details(json.RawMessage(fmt.Sprintf(`{"step":%d}`, n)))); err != nil {
				return nil, err
			}
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return registry.TextResult("looked"), call.Diagnose(registry.Diagnostic{Severity: "info", Message: "hm"})
	})
}

// trimming is a tool of which only the end of the output is kept.
func trimming(name string) registry.Tool {
	t := slowly(name)
	t.OutputLimits = registry.OutputLimits{MaxLines: 2, Retain: registry.RetainTail}
	return t
}

// passing is a tool that calls another one.
func passing(name, other string) registry.Tool {
	return calling(name, func(ctx context.Context, r registry.CallRuntime) (string, error) {
		result, err := r.Execute(ctx, registry.NestedCall{Tool: other, Arguments: json.RawMessage(`{"at":"sea"}`), Key: "inside"})
		if err != nil {
			return "", err
		}
		return "passed on: " + result.Text, nil
	})
}

// thinks is a step of everything that a response may have.
func thinks(text string, calls ...*message.ToolCall) faux.Step {
	blocks := message.Blocks{&message.Thinking{Thinking: "What do I do about this?"}, &message.Text{Text: text}}
	for _, call := range calls {
		blocks = append(blocks, call)
	}
	return faux.Answer(faux.Message(blocks...))
}

// eventful opens a harness whose model speaks slowly, inside a bubble. What is under way
// is stored at times at which nothing else happens, so that each time all is the same.
func eventful(t *testing.T, script string) *harness {
	var stream model.StreamOptions
	if script == "deferred" {
		stream.Deferred = model.Deferral{On: true}
	}
	broken := extension{"broken", registry.Instance{Tasks: []registry.TaskDeclaration{{Definition: broken().Definition}}}}
	kept := new(memory.Storage)
	return openOver(t, func() storage.Storage {
		kept = kept.Clone()
		return kept
	}, agent.Options{
		Session: durable.Options{Random: bytes.NewReader(make([]byte, 1024))},
		Settings: func() agent.Settings {
			return agent.Settings{
				Stream: stream, ToolExecution: registry.ExecutionSequential,
				Compaction: agent.CompactionPolicy{KeepRecentTokens: 10, BackgroundTokens: -1},
				Progress:   agent.Progress{PartialInterval: 370 * time.Millisecond, OutputInterval: 370 * time.Millisecond},
			}
		},
	}, faux.New(faux.Options{TokensPerSecond: 20, PendingFetches: 1}), with(slowly("look"), trimming("tail"), passing("pass", "look")), broken)
}

// broken is a task that gets nowhere, so that it faults.
func broken() durable.Task[struct{}, stage, struct{}] {
	return durable.DefineTask(durable.TaskSpec[struct{}, stage, struct{}]{
		Name: "broken", Version: 1, Initial: func(struct{}) stage { return stage{"begin"} },
		Phases: map[string]func(context.Context, *durable.Run[struct{}, stage, struct{}]) error{
			"begin": func(context.Context, *durable.Run[struct{}, stage, struct{}]) error {
				return errors.New("this went wrong")
			},
		},
	})
}

type stage struct {
	Phase string `json:"phase"`
}

// script is something that happens in the root conversation. It returns when nothing
// goes on any more.
type script func(t *testing.T, h *harness)

func scripts() map[string]script {
	return map[string]script{
		"answer": func(t *testing.T, h *harness) {
			h.model.Set(thinks("I say this, and then that, and in the end I am done."))
			h.say("Say something.")
		},
		"tools": func(t *testing.T, h *harness) {
			h.model.Set(
				thinks("I look.", faux.Call("look", json.RawMessage(`{"at":["the door","the window of the house"],"n":1}`)), faux.Call("tail", json.RawMessage(`{}`)), faux.Call("none", json.RawMessage(`{}`))),
				text("It is open."))
			h.say("Look.")
		},
		"nested": func(t *testing.T, h *harness) {
			h.model.Set(calls("pass", `{"to":"look"}`), text("Passed."))
			h.say("Pass it on.")
		},
		"retry": func(t *testing.T, h *harness) {
			h.model.Set(response(message.StopReasonError, "overloaded"), text("Now."))
			h.say("Now?")
		},
		"steer": func(t *testing.T, h *harness) {
			h.model.Set(calls("look", `{}`), text("Both."), text("And this."))
			first := h.submit("One.")
			<-time.After(300 * time.Millisecond)
			for _, input := range []durable.Input{
				{Content: message.Content{Text: "Two."}, WhenBusy: durable.Steer}, {Content: message.Content{Text: "Three."}},
			} {
				if _, err := h.root().Submit(t.Context(), input); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := first.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.idle()
		},
		"abort": func(t *testing.T, h *harness) {
			h.model.Set(text("I say something that is never said to its end."), calls("look", `{}`, "look", `{}`))
			h.submit("Speak.")
			<-time.After(500 * time.Millisecond)
			if err := h.root().Abort(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			h.submit("Look.")
			<-time.After(650 * time.Millisecond)
			if err := h.root().Abort(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		},
		"compact": func(t *testing.T, h *harness) {
			h.model.Set(text("I say this, and then that, and in the end I am done."), response(message.StopReasonError, "overloaded"), text("It was said."), text("More."))
			h.say("Say something.")
			h.compact("")
			h.say("Say more.")
		},
		"deferred": func(t *testing.T, h *harness) {
			h.model.Set(text("At last."))
			h.say("When?")
		},
		"fault": func(t *testing.T, h *harness) {
			var task record.TaskID
			err := h.root().Commit(t.Context(), func(_ context.Context, tx *durable.Tx) (err error) {
				task, err = broken().Create(tx, struct{}{}, durable.TaskOptions{Ownership: durable.OfConversation()})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			h.ended(task)
		},
		"changes": func(t *testing.T, h *harness) {
			h.model.Set(text("Yes."), text("No."))
			h.say("Well?")
			if err := h.root().Configure(t.Context(), durable.AgentChange{Cwd: durable.Set("/tmp")}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.root().Submit(t.Context(), durable.Write{Entry: durable.EntryDraft{Kind: "note", Data: json.RawMessage(`{"n":1}`)}}); err != nil {
				t.Fatal(err)
			}
			if err := h.root().Reset(t.Context(), "Begin anew."); err != nil {
				t.Fatal(err)
			}
			h.say("And now?")
		},
	}
}

func TestAClientOfEventsHoldsWhatIsThere(t *testing.T) {
	for name, run := range scripts() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := eventful(t, name)
				c := h.client()
				over := make(chan struct{})
				go func() {
					defer close(over)
					run(t, h)
				}()
				for running := true; running; {
					select {
					case <-over:
						running = false
					case <-time.After(70 * time.Millisecond):
					}
					synctest.Wait()
					c.check(h)
				}
				if len(c.batches) == 0 {
					t.Error("nothing was told")
				}
			})
		})
	}
}

func TestEventsOfAScript(t *testing.T) {
	for _, name := range []string{"answer", "tools", "nested", "retry", "abort", "changes", "compact", "deferred", "fault"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := eventful(t, name)
				h.root()
				c := h.client()
				scripts()[name](t, h)
				synctest.Wait()
				var got strings.Builder
				times := regexp.MustCompile(`("timestamp"|"durationMs"|"at"|"pollAt"):[0-9.]+`)
				write := func(batch ...agent.Event) {
					for _, e := range batch {
						text, err := e.MarshalJSON()
						if err != nil {
							t.Fatal(err)
						}
						got.Write(append(times.ReplaceAll(text, []byte(`$1:0`)), '\n'))
					}
					got.WriteByte('\n')
				}
				write(c.events.Snapshot())
				for _, batch := range c.batches {
					write(batch...)
				}
				compareGolden(t, filepath.Join("testdata", "events-"+name+".txt"), got.String())
			})
		})
	}
}

// compareGolden compares with a file, or writes it.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAClientThatLagsHasASnapshotInPlaceOfWhatItMissed(t *testing.T) {
	h := open(t, agent.Options{})
	root := h.root()
	events, err := h.WatchEvents(within(t), root.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	for n := range 101 {
		if err := root.Configure(t.Context(), durable.AgentChange{Cwd: durable.Set(fmt.Sprint("/", n))}); err != nil {
			t.Fatal(err)
		}
	}
	batch, err := events.Next(within(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch) != 1 || batch[0].Type != agent.EventSnapshot || !strings.Contains(string(text), `"cwd":"/100"`) {
		t.Errorf("the batch is %s", text)
	}
}

func TestEventsAreThoseOfOneConversationAndEndWithIt(t *testing.T) {
	h := open(t, agent.Options{})
	other, err := h.CreateConversation(t.Context(), durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.WatchEvents(t.Context(), other.ID()+1000); err == nil {
		t.Error("an unknown conversation is watched")
	}
	events, err := h.WatchEvents(within(t), h.root().ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []*durable.Conversation{other, h.root()} {
		if _, err := in.Submit(t.Context(), durable.Write{Entry: durable.EntryDraft{Kind: "note"}}); err != nil {
			t.Fatal(err)
		}
	}
	batch, err := events.Next(within(t))
	if err != nil || batch[0].Entry == nil || batch[0].Entry.Conversation != record.Root {
		t.Errorf("the first batch is %+v, %v", batch, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := events.Next(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up fails with %v", err)
	}
	events.Close()
	var end *durable.WatchEndError
	if _, err := events.Next(within(t)); !errors.As(err, &end) || end.Reason != durable.WatchStopped {
		t.Errorf("closed events end with %v", err)
	}
}

func TestCallsThatEndedBeforeAClientCameAreNotToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := eventful(t, "")
		both := calling("both", func(ctx context.Context, r registry.CallRuntime) (string, error) {
			for _, key := range []string{"first", "second"} {
				if _, err := r.Execute(ctx, registry.NestedCall{Tool: "look", Key: key}); err != nil {
					return "", err
				}
			}
			return "both", nil
		})
		h.install(with(slowly("look"), both))
		h.model.Set(calls("both", `{}`), text("Done."))
		submission := h.submit("Go.")
		<-time.After(time.Second) // the second one runs
		c := h.client()
		if _, err := submission.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var told []string
		for id, state := range c.holds.Nested {
			told = append(told, id[strings.IndexByte(id, '/'):]+" "+state)
		}
		if diff := cmp.Diff([]string{"/second ended"}, told); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAClientFollowsAnyChangeOfAMessage has what there is of a response change in ways
// in which no provider changes it.
func TestAClientFollowsAnyChangeOfAMessage(t *testing.T) {
	arguments := rapid.SampledFrom([]string{`{}`, `{"a":"x"}`, `{"a":"xy"}`, `{"a":["x","y"]}`, `{"a":["x","yz"]}`, `{"a":{"b":"x"},"c":1}`, `{"a":{"b":"xyz"},"c":1}`, `{"n":1,"t":"a text that is long enough to be added to"}`, `{"n":2,"t":"a text that is long enough to be added to, and was"}`})
	block := rapid.Custom(func(t *rapid.T) message.Block {
		said := rapid.StringOfN(rapid.RuneFrom([]rune("aä😀")), 0, 5, -1).Draw(t, "said")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return &message.Text{Text: said}
		case 1:
			return &message.Thinking{Thinking: said}
		}
		return &message.ToolCall{ID: "id", Name: "look", Arguments: json.RawMessage(arguments.Draw(t, "arguments"))}
	})
	h := open(t, agent.Options{})
	root := h.root()
	rapid.Check(t, func(r *rapid.T) {
		events, err := h.WatchEvents(t.Context(), root.ID())
		if err != nil {
			r.Fatal(err)
		}
		defer events.Close()
		c := &client{t: t}
		c.holds = c.pictureOf(events.Snapshot())
		var content message.Blocks
		for range rapid.IntRange(1, 6).Draw(r, "changes") {
			keep := rapid.IntRange(0, len(content)).Draw(r, "keep")
			content = append(content[:keep:keep], rapid.SliceOfN(block, 1, 3).Draw(r, "blocks")...)
			encoded, err := message.Encode(&message.Assistant{Content: content, StopReason: message.StopReasonPending})
			if err != nil {
				r.Fatal(err)
			}
			err = root.Commit(t.Context(), func(_ context.Context, tx *durable.Tx) error {
				live, err := durable.LiveDocument.Edit(tx, durable.InConversation(root.ID()))
				if err == nil {
					live.Generation = &durable.GenerationState{Attempt: 1, Message: encoded}
				}
				return err
			})
			if err != nil {
				r.Fatal(err)
			}
		}
		if _, err := root.Submit(t.Context(), durable.Write{Entry: durable.EntryDraft{Kind: "over"}}); err != nil {
			r.Fatal(err)
		}
		for over := false; !over; {
			batch, err := events.Next(within(t))
			if err != nil {
				r.Fatal(err)
			}
			for _, e := range batch {
				c.apply(e)
				over = over || e.Type == agent.EventEntryAppended
			}
		}
		now, err := h.WatchEvents(t.Context(), root.ID())
		if err != nil {
			r.Fatal(err)
		}
		defer now.Close()
		if diff := cmp.Diff(c.pictureOf(now.Snapshot()).Message, c.holds.Message); diff != "" {
			r.Fatalf("(-there +held):\n%s", diff)
		}
	})
}

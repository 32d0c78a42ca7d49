package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// narrow is a harness whose model has a window of 1000 tokens, of which 200 are for the
// answer, and whose compactions keep about 40.
func narrow(t *testing.T, background int64, extensions ...extension) *harness {
	kept := new(memory.Storage)
	return openOver(t, func() storage.Storage {
		kept = kept.Clone()
		return kept
	}, agent.Options{Settings: func() agent.Settings {
		return agent.Settings{Compaction: agent.CompactionPolicy{ReserveTokens: 200, KeepRecentTokens: 40, BackgroundTokens: background}}
	}}, faux.New(faux.Options{Models: []model.Model{{ID: "faux-1", ContextWindow: 1000, MaxTokens: 100}}}), extensions...)
}

// size is a text of so many tokens.
func size(tokens int) string { return strings.Repeat("x", tokens*4) }

// summarizes is a step that notes what it was asked and gives a summary.
func summarizes(asked *model.Request, summary string) faux.Step {
	return func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		*asked = request
		return faux.Says(summary), nil
	}
}

// compact summarizes the root conversation and returns the task that did.
func (h *harness) compact(instructions string) record.Task {
	h.t.Helper()
	task, err := h.Compact(h.t.Context(), h.root().ID(), instructions)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.ended(task)
}

func (h *harness) ended(task record.TaskID) record.Task {
	h.t.Helper()
	ended, err := h.WaitForTask(within(h.t), task)
	if err != nil {
		h.t.Fatal(err)
	}
	return ended
}

// summaries are the entries that are summaries.
func (h *harness) summaries() (found []record.Entry) {
	for _, entry := range h.entries(record.Root) {
		if durable.CompactionEntry.Is(entry) {
			found = append(found, entry)
		}
	}
	return found
}

// shown is what the model is shown of the root conversation, without its prompt.
func (h *harness) shown() (texts []string) {
	h.t.Helper()
	view, err := h.root().Context(context.Background(), 0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, m := range view.Messages {
		if m.Role() != message.RoleSystem {
			texts = append(texts, m.Text())
		}
	}
	return texts
}

func wrapped(summary string) string {
	return "The conversation history before this point was compacted into the following summary:\n\n<summary>\n" + summary + "\n</summary>"
}

func TestASummaryTakesThePlaceOfWhatWasBefore(t *testing.T) {
	h := narrow(t, -1, with(says("look", "seen")))
	h.model.Set(calls("look", `{"at":"sea"}`), text("I saw it."), text(size(50)))
	h.say("Look.")
	h.say("Tell me.")
	var asked model.Request
	h.model.Set(summarizes(&asked, "They looked."), text("And?"))
	task := h.compact("the sea")
	if task.State.Outcome.Status != record.Completed || task.Background {
		t.Fatalf("the task has ended as %+v", task.State.Outcome)
	}
	if got, want := h.shown(), []string{wrapped("They looked."), size(50)}; !slices.Equal(got, want) {
		t.Errorf("the model is shown %q", got)
	}
	text := asked.Messages[1].Text()
	for _, want := range []string{"[User]: Look.", `[Assistant tool calls]: look(at="sea")`, "[Tool result]: seen", "[Assistant]: I saw it.", "[User]: Tell me.", "Additional focus: the sea"} {
		if !strings.Contains(text, want) {
			t.Errorf("the model is asked without %q:\n%s", want, text)
		}
	}
	if asked.SessionID == "" || asked.MaxTokens != 100 || asked.Options.CacheRetention != model.CacheNone || len(model.Tools(asked.Messages)) > 0 || len(asked.Messages) != 2 {
		t.Errorf("the request is %+v", asked)
	}
	entry := h.summaries()[0]
	if data, err := durable.CompactionEntry.Data(entry); err != nil || data.Reason != "manual" || entry.Task != task.ID {
		t.Errorf("the entry is %+v, %v", entry, err)
	}
	if live := h.live(); len(live.Compactions) != 0 {
		t.Errorf("under way are %+v", live.Compactions)
	}
	usage, err := h.Usage(t.Context())
	if err != nil || usage.Models["faux/faux-1"].Input == 0 {
		t.Errorf("counted are %+v, %v: the request for a summary is not cached", usage, err)
	}
	h.say("Go on.")
	if last := h.entries(record.Root); last[len(last)-2].Kind != durable.SystemEntry {
		t.Errorf("after a summary the prompt was not written anew:\n%s", h.transcript())
	}
}

func TestASummaryIsSummarizedAgain(t *testing.T) {
	h := narrow(t, -1)
	h.model.Set(text(size(50)), text("First."), text(size(50)))
	h.say("One.")
	h.compact("")
	h.say("Two.")
	var asked model.Request
	h.model.Set(summarizes(&asked, "Second."))
	h.compact("")
	if text := asked.Messages[1].Text(); !strings.Contains(text, "[User]: "+wrapped("First.")) {
		t.Errorf("the model is asked\n%s", text)
	}
	if got := h.shown(); got[0] != wrapped("Second.") || slices.Contains(got, wrapped("First.")) {
		t.Errorf("the model is shown %q", got)
	}
}

func TestWhatIsSmallIsNotSummarized(t *testing.T) {
	h := narrow(t, -1)
	h.model.Set(text("Yes."))
	h.say("Well?")
	if task := h.compact(""); string(task.State.Outcome.Result) != "{}" || task.State.Outcome.Status != record.Completed {
		t.Errorf("the task has ended as %+v", task.State.Outcome)
	}
	if len(h.summaries()) != 0 || len(h.live().Compactions) != 0 {
		t.Error("there is a summary")
	}
}

// tasks are those of a kind.
func (h *harness) tasks(kind string) (found []record.Task) {
	h.t.Helper()
	for task, err := range h.Tasks(context.Background(), durable.TaskQuery{Kind: kind}) {
		if err != nil {
			h.t.Fatal(err)
		}
		found = append(found, task)
	}
	return found
}

// submissionOf returns what a compaction has handed in.
func (h *harness) submissionOf(task record.TaskID) *durable.Submission {
	h.t.Helper()
	for s, err := range h.Submissions(context.Background(), durable.SubmissionQuery{Conversation: record.Root}) {
		if err != nil {
			h.t.Fatal(err)
		}
		if s.Request == fmt.Sprint("compaction:", task) {
			found, err := h.Submission(context.Background(), s.ID)
			if err != nil {
				h.t.Fatal(err)
			}
			return found
		}
	}
	h.t.Fatalf("task %d has handed nothing in", task)
	return nil
}

func TestASummaryThatFailsForAPassingReasonIsTriedAgainAcrossARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := narrow(t, -1)
		h.model.Set(text(size(300)), response(message.StopReasonError, "overloaded"), text("Short."))
		h.say("One.")
		began := time.Now()
		task, err := h.Compact(t.Context(), record.Root, "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		status := h.live().Compactions
		if len(status) != 1 || status[0].Task != task || status[0].Reason != "manual" || status[0].Blocking || status[0].Attempt != 1 ||
			status[0].Retry == nil || status[0].Retry.At != began.Add(2*time.Second).UnixMilli() || status[0].Retry.Error != "overloaded" {
			t.Errorf("under way are %+v", status)
		}
		h.reopen()
		if ended := h.ended(task); ended.State.Outcome.Status != record.Completed || time.Since(began) != 2*time.Second {
			t.Errorf("ended after %v as %+v", time.Since(began), ended.State.Outcome)
		}
		if got := h.shown(); got[0] != wrapped("Short.") {
			t.Errorf("the model is shown %.100q", got)
		}
	})
}

func TestASummaryThatWasCutOffIsAskedForAgainInTheSameWords(t *testing.T) {
	h := narrow(t, -1)
	asked := make(chan model.Request, 2)
	h.model.Set(text(size(300)), func(ctx context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		asked <- request
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}, func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		asked <- request
		return faux.Says("Short."), nil
	})
	h.say("One.")
	task, err := h.Compact(t.Context(), record.Root, "")
	if err != nil {
		t.Fatal(err)
	}
	first := <-asked
	if _, err := h.root().Submit(t.Context(), durable.Write{Entry: durable.EntryDraft{Kind: "note", Model: message.Messages{message.UserText("later", 0)}}}); err != nil {
		t.Fatal(err)
	}
	h.reopen()
	if ended := h.ended(task); ended.State.Outcome.Status != record.Completed {
		t.Errorf("ended as %+v", ended.State.Outcome)
	}
	second := <-asked
	if first.Messages[1].Text() != second.Messages[1].Text() || first.SessionID != second.SessionID || first.MaxTokens != second.MaxTokens {
		t.Errorf("asked again for\n%+v\nand before for\n%+v", second, first)
	}
	if got := h.shown(); got[0] != wrapped("Short.") || got[len(got)-1] != "later" {
		t.Errorf("the model is shown %.100q", got)
	}
}

func TestAnAbortOfACompaction(t *testing.T) {
	for name, abort := range map[string]func(h *harness, task record.TaskID) error{
		"the conversation": func(h *harness, _ record.TaskID) error { return h.root().Abort(context.Background(), false) },
		"the task": func(h *harness, task record.TaskID) error {
			_, err := h.AbortTask(context.Background(), task)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := narrow(t, -1)
			asked := make(chan struct{})
			h.model.Set(text(size(300)), func(ctx context.Context, _ model.Request, _ faux.State) (*message.Assistant, error) {
				close(asked)
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})
			h.say("One.")
			task, err := h.Compact(t.Context(), record.Root, "")
			if err != nil {
				t.Fatal(err)
			}
			<-asked
			if err := abort(h, task); err != nil {
				t.Fatal(err)
			}
			if ended := h.ended(task); ended.State.Outcome.Status != record.Aborted {
				t.Errorf("ended as %+v", ended.State.Outcome)
			}
			if len(h.live().Compactions) != 0 || len(h.summaries()) != 0 {
				t.Errorf("left are %+v", h.live().Compactions)
			}
		})
	}
}

func TestACompactionWithoutAModelFails(t *testing.T) {
	h := narrow(t, -1)
	h.root()
	if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Clear[durable.ModelRef]()}); err != nil {
		t.Fatal(err)
	}
	if outcome := h.compact("").State.Outcome; outcome.Status != record.Failed || !strings.Contains(string(outcome.Error.Detail), "no_model") {
		t.Errorf("ended as %+v", outcome)
	}
	if _, err := h.Compact(t.Context(), 1<<40, ""); err == nil {
		t.Error("an unknown conversation is summarized")
	}
}

func TestACompactionThatFaultsLeavesNothingBehind(t *testing.T) {
	h := narrow(t, -1, hooks(registry.Hook{Kind: registry.HookBeforeCompact, BeforeCompact: func(context.Context, registry.HookContext, registry.Compaction) (*registry.CompactionDecision, error) {
		return &registry.CompactionDecision{Summary: "Mine."}, nil
	}}))
	h.model.Set(text(size(300)))
	h.say("One.")
	h.options.Settings = func() agent.Settings { panic("no settings") }
	h.reopen()
	task, err := h.Compact(t.Context(), record.Root, "")
	if err != nil {
		t.Fatal(err)
	}
	if ended := h.ended(task); ended.State.Outcome.Status != record.Faulted {
		t.Errorf("ended as %+v", ended.State.Outcome)
	}
	if len(h.live().Compactions) != 0 || len(h.summaries()) != 0 {
		t.Errorf("left are %+v", h.live().Compactions)
	}
}

func TestASummaryOfWhatIsGoneIsNotPlaced(t *testing.T) {
	h := narrow(t, -1)
	asked, goOn := make(chan struct{}), make(chan struct{})
	h.model.Set(text(size(300)), func(context.Context, model.Request, faux.State) (*message.Assistant, error) {
		close(asked)
		<-goOn
		return faux.Says("Old."), nil
	})
	h.say("One.")
	task, err := h.Compact(t.Context(), record.Root, "")
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := h.root().Reset(t.Context(), "Anew."); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if ended := h.ended(task); ended.State.Outcome.Status != record.Completed {
		t.Errorf("ended as %+v", ended.State.Outcome)
	}
	if settled, err := h.submissionOf(task).Wait(within(t)); err != nil || settled.Reason != durable.ReasonStale {
		t.Errorf("the summary is %+v, %v", settled, err)
	}
	if got := h.shown(); !slices.Equal(got, []string{"Anew."}) {
		t.Errorf("the model is shown %q", got)
	}
}

func TestASummaryIsAskedForAtOnce(t *testing.T) {
	h := narrow(t, -1)
	h.model.Set(text(size(300)), text("Short."))
	h.say("One.")
	settings := h.options.Settings()
	settings.Stream.Deferred = model.Deferral{On: true}
	h.options.Settings = func() agent.Settings { return settings }
	h.reopen()
	if ended := h.compact(""); ended.State.Outcome.Status != record.Completed {
		t.Errorf("ended as %+v", ended.State.Outcome)
	}
}

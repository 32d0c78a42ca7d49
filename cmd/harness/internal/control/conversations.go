package control

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Conversations are what commands do with the conversations of a harness: of one that
// runs, by a [Client], or of a host in this process, by [Local].
type Conversations interface {
	// Models lists the models that can be asked.
	Models(ctx context.Context) ([]Model, error)
	// List yields the conversations, oldest first.
	List(ctx context.Context) iter.Seq2[Conversation, error]
	// Show yields the entries of a conversation, oldest first.
	Show(ctx context.Context, id record.ConversationID) iter.Seq2[record.Entry, error]
	// Submit hands a text in and returns how that was settled. each is told what goes
	// on; its error ends the wait, and the conversation goes on. So does the end of ctx.
	Submit(ctx context.Context, request SubmitRequest, each func(SubmitLine) error) (record.Submission, error)
	// Abort aborts what goes on in a conversation.
	Abort(ctx context.Context, id record.ConversationID) error
	// Inspect tells what goes on.
	Inspect(ctx context.Context) (Inspection, error)
}

var (
	_ Conversations = Local{}
	_ Conversations = (*Client)(nil)
)

// Model is a model that can be asked.
type Model struct {
	Name string `json:"name"` // provider/id
	// Any says that the provider lists no models and takes every id; the name's is "…".
	Any     bool   `json:"any,omitempty"`
	Title   string `json:"title,omitempty"`
	Default bool   `json:"default,omitempty"` // of conversations that choose none
	// Scripted says that it is the default because no model is configured.
	Scripted bool `json:"scripted,omitempty"`
	// Problem is why it cannot be asked now; empty when it can.
	Problem string `json:"problem,omitempty"`
}

// Conversation is one line of the list.
type Conversation struct {
	ID    record.ConversationID `json:"id"`
	Owner record.TaskID         `json:"ownerTaskId,omitempty"` // the task whose work it is
	Busy  bool                  `json:"busy"`
	Model string                `json:"model,omitempty"` // provider/id, when one was chosen
	// Title is the beginning of what its user said first.
	Title string `json:"title,omitempty"`
}

// SubmitRequest asks for an answer.
type SubmitRequest struct {
	// Conversation is 0 for a new one.
	Conversation record.ConversationID `json:"conversation,omitempty"`
	Text         string                `json:"text"`
	// Model, as provider/id, is chosen for the conversation from now on. Optional.
	Model string `json:"model,omitempty"`
}

// SubmitLine is what goes on until an input is settled: first where it went, then agent
// events.
type SubmitLine struct {
	Begun *Begun          `json:"begun,omitempty"`
	Event json.RawMessage `json:"event,omitempty"` // see [agent.Event]
}

// Begun is where an input went.
type Begun struct {
	Conversation record.ConversationID `json:"conversation"`
	Submission   record.SubmissionID   `json:"submission"`
	Model        string                `json:"model"` // that answers; empty for none
	// Scripted says that no model is configured.
	Scripted bool `json:"scripted,omitempty"`
}

// Local works on a host in this process.
type Local struct{ Host *host.Host }

// Models implements [Conversations].
func (l Local) Models(ctx context.Context) ([]Model, error) {
	configured := l.Host.Models()
	models := l.Host.Harness().Models()
	list := []Model{}
	for _, provider := range models.Providers() {
		problem := ""
		if err := models.CheckAuth(ctx, provider.ID()); err != nil {
			problem = err.Error()
		}
		listed := provider.Models()
		for _, one := range listed {
			shown := Model{Name: one.Provider + "/" + one.ID, Title: one.Name, Problem: problem}
			shown.Default = configured.Default == durable.ModelRef{Provider: one.Provider, Model: one.ID}
			shown.Scripted = shown.Default && configured.Scripted
			list = append(list, shown)
		}
		if _, finds := provider.(model.Finder); finds && len(listed) == 0 {
			list = append(list, Model{Name: provider.ID() + "/…", Any: true, Problem: problem})
		}
	}
	return list, nil
}

// maxTitle bounds the title of a conversation, in characters.
const maxTitle = 60

// List implements [Conversations].
func (l Local) List(ctx context.Context) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		session := l.Host.Session()
		for one, err := range session.Conversations(ctx, durable.ConversationQuery{}) {
			var shown Conversation
			if err == nil {
				shown, err = described(ctx, session, one)
			}
			if !yield(shown, err) || err != nil {
				return
			}
		}
	}
}

func described(ctx context.Context, session *durable.Session, one record.Conversation) (Conversation, error) {
	shown := Conversation{ID: one.ID}
	if one.Owner != nil {
		shown.Owner = one.Owner.Task
	}
	live, _, err := durable.LiveDocument.Read(ctx, session, durable.InConversation(one.ID))
	if err != nil {
		return shown, err
	}
	shown.Busy = live.Run != nil
	chosen, _, err := durable.AgentDocument.Read(ctx, session, durable.InConversation(one.ID))
	if err != nil {
		return shown, err
	}
	if chosen.Model != nil {
		shown.Model = chosen.Model.Provider + "/" + chosen.Model.Model
	}
	for entry, err := range session.Entries(ctx, durable.EntryQuery{Conversation: one.ID, Order: durable.Ascending}) {
		if err != nil {
			return shown, err
		}
		if said, is := userText(entry); is {
			shown.Title = said
			break
		}
	}
	if characters := []rune(shown.Title); len(characters) > maxTitle {
		shown.Title = string(characters[:maxTitle-1]) + "…"
	}
	return shown, nil
}

func userText(entry record.Entry) (string, bool) {
	for _, m := range entry.Model {
		if user, is := m.(*message.User); is {
			return user.Content.String(), true
		}
	}
	return "", false
}

// Show implements [Conversations].
func (l Local) Show(ctx context.Context, id record.ConversationID) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		if _, err := l.Host.Session().Conversation(ctx, id); err != nil {
			yield(record.Entry{}, err)
			return
		}
		for entry, err := range l.Host.Session().Entries(ctx, durable.EntryQuery{Conversation: id, Order: durable.Ascending}) {
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// Abort implements [Conversations].
func (l Local) Abort(ctx context.Context, id record.ConversationID) error {
	conversation, err := l.Host.Session().Conversation(ctx, id)
	if err != nil {
		return err
	}
	return conversation.Abort(ctx, true)
}

// Submit implements [Conversations].
func (l Local) Submit(ctx context.Context, request SubmitRequest, each func(SubmitLine) error) (record.Submission, error) {
	harness := l.Host.Harness()
	conversation, err := l.conversation(ctx, request)
	if err != nil {
		return record.Submission{}, err
	}
	// Watched from before the input is handed in, so that nothing of the answer is missed.
	events, err := harness.WatchEvents(ctx, conversation.ID())
	if err != nil {
		return record.Submission{}, err
	}
	defer events.Close()
	submission, err := conversation.Submit(ctx, durable.Input{Content: message.Content{Text: request.Text}})
	if err != nil {
		return record.Submission{}, err
	}
	begun, err := l.begun(ctx, conversation.ID(), submission.ID())
	if err != nil {
		return record.Submission{}, err
	}
	if err := each(SubmitLine{Begun: begun}); err != nil {
		return record.Submission{}, err
	}
	if err := follow(ctx, events, submission, each); err != nil {
		return record.Submission{}, err
	}
	return submission.Wait(ctx)
}

// conversation returns the one that was asked for, or makes one.
func (l Local) conversation(ctx context.Context, request SubmitRequest) (*durable.Conversation, error) {
	var change durable.AgentChange
	if request.Model != "" {
		chosen, err := l.Host.Harness().Models().Resolve(request.Model)
		if err != nil {
			return nil, fmt.Errorf("%w; models are configured in the world's state/%s, or by OPENAI_API_KEY in the environment of harness run, which reads both when it starts", err, host.ModelsFile)
		}
		change.Model = durable.Set(durable.ModelRef{Provider: chosen.Provider, Model: chosen.ID})
	}
	if request.Conversation == 0 {
		return l.Host.Session().CreateConversation(ctx, durable.Ownerless(), durable.ConversationOptions{Agent: change})
	}
	found, err := l.Host.Session().Conversation(ctx, request.Conversation)
	if err == nil && request.Model != "" {
		err = found.Configure(ctx, change)
	}
	return found, err
}

func (l Local) begun(ctx context.Context, conversation record.ConversationID, submission record.SubmissionID) (*Begun, error) {
	begun := &Begun{Conversation: conversation, Submission: submission}
	used, release, err := l.Host.Harness().Agent(ctx, conversation)
	if err != nil {
		return nil, err
	}
	defer release()
	if used.Model != nil {
		begun.Model = used.Model.Provider + "/" + used.Model.Model
		begun.Scripted = l.Host.Models().Scripted && *used.Model == l.Host.Models().Default
	}
	return begun, nil
}

// follow tells what goes on until a submission is settled.
func follow(ctx context.Context, events *agent.Events, submission *durable.Submission, each func(SubmitLine) error) error {
	for {
		batch, err := events.Next(ctx)
		if err != nil {
			return err
		}
		missed := false // a snapshot stands for events, of which that may have been one
		for _, event := range batch {
			text, err := json.Marshal(event)
			if err != nil {
				return err
			}
			if err := each(SubmitLine{Event: text}); err != nil {
				return err
			}
			missed = missed || event.Type == agent.EventSnapshot
			if settled := event.Submission; settled != nil && settled.ID == submission.ID() && settled.Status.Settled() {
				return nil
			}
		}
		if missed {
			now, err := submission.Status(ctx)
			if err != nil || now.Status.Settled() {
				return err
			}
		}
	}
}

// Inspection is what goes on in a harness.
type Inspection struct {
	Scheduling  durable.Scheduling  `json:"scheduling"`
	Tasks       []Task              `json:"tasks"`
	Submissions []record.Submission `json:"submissions"` // not settled
}

// Task is a live task.
type Task struct {
	ID           record.TaskID          `json:"id"`
	Kind         string                 `json:"kind"`
	Conversation record.ConversationID  `json:"conversationId"`
	Owner        record.TaskID          `json:"ownerTaskId,omitempty"`
	State        durable.InspectedState `json:"state"`
	Phase        string                 `json:"phase,omitempty"`
	On           []record.TaskID        `json:"on,omitempty"` // that it waits for
	// Blocked is why it does not run, and Error what went wrong then.
	Blocked durable.BlockedReason `json:"blocked,omitempty"`
	Error   string                `json:"error,omitempty"`
}

// Inspect implements [Conversations].
func (l Local) Inspect(ctx context.Context) (Inspection, error) {
	found, err := l.Host.Session().Inspect(ctx)
	if err != nil {
		return Inspection{}, err
	}
	shown := Inspection{Scheduling: found.Scheduling, Tasks: []Task{}, Submissions: found.Submissions}
	if shown.Submissions == nil {
		shown.Submissions = []record.Submission{}
	}
	for _, one := range found.Tasks {
		task := Task{
			ID: one.Task.ID, Kind: one.Task.Kind, Conversation: one.Task.Conversation, Owner: one.Task.Owner,
			State: one.State, On: one.On,
		}
		var checkpoint struct{ Phase string }
		if len(one.Task.State.Checkpoint) > 0 {
			if err := json.Unmarshal(one.Task.State.Checkpoint, &checkpoint); err != nil {
				return Inspection{}, fmt.Errorf("the checkpoint of task %d: %w", one.Task.ID, err)
			}
			task.Phase = checkpoint.Phase
		}
		if one.Blocked != nil {
			task.Blocked = one.Blocked.Reason
			if one.Blocked.Err != nil {
				task.Error = one.Blocked.Err.Error()
			}
		}
		shown.Tasks = append(shown.Tasks, task)
	}
	return shown, nil
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/seed-d579e5eb/harness/agent/internal/pace"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// request asks the model. A request that was cut off is made again, of the same
// entries and with the same model.
func (h *Harness) request(ctx context.Context, run *generationRun) error {
	if err := h.keepPartial(ctx, run); err != nil {
		return err
	}
	asked, why := h.modelOf(run.State.Model)
	if why != nil {
		return h.unanswered(ctx, run, ReasonNoModel, why.Error(), nil)
	}
	agent, view, err := h.asked(ctx, run)
	if err != nil {
		return err
	}
	session, err := providerSession(ctx, run.Runtime)
	if err != nil {
		return err
	}
	messages, err := agent.BeforeRequest(ctx, h.asking(run.Runtime), view.Messages)
	if err != nil {
		return err
	}
	response, err := h.streamed(ctx, run, run.State.request(asked, messages, session))
	if err != nil {
		return err
	}
	return h.classify(ctx, run, attempted{agent, asked, view, response})
}

// asked returns who takes part in a phase, and what its request shows.
func (h *Harness) asked(ctx context.Context, run *generationRun) (agent *registry.Agent, view durable.ContextView, err error) {
	if agent, err = h.resolved(ctx, run.Runtime); err != nil {
		return nil, view, err
	}
	view, err = run.Context(ctx, run.Conversation(), run.State.Cutoff)
	return agent, view, err
}

// providerSession returns the identity that the conversation has towards providers.
func providerSession(ctx context.Context, run *durable.Runtime) (session string, err error) {
	state, found, err := durable.ProviderDocument.Read(ctx, run, durable.InConversation(run.Conversation()))
	if err != nil || found && state.Session != "" {
		return state.Session, err
	}
	err = run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx, _ record.Task) (*record.TaskState, error) {
		session, err = durable.ProviderSession(tx, run.Conversation())
		return nil, err
	})
	return session, err
}

// streamed makes a request and stores what comes of the response now and then, and
// returns the final message. The error is the cause of ctx, when that ended.
func (h *Harness) streamed(ctx context.Context, run *generationRun, request model.Request) (*message.Assistant, error) {
	partial := &partial{harness: h, run: run}
	pacer := &pace.Pacer{Clock: h.clock, Interval: h.Settings().Progress.PartialInterval, Store: partial.store}
	defer pacer.End()
	var final *message.Assistant
	for event := range h.models.Stream(ctx, request) {
		if event.Final() {
			final = event.Message
			continue
		}
		if partial.is(event.Partial()) {
			pacer.Changed()
		}
	}
	// No commit of a part may follow that of the whole.
	pacer.End()
	cause := context.Cause(ctx)
	if errors.Is(cause, durable.ErrTaskAborted) {
		h.cutOff.put(run.TaskID(), final)
	}
	return final, cause
}

// partial is what there is of a response that is under way.
type partial struct {
	harness *Harness
	run     *generationRun

	mu     sync.Mutex
	newest *message.Assistant
}

// is notes what there is of the response now, and says whether that is anything.
func (p *partial) is(now *message.Assistant) bool {
	if now == nil || len(now.Content) == 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = now
	return true
}

// store commits it. It is not ended with the request: what is on its way is stored.
func (p *partial) store() (int, error) {
	p.mu.Lock()
	text, err := json.Marshal(p.newest)
	p.mu.Unlock()
	if err != nil {
		return 0, err
	}
	run := p.run
	return len(text), run.CommitUnlimited(context.Background(), func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next, err
		}
		if live.Generation == nil {
			live.Generation = attempt(nil, run.State.Attempt)
		}
		live.Generation.Message = text
		return run.Unchanged(), nil
	})
}

// keepPartial makes an entry of what there is of a response that was cut off.
func (h *Harness) keepPartial(ctx context.Context, run *generationRun) error {
	live, _, err := durable.LiveDocument.Read(ctx, run, durable.InConversation(run.Conversation()))
	if err != nil || live.Generation == nil || live.Generation.Message == nil {
		return err
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		return run.Unchanged(), h.convertPartial(tx, run.Conversation())
	})
}

// convertPartial appends what is stored of a response as an aborted one, and takes it
// out of the live document. Nothing is done when there is nothing.
func (h *Harness) convertPartial(tx *durable.Tx, conversation record.ConversationID) error {
	response, err := h.takePartial(tx, conversation)
	if err != nil || response == nil {
		return err
	}
	return appendAborted(tx, conversation, response)
}

// takePartial takes what is stored of a response out of the live document; nil when
// there is nothing. What cannot be read is logged, and taken for nothing.
func (h *Harness) takePartial(tx *durable.Tx, conversation record.ConversationID) (*message.Assistant, error) {
	live, err := durable.LiveDocument.Edit(tx, durable.InConversation(conversation))
	if err != nil || live.Generation == nil || live.Generation.Message == nil {
		return nil, err
	}
	text := live.Generation.Message
	live.Generation.Message = nil
	response := new(message.Assistant)
	if err := json.Unmarshal(text, response); err != nil {
		// It was written by this program: nothing else is known of it, and the run goes on.
		h.log().Error("what was stored of a response cannot be read, and is left out", "conversation", conversation, "error", err)
		return nil, nil
	}
	return response, nil
}

// appendAborted appends a response as one that was cut off.
func appendAborted(tx *durable.Tx, conversation record.ConversationID, response *message.Assistant) error {
	aborted := *response
	aborted.StopReason = message.StopReasonAborted
	if aborted.ErrorMessage == "" {
		aborted.ErrorMessage = "The response was cut off."
	}
	_, err := appendResponse(tx, conversation, &aborted)
	return err
}

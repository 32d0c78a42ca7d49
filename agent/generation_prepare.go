package agent

import (
	"context"
	"fmt"

	"github.com/seed-d579e5eb/harness/agent/internal/prompt"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// prepare writes what changed of the prompt, and settles with what the model is asked.
func (h *Harness) prepare(ctx context.Context, run *generationRun) error {
	settings := h.Settings()
	agent, err := h.resolved(ctx, run.Runtime)
	if err != nil {
		return err
	}
	asked, why := h.modelOf(agent.Model)
	if why != nil {
		return h.unanswered(ctx, run, ReasonNoModel, why.Error(), nil)
	}
	if lost, err := h.overflowStays(ctx, run); err != nil || lost {
		if err != nil {
			return err
		}
		return h.unanswered(ctx, run, ReasonModelError, run.State.Overflow, nil)
	}
	view, err := run.Context(ctx, run.Conversation(), 0)
	if err != nil {
		return err
	}
	planned, err := h.plannedPrompt(ctx, run, agent, view)
	if err != nil {
		return err
	}
	need, err := h.compactionNeeded(ctx, run, settings, asked, view, planned)
	if err != nil {
		return err
	}
	if need == compactFirst {
		return h.compactBefore(ctx, run, compactThreshold, nil)
	}
	return run.CommitUnlimited(ctx, func(ctx context.Context, tx *durable.Tx) (next generationNext, err error) {
		state := run.State.next(phaseRequest)
		state.Model, state.Thinking, state.Stream = agent.Model, model.ThinkingLevel(agent.Thinking), &settings.Stream
		state.Cutoff = view.Tail
		for _, draft := range planned {
			entry, err := tx.AppendEntry(run.Conversation(), draft)
			if err != nil {
				return next, err
			}
			state.Cutoff = entry.ID
		}
		if need == compactBeside {
			if err := h.compactInBackground(tx, run.Conversation()); err != nil {
				return next, err
			}
		}
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next, err
		}
		live.Generation = attempt(live.Generation, state.Attempt)
		return run.Continue(state), nil
	})
}

// attempt returns what is shown of an attempt that begins. What is left of one that was
// cut off is kept: the request makes an entry of it.
func attempt(before *durable.GenerationState, number int) *durable.GenerationState {
	begun := &durable.GenerationState{Attempt: number}
	if before != nil {
		begun.Message = before.Message
	}
	return begun
}

// plannedPrompt returns the entries that make the prompt what the agent's sections and
// tools want it to be. What fails in making it is reported, and leaves its part as the
// model was shown it.
func (h *Harness) plannedPrompt(ctx context.Context, run *generationRun, agent *registry.Agent, view durable.ContextView) ([]durable.EntryDraft, error) {
	env, err := h.env(ctx, run.Runtime, agent)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		run.Report(fmt.Errorf("the environment of conversation %d, for its prompt: %w", run.Conversation(), err))
		env = nil
	}
	shown := prompt.Shown(view.Messages)
	sections, err := agent.RenderSections(ctx, registry.SectionInput{
		Conversation: run.Conversation(), Env: env, Shown: shown.Sections, Documents: run,
	})
	if err != nil {
		return nil, err
	}
	var tools []message.ToolDeclaration
	for _, tool := range agent.ModelTools() {
		tools = append(tools, tool.Declaration())
	}
	return prompt.Plan(view, prompt.State{Sections: sections, Tools: tools}, h.milliseconds()), nil
}

package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

func TestAnAbortEndsTheWorkForItsConversationAndWaitsForIt(t *testing.T) {
	h := open(t, agent.Options{})
	root := h.root()
	inside, end, err := h.WorkFor(t.Context(), "a wash", root.ID())
	if err != nil {
		t.Fatal(err)
	}
	aborted := make(chan error, 1)
	go func() { aborted <- root.Abort(context.WithoutCancel(t.Context()), false) }()
	<-inside.Done()
	var why *agent.WorkAbortedError
	if cause := context.Cause(inside); !errors.As(cause, &why) || why.Conversation != record.Root || !errors.Is(cause, durable.ErrTaskAborted) {
		t.Errorf("the work ended for %v", cause)
	}
	if len(aborted) > 0 {
		t.Error("the abort did not wait for the work")
	}
	end()
	if err := <-aborted; err != nil {
		t.Error(err)
	}
}

func TestWorkForAnUnknownConversationDoesNotBegin(t *testing.T) {
	h := open(t, agent.Options{})
	root := h.root()
	var unknown *durable.NotFoundError
	if _, _, err := h.WorkFor(t.Context(), "a wash", root.ID(), 999); !errors.As(err, &unknown) {
		t.Errorf("got %v", err)
	}
	inspection, err := h.Inspect(t.Context())
	if err != nil || len(inspection.Tasks) > 0 {
		t.Errorf("left is %+v, %v", inspection.Tasks, err)
	}
}

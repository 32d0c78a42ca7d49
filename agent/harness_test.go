package agent_test

import (
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable/record"
)

func TestAnInputIsAnsweredByTheModelAndItsTools(t *testing.T) {
	h := open(t, agent.Options{}, with(says("look", "It is open.")))
	h.model.Set(calls("look", `{"at":"door"}`), text("The door is open."))
	settled := h.say("Look at the door.")
	if settled.Status != record.Done || h.answer(settled) != "The door is open." {
		t.Errorf("the input is %+v", settled)
	}
	h.check(
		"user: Look at the door.",
		"system +tool:look",
		`assistant (toolUse) look{"at":"door"}`,
		"tool-result look: It is open.",
		"assistant (stop) The door is open.",
	)
	if live := h.live(); live.Run != nil || live.Generation != nil || live.Tools != nil {
		t.Errorf("afterwards the conversation has %+v", live)
	}
	if reports := h.reported(); reports != nil {
		t.Error(reports)
	}
}

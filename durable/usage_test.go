package durable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

func spent(tokens int64) message.Usage {
	return message.Usage{Input: tokens, TotalTokens: tokens, Cost: message.Cost{Total: 0.5}}
}

func TestUsageIsSummedByModelAndTool(t *testing.T) {
	s := begin(t)
	tool := spent(7)
	add := func(to record.ConversationID, messages ...message.Message) {
		s.commit(func(tx *durable.Tx) error { return durable.AddUsage(tx, to, messages...) })
	}
	add(s.ID(), &message.Assistant{Provider: "p", Model: "m", Usage: spent(1), StopReason: message.StopReasonError},
		&message.Assistant{Provider: "p", Model: "m", Usage: spent(2)}, &message.ToolResult{ToolName: "grep", Usage: &tool})
	add(s.ID(), message.UserText("nothing", 1), &message.ToolResult{ToolName: "grep"})
	at := s.append(s.ID(), "a").ID
	fork, err := s.Fork(within(t), at, durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(of record.ConversationID) durable.UsageState {
		usage, _, err := durable.UsageDocument.Read(within(t), s.Session, durable.InConversation(of))
		if err != nil {
			t.Fatal(err)
		}
		return usage
	}
	three := spent(3)
	three.Cost.Total = 1
	want := durable.UsageState{Models: map[string]message.Usage{"p/m": three}, Tools: map[string]message.Usage{"grep": tool}}
	if diff := cmp.Diff(want, read(s.ID())); diff != "" {
		t.Error(diff)
	}
	if usage := read(fork.ID()); len(usage.Models)+len(usage.Tools) > 0 {
		t.Errorf("a fork begins with %+v", usage)
	}
	add(fork.ID(), &message.Assistant{Provider: "p", Model: "m", Usage: spent(4)}, &message.Assistant{Provider: "q", Model: "n", Usage: spent(5)})
	s.reopen()
	total, err := s.Session.Usage(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if total.Models["p/m"].Input != 7 || total.Models["q/n"].Input != 5 || total.Tools["grep"].Input != 7 {
		t.Errorf("the total is %+v", total)
	}
}

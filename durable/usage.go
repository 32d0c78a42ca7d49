package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// UsageDocument is what a conversation itself has used; what it was forked from, and
// what it owns, count for themselves (section 8.6 of the pi-durable specification).
var UsageDocument = DefineDocument(DocumentSpec[UsageState]{
	Kind: "pi.usage", Version: 1,
	Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkInitial,
	Initial:    newUsage,
	Checkpoint: wholeValues,
})

// UsageState is a sum of usages. Its maps are not nil.
type UsageState struct {
	// Models are by "provider/model".
	Models map[string]message.Usage `json:"models"`
	// Tools are by the name of the tool, for what a tool used on its own.
	Tools map[string]message.Usage `json:"tools"`
}

func newUsage() UsageState {
	return UsageState{Models: make(map[string]message.Usage), Tools: make(map[string]message.Usage)}
}

// add counts another sum.
func (u *UsageState) add(other UsageState) {
	if u.Models == nil {
		u.Models = make(map[string]message.Usage)
	}
	if u.Tools == nil {
		u.Tools = make(map[string]message.Usage)
	}
	for model, usage := range other.Models {
		u.Models[model] = u.Models[model].Add(usage)
	}
	for tool, usage := range other.Tools {
		u.Tools[tool] = u.Tools[tool].Add(usage)
	}
}

// AddUsage counts what messages have used for a conversation: that of a response by
// its provider and model, whatever became of it, and that of a tool's result by the
// tool. It belongs into the commit that appends them.
func AddUsage(tx *Tx, conversation record.ConversationID, messages ...message.Message) error {
	spent := newUsage()
	for _, m := range messages {
		switch m := m.(type) {
		case *message.Assistant:
			model := m.Provider + "/" + m.Model
			spent.Models[model] = spent.Models[model].Add(m.Usage)
		case *message.ToolResult:
			if m.Usage != nil {
				spent.Tools[m.ToolName] = spent.Tools[m.ToolName].Add(*m.Usage)
			}
		}
	}
	if len(spent.Models)+len(spent.Tools) == 0 {
		return nil
	}
	usage, err := UsageDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return err
	}
	usage.add(spent)
	return nil
}

// Usage returns what all conversations have used together, as of one moment.
func (s *Session) Usage(ctx context.Context) (UsageState, error) {
	total := newUsage()
	err := s.view(ctx, func(r table.Reader) error {
		for conversation, err := range r.Conversations(0, 0, table.IDs{}) {
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			found, _, err := s.document(r, UsageDocument.Definition, InConversation(conversation.ID), "")
			if err != nil {
				return err
			}
			if found == nil {
				continue
			}
			var one UsageState
			if err := value.Decode(found, &one); err != nil {
				return err
			}
			total.add(one)
		}
		return nil
	})
	return total, err
}

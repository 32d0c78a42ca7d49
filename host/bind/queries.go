package bind

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/model/message"
)

// maxPage bounds a page of a scan: an author's Infinity must not fill the memory.
const maxPage = 10000

// pageRequest asks for a page of a scan.
type pageRequest[Q any] struct {
	Query Q `json:"query"`
	// Limit is a number of JavaScript's.
	Limit float64         `json:"limit"`
	From  *durable.Cursor `json:"cursor"`
}

// scan answers with a page; query makes the engine's query of the author's.
func scan[Q, D, T any](query func(Q) D, read func(D, int, *durable.Cursor) (durable.Page[T], error)) answer {
	return func(_ context.Context, in *request) (any, error) {
		return onePage(in, query, read)
	}
}

// scanStored is scan for what reads outside of transactions.
func scanStored[Q, D, T any](query func(Q) D, read func(context.Context, D, int, *durable.Cursor) (durable.Page[T], error)) answer {
	return func(ctx context.Context, in *request) (any, error) {
		return onePage(in, query, func(d D, limit int, from *durable.Cursor) (durable.Page[T], error) {
			return read(ctx, d, limit, from)
		})
	}
}

func onePage[Q, D, T any](in *request, query func(Q) D, read func(D, int, *durable.Cursor) (durable.Page[T], error)) (any, error) {
	args, err := readAs[pageRequest[Q]](in)
	if err != nil {
		return nil, err
	}
	if args.Limit < 1 {
		return nil, &TypeError{Function: in.operation, Argument: "the limit", Want: "a number of at least 1"}
	}
	page, err := read(query(args.Query), int(min(args.Limit, maxPage)), args.From)
	if err != nil {
		return nil, err
	}
	items := page.Items
	if items == nil {
		items = []T{}
	}
	shownPage := jsapi.NewObject("items", items)
	if page.Next != nil {
		shownPage.Set("next", page.Next)
	}
	return shownPage, nil
}

// conversationQuery and those below are the queries of section 10 of the pi-durable
// specification.
type conversationQuery struct {
	OwnerTask         record.TaskID         `json:"ownerTaskId"`
	OwnerConversation record.ConversationID `json:"ownerConversationId"`
	Order             durable.Order         `json:"order"`
}

func (q conversationQuery) query() durable.ConversationQuery {
	return durable.ConversationQuery{OwnerTask: q.OwnerTask, OwnerConversation: q.OwnerConversation, Order: q.Order}
}

type entryQuery struct {
	Conversation record.ConversationID `json:"conversationId"`
	Min          record.EntryID        `json:"minEntryId"`
	Max          record.EntryID        `json:"maxEntryId"`
	Order        durable.Order         `json:"order"`
}

func (q entryQuery) query() durable.EntryQuery {
	return durable.EntryQuery{Conversation: q.Conversation, Min: q.Min, Max: q.Max, Order: q.Order}
}

type taskQuery struct {
	Conversation   record.ConversationID `json:"conversationId"`
	Kind           string                `json:"kind"`
	Status         record.Status         `json:"status"`
	Live           bool                  `json:"live"`
	AbortRequested *bool                 `json:"abortRequested"`
	Background     *bool                 `json:"background"`
	Order          durable.Order         `json:"order"`
}

func (q taskQuery) query() durable.TaskQuery {
	return durable.TaskQuery{
		Conversation: q.Conversation, Kind: q.Kind, Status: q.Status, Live: q.Live,
		AbortRequested: q.AbortRequested, Background: q.Background, Order: q.Order,
	}
}

type submissionQuery struct {
	Conversation record.ConversationID   `json:"conversationId"`
	Status       record.SubmissionStatus `json:"status"`
	Order        durable.Order           `json:"order"`
}

func (q submissionQuery) query() durable.SubmissionQuery {
	return durable.SubmissionQuery{Conversation: q.Conversation, Status: q.Status, Order: q.Order}
}

// submissionRequest hands something in to a conversation.
type submissionRequest struct {
	ID         record.ConversationID `json:"id"`
	Submission struct {
		Type     string             `json:"type"`
		Request  string             `json:"requestId"`
		Content  *message.Content   `json:"content"`
		WhenBusy durable.WhenBusy   `json:"whenBusy"`
		Entry    durable.EntryDraft `json:"entry"`
	} `json:"submission"`
}

// draft is what is handed in. An input whose entry says a kind is labelled. What says
// nothing is a [*TypeError].
func (r *submissionRequest) draft() (durable.SubmissionDraft, error) {
	asked := &r.Submission
	switch {
	case asked.Type == "write":
		return durable.Write{Request: asked.Request, Entry: asked.Entry}, nil
	case asked.Type != "input":
		return nil, &TypeError{Function: "submit", Argument: "the submission's type", Want: `"input" or "write"`}
	case asked.Content == nil:
		return nil, &TypeError{Function: "submit", Argument: "the content of an input", Want: "a text or an array of parts"}
	}
	input := durable.Input{Request: asked.Request, Content: *asked.Content, WhenBusy: asked.WhenBusy}
	if asked.Entry.Kind != "" {
		input.Label = &durable.Label{Kind: asked.Entry.Kind, Data: asked.Entry.Data}
	}
	return input, nil
}

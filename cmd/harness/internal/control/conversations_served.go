package control

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// conversationRequest names a conversation.
type conversationRequest struct {
	Conversation record.ConversationID `json:"conversation"`
}

// listLine is one line of a list: an item, or why it ended early; the last one is
// neither.
type listLine[T any] struct {
	Item  *T     `json:"item,omitempty"`
	Error string `json:"error,omitempty"`
}

// submitLine is one line of the answer to a [SubmitRequest]: what goes on, and last how
// the input was settled, or why that is not known.
type submitLine struct {
	*SubmitLine
	Settled *record.Submission `json:"settled,omitempty"`
	Error   string             `json:"error,omitempty"`
}

// done is the answer to a request that has nothing else to say.
type done struct{}

func (s *Server) local() Local { return Local{s.host} }

// document answers with one document or with what went wrong.
func (s *Server) document(w http.ResponseWriter, document any, err error) {
	if err != nil {
		answer(w, http.StatusInternalServerError, failure{Error: err.Error()})
		return
	}
	answer(w, http.StatusOK, document)
}

func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	models, err := s.local().Models(r.Context())
	s.document(w, models, err)
}

func (s *Server) serveInspect(w http.ResponseWriter, r *http.Request) {
	found, err := s.local().Inspect(r.Context())
	s.document(w, found, err)
}

func (s *Server) serveAbort(w http.ResponseWriter, r *http.Request) {
	var request conversationRequest
	if decode(w, r, &request) {
		s.document(w, done{}, s.local().Abort(r.Context(), request.Conversation))
	}
}

func (s *Server) serveConversations(w http.ResponseWriter, r *http.Request) {
	lines := newLines(w, r)
	serveList(s, lines, s.local().List(lines.ctx))
}

func (s *Server) serveShow(w http.ResponseWriter, r *http.Request) {
	var request conversationRequest
	if !decode(w, r, &request) {
		return
	}
	lines := newLines(w, r)
	serveList(s, lines, s.local().Show(lines.ctx, request.Conversation))
}

func serveList[T any](s *Server, lines *lines, list iter.Seq2[T, error]) {
	var last listLine[T]
	for item, err := range list {
		if err != nil {
			last.Error = err.Error()
			break
		}
		lines.await(listLine[T]{Item: &item}, s.stopping)
	}
	lines.finish(last)
}

func (s *Server) serveSubmit(w http.ResponseWriter, r *http.Request) {
	var request SubmitRequest
	if !decode(w, r, &request) {
		return
	}
	lines := newLines(w, r)
	settled, err := s.local().Submit(lines.ctx, request, func(line SubmitLine) error {
		lines.await(submitLine{SubmitLine: &line}, s.stopping)
		return context.Cause(lines.ctx)
	})
	if err != nil {
		lines.finish(submitLine{Error: err.Error()})
		return
	}
	lines.finish(submitLine{Settled: &settled})
}

// Models implements [Conversations].
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var models []Model
	return models, c.document(ctx, http.MethodGet, pathModels, nil, &models)
}

// Inspect implements [Conversations].
func (c *Client) Inspect(ctx context.Context) (Inspection, error) {
	var found Inspection
	return found, c.document(ctx, http.MethodGet, pathInspect, nil, &found)
}

// Abort implements [Conversations].
func (c *Client) Abort(ctx context.Context, id record.ConversationID) error {
	return c.document(ctx, http.MethodPost, pathAbort, conversationRequest{id}, &done{})
}

// List implements [Conversations].
func (c *Client) List(ctx context.Context) iter.Seq2[Conversation, error] {
	return readList[Conversation](ctx, c, pathConversations, nil)
}

// Show implements [Conversations].
func (c *Client) Show(ctx context.Context, id record.ConversationID) iter.Seq2[record.Entry, error] {
	return readList[record.Entry](ctx, c, pathShow, conversationRequest{id})
}

func readList[T any](ctx context.Context, c *Client, path string, request any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := readLines(ctx, c, path, request, func(line listLine[T]) (last bool, err error) {
			switch {
			case line.Error != "":
				return true, errors.New(line.Error)
			case line.Item != nil:
				return !yield(*line.Item, nil), nil
			}
			return true, nil
		})
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// Submit implements [Conversations].
func (c *Client) Submit(ctx context.Context, request SubmitRequest, each func(SubmitLine) error) (settled record.Submission, err error) {
	err = readLines(ctx, c, pathSubmit, request, func(line submitLine) (last bool, err error) {
		switch {
		case line.Error != "":
			return true, errors.New(line.Error)
		case line.Settled != nil:
			settled = *line.Settled
			return true, nil
		case line.SubmitLine == nil:
			return false, nil
		}
		return false, each(*line.SubmitLine)
	})
	return settled, err
}

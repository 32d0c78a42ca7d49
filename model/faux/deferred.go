package faux

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// deferred is a response that is to be fetched.
type deferred struct {
	request model.Request
	step    Step

	mu        sync.Mutex // held while the response is made, so that it is made once
	pending   int        // fetches that still find it pending
	cancelled bool
	final     *message.Assistant
	err       error
}

// kept is what the handle of a response that was not queued carries, so that a provider
// that was started since can give it.
type kept struct {
	Answer *message.Assistant `json:"answer"`
}

// postpone ends a response as deferred.
func (p *Provider) postpone(ctx context.Context, w *model.Writer, request model.Request, step Step, queued bool) error {
	entry := &deferred{request: request, step: step, pending: max(p.options.PendingFetches, 0)}
	entry.request.Options.Deferred = model.Deferral{}
	handle := model.DeferredHandle{Provider: p.options.ID, ModelID: request.Model.ID, API: p.options.API}
	if after := p.options.PollAfter.Milliseconds(); after > 0 {
		handle.PollAfterMs = &after
	}
	if !queued {
		answer, err := entry.make(ctx, p)
		if err != nil {
			return err
		}
		if handle.Data, err = json.Marshal(kept{answer}); err != nil {
			return err
		}
	}
	p.mu.Lock()
	handle.ID = fmt.Sprintf("deferred:%d:%d", p.options.Now().UnixMilli(), p.state.Calls)
	p.deferred[handle.ID] = entry
	p.mu.Unlock()
	return stillDeferred(w, handle)
}

// stillDeferred ends a response as deferred, with its handle.
func stillDeferred(w *model.Writer, handle model.DeferredHandle) error {
	text, err := json.Marshal(handle)
	if err != nil {
		return err
	}
	w.Update(func(m *message.Assistant) { m.Deferred = text })
	return w.Done(message.StopReasonDeferred)
}

// make makes the response, once.
func (d *deferred) make(ctx context.Context, p *Provider) (*message.Assistant, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.final == nil && d.err == nil {
		m, err := d.step(ctx, d.request, p.State())
		if err != nil {
			d.err = err
		} else {
			d.final = p.counted(d.request, m)
		}
	}
	return d.final, d.err
}

// look says whether the response is still pending, and counts the fetch. The error says
// that it was cancelled.
func (d *deferred) look(id string) (pending bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.cancelled:
		return false, fmt.Errorf("the deferred response %s was cancelled", id)
	case d.pending > 0:
		d.pending--
		return true, nil
	}
	return false, nil
}

// FetchDeferred implements [model.Deferrer]. A response of a provider that is gone is
// given at once when it was not queued; a queued one is unknown then.
func (p *Provider) FetchDeferred(ctx context.Context, m *model.Model, handle model.DeferredHandle) model.Stream {
	return model.Produce(ctx, model.Request{Model: m}, p.options.Now, func(w *model.Writer) error {
		p.mu.Lock()
		p.state.Fetches++
		entry := p.deferred[handle.ID]
		p.mu.Unlock()
		if entry == nil {
			var data kept
			if json.Unmarshal(handle.Data, &data) != nil || data.Answer == nil {
				return fmt.Errorf("unknown faux deferred response: %s", handle.ID)
			}
			return p.stream(ctx, w, data.Answer)
		}
		pending, err := entry.look(handle.ID)
		if err != nil {
			return err
		}
		if pending {
			return stillDeferred(w, handle)
		}
		answer, err := entry.make(ctx, p)
		if err != nil {
			return err
		}
		return p.stream(ctx, w, answer)
	})
}

// CancelDeferred implements [model.Deferrer]. It has no error.
func (p *Provider) CancelDeferred(_ context.Context, _ *model.Model, handle model.DeferredHandle) error {
	p.mu.Lock()
	p.state.Cancelled = append(p.state.Cancelled, handle)
	entry := p.deferred[handle.ID]
	p.mu.Unlock()
	if entry != nil {
		entry.mu.Lock()
		entry.cancelled = true
		entry.mu.Unlock()
	}
	return nil
}

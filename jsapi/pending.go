package jsapi

import (
	"slices"
	"sync"
)

// pendingCalls is the set of calls that are not settled. It has no order.
type pendingCalls struct {
	mu     sync.Mutex
	calls  []*pendingCall
	closed bool
}

func (p *pendingCalls) add(call *pendingCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	call.index = len(p.calls)
	p.calls = append(p.calls, call)
	return true
}

func (p *pendingCalls) remove(call *pendingCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call.index >= len(p.calls) || p.calls[call.index] != call {
		return
	}
	last := len(p.calls) - 1
	p.calls[call.index] = p.calls[last]
	p.calls[call.index].index = call.index
	p.calls[last] = nil
	p.calls = p.calls[:last]
}

func (p *pendingCalls) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

// failAll settles everything with err and refuses new calls.
func (p *pendingCalls) failAll(err error) {
	p.mu.Lock()
	calls := p.calls
	p.calls, p.closed = nil, true
	p.mu.Unlock()
	for _, call := range calls {
		call.settle(nil, err)
	}
}

func (p *pendingCalls) list() []*pendingCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

package bind

import (
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// staging collects what a factory asks for, until it has returned.
type staging struct {
	mu       sync.Mutex
	sealed   bool
	provided func(id string) bool // nil once sealed: it has the generation before in its reach
	services []Implementation
	needs    []string
	onOpen   []*jsapi.Function
	onClose  []*jsapi.Function
	reactors []reactor
}

// Implementation is a service that a factory offers.
type Implementation struct {
	ID     string
	Invoke *jsapi.Function // takes the method's name and its arguments
}

// StagingClosedError is a member that stages, called after the factory returned.
type StagingClosedError struct{ Member string }

func (e *StagingClosedError) Error() string {
	return e.Member + " can be called only while the factory runs"
}

// ErrorName implements [jsapi.Named].
func (e *StagingClosedError) ErrorName() string { return "StagingClosed" }

var _ jsapi.Named = (*StagingClosedError)(nil)

// seal ends staging: the factory has returned.
func (s *staging) seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed, s.provided = true, nil
}

// provides answers want while staging is open.
func (s *staging) provides(id string) (provided, open bool) {
	if s == nil {
		return false, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return false, false
	}
	own := slices.ContainsFunc(s.services, func(offered Implementation) bool { return offered.ID == id })
	return own || s.provided(id), true
}

// seal is called by the script when the factory has returned, so that nothing that
// still runs can stage.
func (h *Host) seal(*jsapi.NativeCall) (any, error) {
	h.staging.seal()
	return jsapi.Undefined{}, nil
}

// add runs keep unless staging has ended. Resources do not stage.
func (s *staging) add(member string, keep func()) (any, error) {
	if s == nil {
		return nil, &StagingClosedError{Member: member}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return nil, &StagingClosedError{Member: member}
	}
	keep()
	return jsapi.Undefined{}, nil
}

func (s *staging) open() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.sealed
}

func (h *Host) onOpen(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "onOpen", call: call}
	callback := args.function1("callback")
	if args.err != nil {
		return nil, args.err
	}
	return h.staging.add("onOpen", func() { h.staging.onOpen = append(h.staging.onOpen, callback) })
}

func (h *Host) onClose(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "onClose", call: call}
	callback := args.function1("callback")
	if args.err != nil {
		return nil, args.err
	}
	return h.staging.add("onClose", func() { h.staging.onClose = append(h.staging.onClose, callback) })
}

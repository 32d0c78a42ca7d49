package registry

import (
	"context"
	"sync"
	"sync/atomic"
)

// Member is an extension with its global instance, as generations hold it.
// Members of built-in and MCP extensions are carried from generation to
// generation; the last generation that holds a member closes it.
type Member struct {
	manifest  Manifest
	extension Extension
	instance  *Instance
	err       error // why there is no instance

	calls  atomic.Int64
	refs   atomic.Int64 // generations that hold the member, or the candidate it was added to
	open   sync.Once
	opened atomic.Bool
}

func newMember(extension Extension, instance *Instance, err error) *Member {
	if instance == nil {
		instance = &Instance{}
	}
	m := &Member{manifest: extension.Manifest(), extension: extension, instance: instance, err: err}
	m.refs.Store(1)
	return m
}

// Name is the extension's name.
func (m *Member) Name() string { return m.manifest.Name }

// Manifest is the extension's declaration.
func (m *Member) Manifest() Manifest { return m.manifest }

// Extension is what the member was made from.
func (m *Member) Extension() Extension { return m.extension }

// Instance is what the extension contributes; not to be changed.
func (m *Member) Instance() *Instance { return m.instance }

// Err says why the extension could not be instantiated; nil for a working one.
func (m *Member) Err() error { return m.err }

// Calls is how many calls into the extension are in flight.
func (m *Member) Calls() int { return int(m.calls.Load()) }

// release drops a holder. The last one closes the instance; what failed in that
// is returned.
func (m *Member) release(ctx context.Context, limits Limits) []*Failure {
	if m.refs.Add(-1) > 0 {
		return nil
	}
	var failures []*Failure
	end := func(what string, f func(context.Context) error) {
		if f == nil {
			return
		}
		if err := m.run(ctx, what, limits.Close, f); err != nil {
			failures = append(failures, attributed(m, what, err))
		}
	}
	if m.opened.Load() {
		end("onClose", m.instance.OnClose)
	}
	end("shutdown", m.instance.Shutdown)
	return failures
}

// openOnce calls OnOpen the first time.
func (m *Member) openOnce(ctx context.Context, limits Limits) (err error) {
	m.open.Do(func() {
		m.opened.Store(true)
		if m.instance.OnOpen != nil {
			err = m.run(ctx, "onOpen", limits.Close, m.instance.OnOpen)
		}
	})
	return err
}

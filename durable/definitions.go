package durable

import (
	"fmt"
	"sync/atomic"
)

// Definitions are where the definitions of tasks come from. They may change while a
// session is open. All methods are safe for concurrent use.
type Definitions interface {
	// Snapshot returns what is defined now. It is quick and does not fail. The caller
	// releases it.
	Snapshot() DefinitionSnapshot
	// Subscribe has changed called, on any goroutine, after each change. It must
	// not block. The function that is returned ends it.
	Subscribe(changed func()) (stop func())
}

// DefinitionSnapshot is what was defined at one moment. It never changes. All methods
// are safe for concurrent use.
type DefinitionSnapshot interface {
	// Task returns the definition of a name, and whether there is one.
	Task(name string) (*TaskDefinition, bool)
	// Release ends the use of the snapshot, which is called once: whatever belongs
	// to its definitions stays usable until then.
	Release()
}

// FixedDefinitions are definitions that never change. Of several of one name the last
// counts.
func FixedDefinitions(definitions ...*TaskDefinition) Definitions {
	byName := make(fixed, len(definitions))
	for _, definition := range definitions {
		byName[definition.Name] = definition
	}
	return byName
}

type fixed map[string]*TaskDefinition

func (f fixed) Snapshot() DefinitionSnapshot { return f }

func (f fixed) Subscribe(func()) func() { return func() {} }

func (f fixed) Task(name string) (*TaskDefinition, bool) {
	found, ok := f[name]
	return found, ok
}

func (f fixed) Release() {}

// lease shares one snapshot among several users. It is released when the last has
// released it.
type lease struct {
	DefinitionSnapshot
	users atomic.Int32
}

// leased takes the snapshot of now, for one user.
func (s *Session) leased() *lease {
	l := &lease{DefinitionSnapshot: s.options.Definitions.Snapshot()}
	l.users.Store(1)
	return l
}

// retain adds a user. The caller is one.
func (l *lease) retain() *lease {
	l.users.Add(1)
	return l
}

// Release takes a user away.
func (l *lease) Release() {
	if l.users.Add(-1) == 0 {
		l.DefinitionSnapshot.Release()
	}
}

// checkDefinitions refuses definitions that lack a required one.
func (s *Session) checkDefinitions() error {
	snapshot := s.options.Definitions.Snapshot()
	defer snapshot.Release()
	var lacking []string
	for _, name := range s.options.Required {
		if _, found := snapshot.Task(name); !found {
			lacking = append(lacking, fmt.Sprintf("%q", name))
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return invalid("the registry of definitions", "it lacks built-in tasks %s", joined(lacking))
}

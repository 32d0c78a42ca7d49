package durable

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// DocumentDefinition says what a kind of document is. It is not stored: whoever reads
// or edits a document brings the definition, and a newer one migrates what an older
// one wrote (sections 3.1 and 3.6 of the pi-durable specification). Go programs
// have it made by [DefineDocument] or [DefineFamily].
type DocumentDefinition struct {
	// Kind is the stable name, and Version, 1 or more, that of the shape.
	Kind    string
	Version int
	// Scope is what its documents belong to.
	Scope record.ScopeKind
	// History and Fork are set for conversations' documents, and only for them.
	History record.History
	Fork    record.ForkPolicy
	// Family says that a scope may have many, told apart by a key.
	Family bool
	// Initial returns the first value. seed is what the first one to edit a member of
	// a family gives, and nil for others.
	Initial func(seed json.RawMessage) (*value.Object, error)
	// Migrate makes a value of an older version one of this; nil refuses older ones.
	Migrate func(old *value.Object, version int) (*value.Object, error)
	// Checkpoint says whether the whole value is stored for a change, rather than
	// the change: it bounds what reading the document costs. deltas counts the changes
	// that are stored after the newest whole value, without this one. Nil never does.
	// It is not asked about a document whose past is not kept when that is 1,000: the
	// whole value is stored.
	Checkpoint func(changed *value.Object, ops delta.Ops, deltas int) bool
}

// Check returns an [*InvalidError] for a definition that contradicts itself.
func (d *DocumentDefinition) Check() error {
	if d == nil {
		return invalid("a document", "it has no definition")
	}
	what := fmt.Sprintf("the definition of the document %q", d.Kind)
	switch {
	case d.Kind == "":
		return invalid(what, "it has no kind")
	case d.Version < 1:
		return invalid(what, "its version is %d, and must be a positive integer", d.Version)
	case d.Initial == nil:
		return invalid(what, "it has no initial value")
	}
	if err := checkName(what, d.Kind); err != nil {
		return err
	}
	switch d.Scope {
	case record.SessionScope, record.TaskScope:
		if d.History != "" || d.Fork != "" {
			return invalid(what, "only documents of conversations have a history and a fork policy")
		}
	case record.ConversationScope:
		return d.checkHistory(what)
	default:
		return invalid(what, "its scope is %q, and must be session, conversation or task", d.Scope)
	}
	return nil
}

func (d *DocumentDefinition) checkHistory(what string) error {
	switch {
	case d.History != record.Latest && d.History != record.Rewindable:
		return invalid(what, "its history is %q, and must be latest or rewindable", d.History)
	case d.Fork == record.ForkAsOf && d.History != record.Rewindable:
		return invalid(what, "a fork as of an entry needs a rewindable history")
	case d.Fork != record.ForkAsOf && d.Fork != record.ForkCurrent && d.Fork != record.ForkInitial:
		return invalid(what, "its fork policy is %q, and must be current, initial or asOf", d.Fork)
	}
	return nil
}

// address returns where a document is, or an [*InvalidError] for a definition that
// contradicts itself, and for a scope or a key that it does not have.
func (d *DocumentDefinition) address(in record.Scope, key string) (record.Address, error) {
	if err := d.Check(); err != nil {
		return record.Address{}, err
	}
	switch {
	case in.Kind != d.Scope:
		return record.Address{}, invalid(d.what(), "it belongs to a %s, and was asked for in a %s", d.Scope, in.Kind)
	case !d.Family && key != "":
		return record.Address{}, invalid(d.what(), "it has no key, and %q was given", key)
	}
	if err := checkName("a key of "+d.what(), key); err != nil {
		return record.Address{}, err
	}
	at := record.Address{Kind: d.Kind, Scope: record.Scope{Kind: in.Kind}, Key: key, Family: d.Family}
	switch in.Kind {
	case record.ConversationScope:
		at.Scope.Conversation = in.Conversation
	case record.TaskScope:
		at.Scope.Task = in.Task
	}
	return at, nil
}

// what names the document in errors.
func (d *DocumentDefinition) what() string { return fmt.Sprintf("the document %q", d.Kind) }

// means returns an error when a stored document has another history or fork policy:
// no definition reinterprets what was promised of a document that lives.
func (d *DocumentDefinition) means(stored record.Document) error {
	if stored.History == d.History && stored.Fork == d.Fork {
		return nil
	}
	return invalid(d.what(), "it is stored with history %q and fork policy %q, and the definition says %q and %q: a document keeps what it began with",
		stored.History, stored.Fork, d.History, d.Fork)
}

// meansLiving is means for the document that lives at an address now, if there is
// one: whose history is not kept has none that could be asked for.
func (d *DocumentDefinition) meansLiving(r table.Reader, at record.Address) error {
	stored, found, err := r.FindDocument(at)
	if err != nil || !found {
		return err
	}
	return d.means(stored.Document)
}

// fits returns an error when a stored document has other semantics than the
// definition, or a version that it cannot read.
func (d *DocumentDefinition) fits(stored record.Document, version int) error {
	if err := d.means(stored); err != nil {
		return err
	}
	if version > d.Version || version < d.Version && d.Migrate == nil {
		return &VersionError{Kind: d.Kind, Stored: version, Known: d.Version}
	}
	return nil
}

// initial returns the first value of a document.
func (d *DocumentDefinition) initial(seed json.RawMessage) (*value.Object, error) {
	var first *value.Object
	err := guarded(func() (err error) {
		first, err = d.Initial(seed)
		return err
	})
	if err == nil {
		err = checkValue(first)
	}
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", d.what(), err)
	}
	return first, nil
}

// migrated returns a stored value as one of the definition's version.
func (d *DocumentDefinition) migrated(stored *value.Object, version int) (*value.Object, error) {
	if version == d.Version {
		return stored, nil
	}
	var migrated *value.Object
	err := guarded(func() (err error) {
		migrated, err = d.Migrate(stored, version)
		return err
	})
	if err == nil {
		err = checkValue(migrated)
	}
	if err != nil {
		return nil, fmt.Errorf("migrate %s from version %d to %d: %w", d.what(), version, d.Version, err)
	}
	return migrated, nil
}

// VersionError is a stored document whose version the definition cannot read: it is
// newer, or older and there is no migration.
type VersionError struct {
	Kind          string
	Stored, Known int
}

func (e *VersionError) Error() string {
	if e.Stored > e.Known {
		return fmt.Sprintf("the document %q is stored in version %d, and this definition knows version %d: use the newer one", e.Kind, e.Stored, e.Known)
	}
	return fmt.Sprintf("the document %q is stored in version %d, and the definition of version %d has no migration", e.Kind, e.Stored, e.Known)
}

// InSession is the scope of the session's documents.
func InSession() record.Scope { return record.Scope{Kind: record.SessionScope} }

// InConversation is the scope of a conversation's documents.
func InConversation(id record.ConversationID) record.Scope {
	return record.Scope{Kind: record.ConversationScope, Conversation: id}
}

// InTask is the scope of a task's documents. They are retired when it ends.
func InTask(id record.TaskID) record.Scope {
	return record.Scope{Kind: record.TaskScope, Task: id}
}

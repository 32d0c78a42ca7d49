package durable

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// Document is a kind of document whose values are of type T, which has the form of a
// JSON object. Members that T does not have stay as they are when it is edited.
type Document[T any] struct{ Definition *DocumentDefinition }

// DocumentSpec describes a kind of document; see [DocumentDefinition] for its
// fields.
type DocumentSpec[T any] struct {
	Kind       string
	Version    int
	Scope      record.ScopeKind
	History    record.History
	Fork       record.ForkPolicy
	Initial    func() T
	Migrate    func(old *value.Object, version int) (T, error)
	Checkpoint func(changed *value.Object, ops delta.Ops, deltas int) bool
}

// DefineDocument makes a kind of document, of which a scope has one. Whether the
// description contradicts itself is told by what uses it.
func DefineDocument[T any](spec DocumentSpec[T]) Document[T] {
	definition := &DocumentDefinition{
		Kind: spec.Kind, Version: spec.Version, Scope: spec.Scope, History: spec.History, Fork: spec.Fork, Checkpoint: spec.Checkpoint,
	}
	if spec.Initial != nil {
		definition.Initial = func(json.RawMessage) (*value.Object, error) { return objectOf(spec.Initial()) }
	}
	definition.Migrate = migration(spec.Migrate)
	return Document[T]{definition}
}

func migration[T any](migrate func(*value.Object, int) (T, error)) func(*value.Object, int) (*value.Object, error) {
	if migrate == nil {
		return nil
	}
	return func(old *value.Object, version int) (*value.Object, error) {
		migrated, err := migrate(old, version)
		if err != nil {
			return nil, err
		}
		return objectOf(migrated)
	}
}

// objectOf returns the JSON form of a Go value.
func objectOf(from any) (*value.Object, error) {
	text, err := encoded(from)
	if err != nil {
		return nil, err
	}
	return parsedObject(text)
}

// encoded returns the JSON of a Go value. One with texts that are not UTF-8 is a
// [*NotJSONError].
func encoded(from any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(from); err != nil {
		return nil, err
	}
	if err := asSaid(text.Bytes(), from); err != nil {
		return nil, &NotJSONError{Reason: err.Error()}
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

func parsedObject(text []byte) (*value.Object, error) {
	v, err := value.Parse(text)
	if err != nil {
		return nil, err
	}
	object, is := v.(*value.Object)
	if !is {
		return nil, fmt.Errorf("its JSON is no object, but of kind %s", value.Kind(v))
	}
	return object, shallow(object)
}

// Edit acquires the document to edit in a transaction, and makes it when there is
// none. What the pointer points to when the callback returns is stored. Changes
// after that have no effect. The errors are those of [Tx.Draft].
func (d Document[T]) Edit(tx *Tx, in record.Scope) (*T, error) {
	return edit[T](tx, d.Definition, in, "", nil)
}

// Retire ends the document, if there is one.
func (d Document[T]) Retire(tx *Tx, in record.Scope) error { return tx.Retire(d.Definition, in, "") }

// Read returns the document as it is stored now, and whether there is one. It never
// makes one.
func (d Document[T]) Read(ctx context.Context, from Documents, in record.Scope) (T, bool, error) {
	return readAs[T](from.ReadDocument(ctx, d.Definition, in, ""))
}

// ReadAt returns the document as it was after the commit of an entry that is visible
// in the conversation, and whether there was one. The document is rewindable.
func (d Document[T]) ReadAt(ctx context.Context, from Documents, conversation record.ConversationID, at record.EntryID) (T, bool, error) {
	return readAs[T](from.ReadDocumentAt(ctx, d.Definition, conversation, "", at))
}

// Family is a kind of document of which a scope has many, told apart by a key. The
// first to edit one gives the seed of its first value.
type Family[T, Seed any] struct{ Definition *DocumentDefinition }

// FamilySpec describes a family; see [DocumentDefinition] for its fields.
type FamilySpec[T, Seed any] struct {
	Kind       string
	Version    int
	Scope      record.ScopeKind
	History    record.History
	Fork       record.ForkPolicy
	Initial    func(Seed) T
	Migrate    func(old *value.Object, version int) (T, error)
	Checkpoint func(changed *value.Object, ops delta.Ops, deltas int) bool
}

// DefineFamily makes a family of documents.
func DefineFamily[T, Seed any](spec FamilySpec[T, Seed]) Family[T, Seed] {
	definition := &DocumentDefinition{
		Kind: spec.Kind, Version: spec.Version, Scope: spec.Scope, History: spec.History, Fork: spec.Fork, Checkpoint: spec.Checkpoint,
		Family: true,
	}
	if spec.Initial != nil {
		definition.Initial = func(text json.RawMessage) (*value.Object, error) {
			var seed Seed
			if len(text) > 0 {
				if err := json.Unmarshal(text, &seed); err != nil {
					return nil, fmt.Errorf("seed: %w", err)
				}
			}
			return objectOf(spec.Initial(seed))
		}
	}
	definition.Migrate = migration(spec.Migrate)
	return Family[T, Seed]{definition}
}

// Edit is [Document.Edit] for the member with a key.
func (f Family[T, Seed]) Edit(tx *Tx, in record.Scope, key string, seed Seed) (*T, error) {
	text, err := marshalled(seed)
	if err != nil {
		return nil, fmt.Errorf("seed of the document %q: %w", f.Definition.Kind, err)
	}
	return edit[T](tx, f.Definition, in, key, text)
}

// Retire ends the member with a key, if there is one.
func (f Family[T, Seed]) Retire(tx *Tx, in record.Scope, key string) error {
	return tx.Retire(f.Definition, in, key)
}

// Read is [Document.Read] for the member with a key.
func (f Family[T, Seed]) Read(ctx context.Context, from Documents, in record.Scope, key string) (T, bool, error) {
	return readAs[T](from.ReadDocument(ctx, f.Definition, in, key))
}

// ReadAt is [Document.ReadAt] for the member with a key.
func (f Family[T, Seed]) ReadAt(ctx context.Context, from Documents, conversation record.ConversationID, key string, at record.EntryID) (T, bool, error) {
	return readAs[T](from.ReadDocumentAt(ctx, f.Definition, conversation, key, at))
}

func readAs[T any](found *value.Object, err error) (shown T, there bool, _ error) {
	if err != nil || found == nil {
		return shown, false, err
	}
	err = value.Decode(found, &shown)
	return shown, err == nil, err
}

// Documents shows documents as they are stored: a [*Session] or a [*Runtime].
type Documents interface {
	// ReadDocument returns the newest value of a document, nil when there is none.
	ReadDocument(ctx context.Context, definition *DocumentDefinition, in record.Scope, key string) (*value.Object, error)
	// ReadDocumentAt returns the value of a rewindable document after the commit of
	// an entry, nil when there was none.
	ReadDocumentAt(ctx context.Context, definition *DocumentDefinition, conversation record.ConversationID, key string, at record.EntryID) (*value.Object, error)
	// WatchDocument watches the document that is stored now, nil when there is none.
	// The watch is of that document only, not of one that is made at its place later:
	// when it is retired the value becomes null, and the watch has ended. Values are
	// those of the definition. What an older one commits meanwhile is migrated when the
	// frame is taken, on the consumer's goroutine; a commit that only changes the
	// version is no frame. What a newer one commits ends the watch with its
	// [*VersionError], as [WatchListenerError]. ctx ends the watch, too.
	WatchDocument(ctx context.Context, definition *DocumentDefinition, in record.Scope, key string) (*Watch, error)
}

var _ Documents = (*Session)(nil)

// ReadDocument implements [Documents]. The errors are those of [Tx.Draft].
func (s *Session) ReadDocument(ctx context.Context, definition *DocumentDefinition, in record.Scope, key string) (found *value.Object, err error) {
	err = s.view(ctx, func(r table.Reader) error {
		found, _, err = s.document(r, definition, in, key)
		return err
	})
	return found, err
}

// document reads the newest value that r has, migrated in memory.
func (s *Session) document(r table.Reader, definition *DocumentDefinition, in record.Scope, key string) (*value.Object, table.Document, error) {
	at, err := definition.address(in, key)
	if err != nil {
		return nil, table.Document{}, err
	}
	stored, found, err := r.FindDocument(at)
	if err != nil || !found {
		return nil, stored, err
	}
	if err := definition.fits(stored.Document, stored.Version); err != nil {
		return nil, stored, err
	}
	now, err := s.revisions.read(r, stored)
	if err != nil {
		return nil, stored, err
	}
	now, err = definition.migrated(now, stored.Version)
	return now, stored, err
}

// ReadDocumentAt implements [Documents]. An entry that is not visible in the
// conversation is a [*NotFoundError]. After a fork, an entry that it has of its
// parent shows the parent's document.
func (s *Session) ReadDocumentAt(ctx context.Context, definition *DocumentDefinition, conversation record.ConversationID, key string, at record.EntryID) (found *value.Object, err error) {
	err = s.view(ctx, func(r table.Reader) error {
		found, err = s.documentAt(r, definition, conversation, key, at)
		return err
	})
	return found, err
}

// documentAt reads the value after the commit of an entry, migrated in memory.
func (s *Session) documentAt(r table.Reader, definition *DocumentDefinition, conversation record.ConversationID, key string, at record.EntryID) (*value.Object, error) {
	// The document is of the conversation that appended the entry, which is known
	// only if there is the entry; the rest can be judged before.
	address, err := definition.address(InConversation(conversation), key)
	if err != nil {
		return nil, err
	}
	if definition.History != record.Rewindable {
		return nil, invalid(definition.what(), "its history is not kept: it is not rewindable")
	}
	entry, seq, visible, err := r.Visible(conversation, at)
	if err == nil && !visible {
		err = &NotFoundError{What: "entry", ID: int64(at), In: conversation}
	}
	if err != nil {
		return nil, err
	}
	address.Scope = InConversation(entry.Conversation)
	stored, found, err := r.FindDocumentAt(address, seq)
	if err == nil && !found {
		err = definition.meansLiving(r, address)
	}
	if err != nil || !found {
		return nil, err
	}
	then, version, err := s.revisions.readAt(r, stored, seq)
	if err != nil {
		return nil, err
	}
	if err := definition.fits(stored.Document, version); err != nil {
		return nil, err
	}
	return definition.migrated(then, version)
}

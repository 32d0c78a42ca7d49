package durable_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// coded is a value whose JSON is made by code.
type coded struct{ during func() }

func (c coded) MarshalJSON() ([]byte, error) {
	if c.during != nil {
		c.during()
	}
	return []byte(`{"n":1}`), nil
}

func (c *coded) UnmarshalJSON([]byte) error { return nil }

func codedDocument() durable.Document[coded] {
	return durable.DefineDocument(durable.DocumentSpec[coded]{
		Kind: "test.coded", Version: 1, Scope: record.SessionScope, Initial: func() coded { return coded{} },
	})
}

// looks are the ways in which a transaction looks at what a callback has changed.
var looks = map[string]func(*durable.Tx, durable.Document[coded]) error{
	"edit": func(tx *durable.Tx, doc durable.Document[coded]) error {
		_, err := doc.Edit(tx, durable.InSession())
		return err
	},
	"get": func(tx *durable.Tx, doc durable.Document[coded]) error {
		_, _, err := doc.Get(tx, durable.InSession())
		return err
	},
	"value": func(tx *durable.Tx, doc durable.Document[coded]) error {
		draft, err := tx.Draft(doc.Definition, durable.InSession(), "", nil)
		if err == nil {
			_, err = draft.Value()
		}
		return err
	},
	"set": func(tx *durable.Tx, doc durable.Document[coded]) error {
		draft, err := tx.Draft(doc.Definition, durable.InSession(), "", nil)
		if err == nil {
			err = draft.Set(value.NewObject())
		}
		return err
	},
}

func TestTheJSONCodeOfATypeMayUseTheTransaction(t *testing.T) {
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			s := open(t, durable.Options{})
			doc := codedDocument()
			used := false
			s.commit(func(tx *durable.Tx) error {
				shown, err := doc.Edit(tx, durable.InSession())
				if err != nil {
					return err
				}
				shown.during = func() {
					shown.during = nil
					used = true
					if _, err := tx.Emit(durable.EventDraft{Type: "x"}); err != nil {
						t.Error(err)
					}
				}
				return look(tx, doc)
			})
			if !used {
				t.Error("the code was not called")
			}
		})
	}
}

func TestTheBudgetOfACommitCoversTheJSONCodeOfItsTypes(t *testing.T) {
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			clock := &manual{now: time.UnixMilli(0)}
			s := open(t, durable.Options{Clock: clock})
			doc := codedDocument()
			err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
				shown, err := doc.Edit(tx, durable.InSession())
				if err != nil {
					return err
				}
				shown.during = func() {
					shown.during = nil
					clock.pass(time.Hour)
					s.conversation() // the line has been passed on
				}
				return look(tx, doc)
			})
			var late *durable.CommitTimeoutError
			if !errors.As(err, &late) {
				t.Errorf("the commit says %v", err)
			}
		})
	}
}

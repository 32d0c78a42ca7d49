package durable

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Consumer describes a durable consumer of events: who it is, what it is shown, and
// where it begins.
type Consumer struct {
	// Owner is the extension whose it is, "" for a Go program, and Name what the owner
	// calls it. Under these two the session keeps how far it has got.
	Owner, Name string
	// Types and Conversation are the events it is shown: of one of the types, of all
	// when there are none, and about the conversation, unless that is 0.
	Types        []string
	Conversation record.ConversationID
	// From is where it begins when the session does not know it yet. Afterwards it
	// goes on where it had got.
	From From
	// MaxFailures is after how many failures in a row it is paused; 5 when 0, never
	// when negative.
	MaxFailures int
}

// From is where a consumer begins that the session does not know yet.
type From string

// Where a consumer begins. The zero value is FromStart.
const (
	// FromStart is the first event of the log.
	FromStart From = "start"
	// FromNow is the first event after the commit that makes the consumer known.
	FromNow From = "now"
)

// consumerName identifies a consumer of events.
type consumerName struct{ owner, name string }

func (c Consumer) key() consumerName { return consumerName{c.Owner, c.Name} }

func (c Consumer) filter() table.EventFilter {
	return table.EventFilter{Types: c.Types, Conversation: c.Conversation}
}

func (c Consumer) check() error {
	what := fmt.Sprintf("the consumer %q of %q", c.Name, c.Owner)
	switch {
	case c.Name == "":
		return invalid("a consumer of events", "it has no name")
	case c.From != "" && c.From != FromStart && c.From != FromNow:
		return invalid(what, "it begins from %q, and must from %q or %q", c.From, FromStart, FromNow)
	}
	for _, name := range append([]string{c.Owner, c.Name}, c.Types...) {
		if err := checkName(what, name); err != nil {
			return err
		}
	}
	for _, name := range c.Types {
		if name == "" {
			return invalid(what, "one of its types is empty: leave the types out to be shown all")
		}
	}
	return nil
}

// UnknownConsumerError is a consumer that the session does not know: it has never
// reacted, or was forgotten.
type UnknownConsumerError struct{ Owner, Name string }

func (e *UnknownConsumerError) Error() string {
	return fmt.Sprintf("there is no consumer %q of %q: it has never reacted to events, or was forgotten", e.Name, e.Owner)
}

// Consumers returns the durable consumers of events, by owner and name: how far each
// has got, and why those are paused that are.
func (s *Session) Consumers(ctx context.Context) (found []record.Consumer, err error) {
	err = s.view(ctx, func(r table.Reader) error {
		for consumer, err := range r.Consumers() {
			if err != nil {
				return err
			}
			found = append(found, consumer)
		}
		return nil
	})
	return found, err
}

// ResumeConsumer has a consumer that is paused go on with the event at which it
// failed, at once when it has a reaction, otherwise as soon as it has. One that is
// not paused goes on as it does. An unknown one is an [*UnknownConsumerError]; the
// other errors are those of [Session.Commit].
func (s *Session) ResumeConsumer(ctx context.Context, owner, name string) error {
	consumer := consumerName{owner, name}
	err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
		return tx.changeConsumer(consumer, func(c *record.Consumer) {
			if c.Paused != "" {
				c.Paused, c.Failures = "", 0
			}
		})
	})
	if err == nil {
		s.reactions.nudge(consumer)
	}
	return err
}

// ForgetConsumer removes what the session knows of a consumer, for good: under its
// name a new one begins. A reaction that it has ends, with an
// [*UnknownConsumerError], after the event it may be dealing with, whose commit is
// then refused. Nothing is done for an unknown one. The errors are those of
// [Session.Commit].
func (s *Session) ForgetConsumer(ctx context.Context, owner, name string) error {
	consumer := consumerName{owner, name}
	err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
		return tx.stage(func(r table.Reader) error {
			_, found, err := r.Consumer(owner, name)
			if err == nil && found {
				tx.staged.forgotten = append(tx.staged.forgotten, consumer)
			}
			return err
		})
	})
	if err == nil {
		s.reactions.nudge(consumer)
	}
	return err
}

// register makes a consumer known, or what it is shown, and calls then on the line.
func (tx *Tx) register(c Consumer, then func()) error {
	return tx.stage(func(r table.Reader) error {
		tx.staged.after = append(tx.staged.after, then)
		if c.Conversation != 0 {
			if err := tx.known(r, c.Conversation); err != nil {
				return err
			}
		}
		row, found, err := r.Consumer(c.Owner, c.Name)
		if err != nil || found && slices.Equal(row.Types, c.Types) && row.Conversation == c.Conversation {
			return err
		}
		if !found && c.From == FromNow {
			if row.After, err = r.NewestEvent(); err != nil {
				return err
			}
		}
		row.Owner, row.Name, row.Types, row.Conversation = c.Owner, c.Name, c.Types, c.Conversation
		tx.staged.consumers.put(c.key(), row, !found)
		return nil
	})
}

// consumer returns a consumer as it was before the transaction, or an
// [*UnknownConsumerError].
func (tx *Tx) consumer(name consumerName) (found record.Consumer, err error) {
	err = tx.stage(func(r table.Reader) error {
		var there bool
		found, there, err = r.Consumer(name.owner, name.name)
		if err == nil && !there {
			err = &UnknownConsumerError{name.owner, name.name}
		}
		return err
	})
	return found, err
}

// changeConsumer stages a consumer with a change.
func (tx *Tx) changeConsumer(name consumerName, change func(*record.Consumer)) error {
	row, err := tx.consumer(name)
	if err != nil {
		return err
	}
	return tx.stage(func(table.Reader) error {
		change(&row)
		tx.staged.consumers.put(name, row, false)
		return nil
	})
}

package durable_test

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// observed is a random history with clients that watch it.
type observed struct {
	*opened
	r             *rapid.T
	conversations []record.ConversationID
	entries       map[record.ConversationID][]record.EntryID
	tasks         []record.TaskID
	clients       []observer
	small, big    kind
	resumed       bool // tasks run, or are to be aborted
}

// observer is a client and what it shows.
type observer struct {
	*client
	fresh func() value.Value
}

// crowd is a kind of tasks that create as many others as their input says, one of them
// with a conversation, and wait for them.
func crowd(of kind) kind {
	return task("crowd", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			if _, err := tx.CreateConversation(durable.OwnedBy(run.TaskID())); err != nil {
				return next{}, err
			}
			var on []record.TaskID
			for range run.Input {
				one, err := of.Create(tx, 1, child(run.TaskID()))
				if err != nil {
					return next{}, err
				}
				on = append(on, one)
			}
			return run.Wait(stage{Phase: "end"}, record.AllSettled, on...), nil
		}),
		"end": completes(),
	})
}

func observe(t *testing.T, r *rapid.T) *observed {
	small := task("small", phases{"begin": completes()})
	o := &observed{r: r, entries: make(map[record.ConversationID][]record.EntryID), small: small, big: crowd(small)}
	o.opened = open(t, durable.Options{Definitions: defined(small, o.big), Runs: &hand{}})
	o.conversations = append(o.conversations, o.conversation())
	return o
}

// some chooses one of several.
func some[T any](r *rapid.T, what string, from []T) T { return rapid.SampledFrom(from).Draw(r, what) }

// change does one thing in a commit.
func (o *observed) change(tx *durable.Tx) error {
	in := some(o.r, "in", o.conversations)
	switch what := rapid.IntRange(0, 14).Draw(o.r, "what"); what {
	case 0:
		ownership := durable.Ownerless()
		if !o.resumed && len(o.tasks) > 0 {
			ownership = durable.OwnedBy(some(o.r, "owner", o.tasks))
		}
		created, err := tx.CreateConversation(ownership)
		o.conversations = append(o.conversations, created.ID)
		return err
	case 1:
		id, err := o.small.Create(tx, 1, own(in))
		o.tasks = append(o.tasks, id)
		return err
	case 2:
		id, err := o.big.Create(tx, rapid.IntRange(0, 3).Draw(o.r, "children"), background(in))
		o.tasks = append(o.tasks, id)
		return err
	case 3, 4:
		return o.builtIn(tx, in)
	case 5:
		return counter().Retire(tx, durable.InConversation(in))
	case 6, 7:
		return setIn(tx, in, rapid.IntRange(0, 3).Draw(o.r, "n"))
	default:
		return o.entry(tx, in, what)
	}
}

// entry appends an entry, which has a head or not.
func (o *observed) entry(tx *durable.Tx, in record.ConversationID, what int) error {
	draft := durable.EntryDraft{Kind: "entry", Data: json.RawMessage(rapid.SampledFrom([]string{"1", `{"a":[1.5,"x"]}`}).Draw(o.r, "data"))}
	switch known := o.entries[in]; {
	case what == 8:
		draft.Self = true
	case what == 9 && len(known) > 0:
		draft.Head = some(o.r, "head", known)
	case what == 10 && len(known) > 0:
		draft.Head = some(o.r, "head", known[max(0, len(known)-3):])
	}
	entry, err := tx.AppendEntry(in, draft)
	o.entries[in] = append(o.entries[in], entry.ID)
	return err
}

// builtIn edits a built-in document, or ends it.
func (o *observed) builtIn(tx *durable.Tx, id record.ConversationID) error {
	in := durable.InConversation(id)
	if rapid.IntRange(0, 4).Draw(o.r, "ends") == 0 {
		return durable.LiveDocument.Retire(tx, in)
	}
	if rapid.Bool().Draw(o.r, "agent") {
		return durable.Configure(tx, id, durable.AgentChange{Cwd: durable.Set(rapid.SampledFrom([]string{"/a", "/a/b"}).Draw(o.r, "cwd"))})
	}
	live, err := durable.LiveDocument.Edit(tx, in)
	if err != nil {
		return err
	}
	output := rapid.StringMatching(`[ab]{0,3}`).Draw(o.r, "output")
	if len(live.Tools) == 0 || rapid.IntRange(0, 3).Draw(o.r, "slot") == 0 {
		live.Tools = append(live.Tools, durable.ToolSlot{Call: output, Status: durable.SlotRunning})
		return nil
	}
	live.Tools[len(live.Tools)-1].Output += output
	return nil
}

// fork forks a conversation, in a commit of its own.
func (o *observed) fork() {
	in := some(o.r, "parent", o.conversations)
	known := o.entries[in]
	if len(known) == 0 {
		return
	}
	at := rapid.IntRange(0, len(known)-1).Draw(o.r, "at")
	o.commit(func(tx *durable.Tx) error {
		fork, err := tx.ForkConversation(in, known[at], durable.Ownerless())
		o.conversations = append(o.conversations, fork.ID)
		o.entries[fork.ID] = append([]record.EntryID(nil), known[:at+1]...)
		return err
	})
}

// watch begins to watch something.
func (o *observed) watch() {
	in := some(o.r, "watched", o.conversations)
	ctx := context.Background()
	switch rapid.IntRange(0, 2).Draw(o.r, "watch") {
	case 0:
		watch, err := o.WatchConversation(ctx, in)
		o.clients = append(o.clients, observer{attach(o.r, watch, err), func() value.Value {
			view, err := o.ConversationView(ctx, in)
			if err != nil {
				o.r.Fatal(err)
			}
			return view
		}})
	case 1:
		watch, err := o.WatchTasks(ctx)
		o.clients = append(o.clients, observer{attach(o.r, watch, err), func() value.Value {
			graph, err := o.TaskGraph(ctx)
			if err != nil {
				o.r.Fatal(err)
			}
			return graph
		}})
	default:
		watch, there, err := counter().Watch(ctx, o, durable.InConversation(in))
		if err != nil {
			o.r.Fatal(err)
		}
		if there {
			o.clients = append(o.clients, observer{attach(o.r, watch.Watch, nil), func() value.Value {
				now, err := o.ReadDocument(ctx, counter().Definition, durable.InConversation(in), "")
				if err != nil {
					o.r.Fatal(err)
				}
				if now == nil {
					return value.Null{}
				}
				return now
			}})
		}
	}
}

// follow has a client take some frames, if any are left.
func (o *observed) follow() {
	if len(o.clients) == 0 {
		return
	}
	one := some(o.r, "client", o.clients)
	for range rapid.IntRange(1, 5).Draw(o.r, "frames") {
		if value.Equal(one.value, one.fresh()) || one.value == (value.Null{}) {
			return
		}
		one.next()
	}
}

// caughtUp has every client take what is left, and compares it with what there is.
func (o *observed) caughtUp() {
	for _, one := range o.clients {
		for want := one.fresh(); !value.Equal(one.value, want) && one.value != (value.Null{}); {
			one.next()
		}
		if one.value == (value.Null{}) {
			one.ended(durable.WatchRetired)
		}
	}
}

// TestWhatClientsAreToldIsWhatIsThere works through random histories: whatever a client
// watches, and whenever it looks, the operations lead it to what a fresh view shows.
func TestWhatClientsAreToldIsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		o := observe(t, r)
		defer o.stop()
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			switch rapid.IntRange(0, 19).Draw(r, "step") {
			case 0, 1, 2:
				o.watch()
			case 3, 4:
				o.follow()
			case 5:
				o.fork()
			case 6:
				if rapid.Bool().Draw(r, "resume") {
					o.resumed = true
					o.resume()
				} else if !o.resumed {
					o.caughtUp()
				}
			case 7:
				for range rapid.IntRange(0, 1).Draw(r, "many") * 101 {
					o.commit(o.change)
				}
			case 8:
				if len(o.tasks) > 0 {
					o.resumed = true
					if _, err := o.AbortTask(context.Background(), some(r, "aborted", o.tasks)); err != nil {
						r.Fatal(err)
					}
				}
			default:
				o.commit(func(tx *durable.Tx) error {
					for range rapid.IntRange(1, 4).Draw(r, "changes") {
						if err := o.change(tx); err != nil {
							return err
						}
					}
					return nil
				})
			}
		}
		if err := o.WaitForIdle(context.Background()); err != nil {
			r.Fatal(err)
		}
		o.resume()
		for _, id := range o.tasks {
			if _, err := o.WaitForTask(context.Background(), id); err != nil {
				r.Fatal(err)
			}
		}
		o.caughtUp()
	})
}

package prooftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model/message"
)

// placesState is where the load works: a conversation for each lane, and one for
// what its consumer hears.
type placesState struct {
	Lanes   []record.ConversationID `json:"lanes,omitempty"`
	Journal record.ConversationID   `json:"journal,omitempty"`
	// Heard counts the events that the consumer was shown.
	Heard int `json:"heard,omitempty"`
}

func places() durable.Document[placesState] {
	return durable.DefineDocument(durable.DocumentSpec[placesState]{
		Kind: "places", Version: 1, Scope: record.SessionScope, Initial: func() placesState { return placesState{} },
	})
}

// stepped is the event of a step.
type stepped struct {
	Lane record.ConversationID `json:"lane"`
	N    int                   `json:"n"`
}

var stepEvent = durable.EventType[stepped]{Name: "step"}

// load works on a session in some lanes at once, and goes on where the life of the
// session before had got. Each lane makes step after step: a commit with an entry,
// a count and an event, perhaps with a fork or a task; some are preceded by a
// submission. It waits for what it began, and says what was acknowledged.
type load struct {
	*durable.Session
	tasks *tasks
	// lanes is how many there are in a new database, and target how many steps each
	// makes.
	lanes, target int
	// acknowledged gets a line for each acknowledgement, in one Write.
	acknowledged io.Writer
	// over, when it is not nil, is closed when no lane begins another step.
	over <-chan struct{}
	at   placesState
}

// begin opens a session for a load.
func begin(ctx context.Context, below storage.Storage, lanes, target int, acknowledged, effects io.Writer) (*load, error) {
	l := &load{tasks: newTasks(effects), lanes: lanes, target: target, acknowledged: acknowledged}
	session, err := durable.Open(ctx, below, l.tasks.options())
	l.Session = session
	return l, err
}

// prepare makes the places of the load, if they are not there, and notes where each
// task is. Tasks that are stuck are aborted, which would be what the lane did next.
func (l *load) prepare(ctx context.Context) error {
	err := l.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
		at, err := places().Edit(tx, durable.InSession())
		if err != nil {
			return err
		}
		for at.Journal == 0 {
			created, err := tx.CreateConversation(durable.Ownerless())
			if err != nil {
				return err
			}
			if len(at.Lanes) < l.lanes {
				at.Lanes = append(at.Lanes, created.ID)
			} else {
				at.Journal = created.ID
			}
		}
		l.at = *at
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(l.tasks.effects, "opened"); err != nil {
		return err
	}
	var stuck []record.TaskID
	for task, err := range l.Tasks(ctx, durable.TaskQuery{}) {
		if err != nil {
			return err
		}
		phase, err := phaseNumber(task)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(l.tasks.effects, "at %d %d\n", task.ID, phase); err != nil {
			return err
		}
		if task.Kind == "stuck" && task.Owner == 0 && task.State.Status.Live() {
			stuck = append(stuck, task.ID)
		}
	}
	for _, id := range stuck {
		if _, err := l.AbortTask(ctx, id); err != nil {
			return err
		}
	}
	return l.Resume()
}

// errDone ends what only watches.
var errDone = errors.New("the load has come to its end")

// run works until every lane has made its steps and everything that came of them has
// ended, and returns how each part ended. A part that fails ends the others, unless
// the session has failed, which is for the session to tell them.
func (l *load) run(ctx context.Context) map[string]error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var working, watching sync.WaitGroup
	ends := make(map[string]error)
	part := func(group *sync.WaitGroup, name string, do func() error) {
		group.Go(func() {
			err := do()
			mu.Lock()
			defer mu.Unlock()
			ends[name] = err
			if err != nil && l.Err() == nil {
				cancel(err)
			}
		})
	}
	if err := l.prepare(ctx); err != nil {
		return map[string]error{"prepare": err}
	}
	stop := l.SubscribeCommits(l.heard)
	defer stop()
	part(&watching, "follow", func() error { return l.follow(ctx) })
	part(&watching, "react", func() error { return l.react(ctx) })
	for i, lane := range l.at.Lanes {
		part(&working, fmt.Sprint("lane ", i), func() error { return l.lane(ctx, lane) })
	}
	working.Wait()
	if context.Cause(ctx) == nil && l.Err() == nil {
		part(&working, "idle", func() error { return l.drain(ctx) })
		working.Wait()
	}
	if l.Err() == nil {
		cancel(errDone)
	}
	watching.Wait()
	return ends
}

func (l *load) say(format string, values ...any) {
	// The reader may be gone, which is for the one who waits for it to find out.
	_, _ = fmt.Fprintf(l.acknowledged, format+"\n", values...)
}

// heard says what a commit was published with.
func (l *load) heard(p *durable.Publication) {
	for _, entry := range p.Entries {
		l.say("entry %d", entry.ID)
	}
	for _, c := range p.Conversations {
		l.say("conversation %d", c.ID)
	}
}

// follow says which events are stored, from now on.
func (l *load) follow(ctx context.Context) error {
	newest, err := l.EventPage(ctx, durable.EventQuery{Order: durable.Descending}, 1, nil)
	if err != nil {
		return err
	}
	var query durable.EventQuery
	if len(newest.Items) > 0 {
		query.After = newest.Items[0].ID
	}
	for event, err := range l.FollowEvents(ctx, query) {
		if err != nil {
			return err
		}
		l.say("event %d", event.ID)
	}
	return nil
}

// react has the consumer of the load write down which events it is shown.
func (l *load) react(ctx context.Context) error {
	reaction, err := l.React(ctx, durable.Consumer{Name: "journal", Types: []string{stepEvent.Name}}, func(_ context.Context, event record.Event, tx *durable.Tx) error {
		at, err := places().Edit(tx, durable.InSession())
		if err != nil {
			return err
		}
		at.Heard++
		_, err = tx.AppendEntry(at.Journal, durable.EntryDraft{Kind: heardEntry, Data: number(int(event.ID))})
		return err
	})
	if err != nil {
		return err
	}
	select {
	case <-reaction.Done():
		return reaction.Err()
	case <-ctx.Done():
		return errors.Join(reaction.Stop(context.WithoutCancel(ctx)), context.Cause(ctx))
	}
}

// drain waits until nothing goes on and the consumer has been shown everything.
func (l *load) drain(ctx context.Context) error {
	if err := l.WaitForIdle(ctx); err != nil {
		return err
	}
	steps := 0
	for _, lane := range l.at.Lanes {
		count, _, err := tally().Read(ctx, l, durable.InConversation(lane))
		if err != nil {
			return err
		}
		steps += count.Steps
	}
	for {
		at, _, err := places().Read(ctx, l, durable.InSession())
		if err != nil || at.Heard >= steps {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

// lane makes the steps of one lane that are left.
func (l *load) lane(ctx context.Context, in record.ConversationID) error {
	conversation, err := l.Conversation(ctx, in)
	if err != nil {
		return err
	}
	for {
		count, _, err := tally().Read(ctx, l, durable.InConversation(in))
		if err != nil || count.Steps >= l.target {
			return err
		}
		select {
		case <-l.over:
			return nil
		default:
		}
		if err := l.step(ctx, conversation, count.Steps+1); err != nil {
			return err
		}
	}
}

// step makes one step, and waits for what it began.
func (l *load) step(ctx context.Context, in *durable.Conversation, n int) error {
	var submitted *durable.Submission
	var err error
	request := strconv.Itoa(n)
	switch n % 4 {
	case 0:
		submitted, err = in.Submit(ctx, durable.Input{Request: request, Content: message.Content{Text: request}})
	case 2:
		submitted, err = in.Submit(ctx, durable.Write{Request: request, Entry: durable.EntryDraft{Kind: "written"}})
	}
	if err != nil {
		return err
	}
	if submitted != nil {
		l.say("submitted %d", submitted.ID())
	}
	var made record.TaskID
	if err := in.Commit(ctx, func(_ context.Context, tx *durable.Tx) (err error) {
		made, err = l.change(tx, in.ID(), n)
		return err
	}); err != nil {
		return err
	}
	l.say("step %d %d", in.ID(), n)
	if n%4 == 3 {
		if _, err := l.AbortTask(ctx, made); err != nil {
			return err
		}
		l.say("aborted %d", made)
	}
	if made != 0 {
		if _, err := l.WaitForTask(ctx, made); err != nil {
			return err
		}
		l.say("ended %d", made)
	}
	if submitted == nil {
		return nil
	}
	if _, err := submitted.Wait(ctx); err != nil {
		return err
	}
	l.say("settled %d", submitted.ID())
	return nil
}

// change is the commit of a step.
func (l *load) change(tx *durable.Tx, in record.ConversationID, n int) (made record.TaskID, err error) {
	count, err := tally().Edit(tx, durable.InConversation(in))
	if err != nil {
		return 0, err
	}
	if count.Steps != n-1 {
		return 0, fmt.Errorf("conversation %d has made %d steps and makes the step %d", in, count.Steps, n)
	}
	own := durable.TaskOptions{Ownership: durable.OfConversation()}
	switch n % 4 {
	case 1:
		made, err = l.tasks.tree.Create(tx, n, own)
	case 2:
		_, err = tx.ForkConversation(in, count.Last, durable.Ownerless())
		count.Forks++
	case 3:
		made, err = l.tasks.stuck.Create(tx, 1, own)
	}
	if err != nil {
		return 0, err
	}
	if made != 0 {
		count.Tasks++
	}
	entry, err := tx.AppendEntry(in, durable.EntryDraft{Kind: stepEntry, Data: number(n)})
	if err != nil {
		return 0, err
	}
	count.Steps, count.Last = n, entry.ID
	_, err = stepEvent.Emit(tx, in, stepped{in, n})
	return made, err
}

// numberOf returns the data of an entry.
func numberOf(entry record.Entry) (n int, err error) {
	err = json.Unmarshal(entry.Data, &n)
	return n, err
}

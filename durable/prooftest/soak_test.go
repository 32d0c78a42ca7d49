package prooftest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// TestManyConversationsAtOnceKeepTheRules has 200 conversations go on at once, with
// tasks and their children, forks and submissions. Some are aborted again and again,
// and all are watched. Then everything comes to its end.
func TestManyConversationsAtOnceKeepTheRules(t *testing.T) {
	const conversations = 200
	effects := new(lines)
	l, err := begin(t.Context(), new(memory.Storage), conversations, forEver, new(lines), effects)
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(context.Background())
	defer end()
	l.over = over.Done()
	if err := l.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	var beside sync.WaitGroup
	var frames, aborts atomic.Int64
	beside.Go(func() {
		defer end()
		pauseFor(t.Context(), time.Duration(rounds(1500, 60_000))*time.Millisecond)
		for late := time.Now().Add(time.Minute); (frames.Load() == 0 || aborts.Load() == 0) && time.Now().Before(late); {
			pauseFor(t.Context(), time.Millisecond)
		}
	})
	for i, lane := range l.at.Lanes {
		beside.Go(func() { watchCount(t, l, over, lane, &frames) })
		if i%4 == 0 {
			beside.Go(func() { watchView(t, l, over, lane, &frames) })
		}
		if i%2 == 0 {
			beside.Go(func() { abortAgain(t, l, over, lane, &aborts) })
		}
	}
	for part, err := range l.run(t.Context()) {
		if err != nil && !errors.Is(err, errDone) {
			t.Errorf("%s: %v", part, err)
		}
	}
	beside.Wait()
	steps := 0
	for range all(t, l.Events(t.Context(), durable.EventQuery{})) {
		steps++
	}
	t.Logf("%d steps, %d frames, %d aborts", steps, frames.Load(), aborts.Load())
	if frames.Load() == 0 || aborts.Load() == 0 {
		t.Error("nothing was watched or aborted")
	}
	verifyUnless(t, l.Session, true)
	verifySettled(t, l.Session)
	shut(t, l)
	verifyEffects(t, effects.String())
}

// watchCount watches the count of a conversation, some frames at a time.
func watchCount(t *testing.T, l *load, over context.Context, lane record.ConversationID, frames *atomic.Int64) {
	for over.Err() == nil {
		w, there, err := tally().Watch(over, l, durable.InConversation(lane))
		if err != nil {
			ends(t, over, err)
			return
		}
		if !there {
			pauseFor(over, time.Millisecond)
			continue
		}
		before, _, _ := w.Read()
		follow(t, over, w.Watch, 10, frames, func() {
			now, lives, err := w.Read()
			if err != nil || !lives || now.Steps < before.Steps || now.Phases < before.Phases {
				t.Errorf("the count of conversation %d goes from %+v to %+v (%v)", lane, before, now, err)
			}
			before = now
		})
		w.Stop()
	}
}

// watchView watches what a conversation looks like, some frames at a time.
func watchView(t *testing.T, l *load, over context.Context, lane record.ConversationID, frames *atomic.Int64) {
	conversation, err := l.Conversation(t.Context(), lane)
	if err != nil {
		t.Error(err)
		return
	}
	for over.Err() == nil {
		w, err := conversation.Watch(over)
		if err != nil {
			ends(t, over, err)
			return
		}
		follow(t, over, w, 10, frames, func() {})
		w.Stop()
	}
}

// follow takes frames of a watch and applies them to what was there before.
func follow(t *testing.T, over context.Context, w *durable.Watch, most int, frames *atomic.Int64, then func()) {
	seen := w.Value()
	for range most {
		frame, err := w.Next(over)
		if err != nil {
			ends(t, over, err)
			return
		}
		frames.Add(1)
		if seen, err = delta.Apply(seen, frame.Ops); err != nil || !value.Equal(seen, frame.Value) {
			t.Errorf("a frame leads to %v (%v), not to %v", seen, err, frame.Value)
			return
		}
		then()
	}
}

// abortAgain aborts what goes on in a conversation, now and then.
func abortAgain(t *testing.T, l *load, over context.Context, lane record.ConversationID, aborts *atomic.Int64) {
	conversation, err := l.Conversation(t.Context(), lane)
	if err != nil {
		t.Error(err)
		return
	}
	for over.Err() == nil {
		pauseFor(over, time.Duration(lane%50)*time.Millisecond)
		if err := conversation.Abort(over, true); err != nil {
			ends(t, over, err)
			return
		}
		aborts.Add(1)
	}
}

// pauseFor waits, or until it is over.
func pauseFor(over context.Context, d time.Duration) {
	select {
	case <-over.Done():
	case <-time.After(d):
	}
}

// ends reports an error that is not because it is over.
func ends(t *testing.T, over context.Context, err error) {
	if over.Err() == nil || !errors.Is(err, over.Err()) {
		t.Error(err)
	}
}

package prooftest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

// toolRounds is a step that has a tool called in so many rounds, then answers.
func toolRounds(rounds int) faux.Step {
	return func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		done := 0
		for _, m := range request.Messages {
			switch m.(type) {
			case *message.User:
				done = 0
			case *message.ToolResult:
				done++
			}
		}
		if done < rounds {
			return faux.Calls(faux.Call("look", map[string]int{"round": done})), nil
		}
		return faux.Says(fmt.Sprintf("Done after %d rounds.", done)), nil
	}
}

// TestManyConversationsThinkAtOnceInLittleMemory has conversations with five rounds of
// tools each all go on at once, over a disk.
func TestManyConversationsThinkAtOnceInLittleMemory(t *testing.T) {
	const (
		toolsEach = 5
		memory    = 512 << 20
	)
	conversations := rounds(100, 1000)
	db, err := badgerdb.Open(t.TempDir(), badgerdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := opened(t, db, faux.New(faux.Options{Otherwise: toolRounds(toolsEach)}), agent.Settings{}, look())
	var peak uint64
	var all sync.WaitGroup
	var measured sync.Mutex
	ctx := within(t)
	for range conversations {
		c, err := w.CreateConversation(ctx, durable.Ownerless(), durable.ConversationOptions{Agent: thinker()})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			settled, err := say(ctx, c, "", "Go.")
			if err != nil || settled.Status != record.Done {
				t.Errorf("conversation %d: %+v, %v", c.ID(), settled, err)
			}
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			measured.Lock()
			defer measured.Unlock()
			peak = max(peak, now.HeapInuse)
		})
	}
	all.Wait()
	t.Logf("%d conversations, %d MiB at most", conversations, peak>>20)
	if peak > memory {
		t.Errorf("%d MiB were in use, more than %d", peak>>20, memory>>20)
	}
	inspection, err := w.Inspect(ctx)
	if err != nil || len(inspection.Tasks)+len(inspection.Submissions) > 0 {
		t.Errorf("left are %+v, %v", inspection, err)
	}
	counts, err := durable.Count(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("stored are %+v", counts)
	w.verify(t)
}

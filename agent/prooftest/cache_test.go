package prooftest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

// TestAProviderFindsEachPromptInItsCache has a conversation of many turns, with rounds
// of tools, changes of the tools and restarts, ask a provider that caches prompts: all
// that it was shown before is read from the cache each time.
func TestAProviderFindsEachPromptInItsCache(t *testing.T) {
	provider, stored := faux.New(faux.Options{Otherwise: toolRounds(2)}), new(memory.Storage)
	for life := range 3 {
		stored = stored.Clone()
		w, err := open(t.Context(), stored, provider, agent.Settings{}, look())
		if err != nil {
			t.Fatal(err)
		}
		root, err := w.root(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for turn := range 3 {
			if turn == 2 {
				// A tool comes: the prompt changes by what is appended to it.
				added := look()
				added.Name = fmt.Sprint("also", life)
				added.Parameters = json.RawMessage(`{"type":"object","title":"another"}`)
				if err := w.install(tools{look(), added}); err != nil {
					t.Fatal(err)
				}
			}
			if settled, err := say(within(t), root, "", fmt.Sprintf("Turn %d of life %d.", turn, life)); err != nil || settled.Status != record.Done {
				t.Fatalf("settled as %+v, %v", settled, err)
			}
		}
		if life == 2 {
			checkCached(t, w)
		}
		if err := w.shut(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkCached checks that each response read from the cache what the one before it had
// been shown.
func checkCached(t *testing.T, w *world) {
	t.Helper()
	view, err := w.Context(t.Context(), record.Root, 0)
	if err != nil {
		t.Fatal(err)
	}
	var before int64
	responses := 0
	for _, m := range view.Messages {
		response, is := m.(*message.Assistant)
		if !is {
			continue
		}
		responses++
		if response.Usage.CacheRead < before || response.Usage.Input > 0 {
			t.Errorf("response %d read %d tokens from the cache, which had %d, and %d were none of its", responses, response.Usage.CacheRead, before, response.Usage.Input)
		}
		before = response.Usage.CacheRead + response.Usage.CacheWrite - 1 // a token may be begun at the end
	}
	if responses != 27 {
		t.Errorf("there were %d responses", responses)
	}
}

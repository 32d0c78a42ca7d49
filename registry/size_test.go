package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// What cannot be stored is the fault of who gave it, and not of the conversation.
func TestWhatIsTooLargeForAConversationIsReportedAndDecidesNothing(t *testing.T) {
	var reported []*registry.Failure
	options := registry.Options{Report: func(f *registry.Failure) { reported = append(reported, f) }}
	tooLarge := func(t *testing.T) {
		t.Helper()
		var size *registry.SizeError
		if len(reported) != 1 || !errors.As(reported[0], &size) {
			t.Errorf("reported: %v", reported)
		}
		reported = nil
	}
	huge := strings.Repeat("s", 17<<20)

	t.Run("a section", func(t *testing.T) {
		a := sections(shows("first", "1"), shows("rules", huge), shows("last", "3"))
		agent := promote(t, registry.New(options), "c1", world("a", a)).Agent(t.Context(), registry.AgentChoice{})
		shown := message.Sections{{Name: "rules", Text: "<rules>\nold\n</rules>"}}
		got, err := agent.RenderSections(t.Context(), registry.SectionInput{Shown: shown})
		want := []string{"first: <first>\n1\n</first>", "rules: <rules>\nold\n</rules>", "last: <last>\n3\n</last>"}
		if diff := cmp.Diff(want, texts(got)); diff != "" || err != nil {
			t.Errorf("%v, sections (-want +got):\n%s", err, diff)
		}
		tooLarge(t)
	})
	t.Run("a turn to go on with", func(t *testing.T) {
		goesOn := func(text string) registry.Hook {
			return registry.Hook{Kind: registry.HookOnYield, OnYield: func(context.Context, hookContext, *message.Assistant) (*message.Content, error) {
				return &message.Content{Text: text}, nil
			}}
		}
		got, err := hooked(t, options, goesOn(huge), goesOn("more")).OnYield(t.Context(), registry.Asking{}, &message.Assistant{})
		if err != nil || got == nil || got.Text != "more" {
			t.Errorf("it goes on with %d bytes, %v", len(got.String()), err)
		}
		tooLarge(t)
	})
	t.Run("a summary", func(t *testing.T) {
		summarizes := registry.Hook{Kind: registry.HookBeforeCompact, BeforeCompact: func(context.Context, hookContext, registry.Compaction) (*registry.CompactionDecision, error) {
			return &registry.CompactionDecision{Summary: huge}, nil
		}}
		got, err := hooked(t, options, summarizes).BeforeCompact(t.Context(), registry.Asking{}, registry.Compaction{})
		if err != nil || got != nil {
			t.Errorf("it decides %v, %v", got != nil, err)
		}
		tooLarge(t)
	})
}

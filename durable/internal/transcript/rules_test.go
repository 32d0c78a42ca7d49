package transcript_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/model/message"
)

// follows holds the histories of a file against their contexts, derived at once and
// extended from every earlier entry.
func follows(t *testing.T, path string) {
	t.Helper()
	for _, h := range histories(t, path) {
		t.Run(h.name, func(t *testing.T) {
			if diff := cmp.Diff(h.context, describe(transcript.Derive(h.entries))); diff != "" {
				t.Errorf("derived (-want +got):\n%s", diff)
			}
			for at := range h.entries {
				extended, ok := transcript.Derive(h.entries[:at]).Extend(h.entries[at:])
				if !ok {
					continue // a new head; TestExtendIsRefusedWhenTheRangeBeginsElsewhere
				}
				if diff := cmp.Diff(h.context, describe(extended)); diff != "" {
					t.Errorf("extended from the first %d entries (-want +got):\n%s", at, diff)
				}
			}
		})
	}
}

func TestNewestHeadIsTheHead(t *testing.T)                     { follows(t, "1-newest-head.txt") }
func TestRangeBeginsWithTheEntryThatTheHeadNames(t *testing.T) { follows(t, "2-range.txt") }
func TestNewestEditInTheRangeWins(t *testing.T)                { follows(t, "4-edits.txt") }
func TestHeadComesFirstAndOtherHeadsNowhere(t *testing.T)      { follows(t, "5-entries.txt") }
func TestSystemMessagesStayWhereTheyAre(t *testing.T)          { follows(t, "6-system.txt") }
func TestResultsFollowTheirCallInItsOrder(t *testing.T)        { follows(t, "7-results.txt") }
func TestCallsWithoutResultAndResultsWithoutCall(t *testing.T) { follows(t, "8-missing.txt") }
func TestFailedResponsesAndNotesAreLeftOut(t *testing.T)       { follows(t, "9-left-out.txt") }
func TestLeadingSystemMessageComesFirst(t *testing.T)          { follows(t, "10-leading-system.txt") }

// TestRangeEndsWithTheNewestEntry cuts a history at every entry: what comes later
// has no part in the context.
func TestRangeEndsWithTheNewestEntry(t *testing.T) {
	for _, h := range histories(t, "3-cut.txt") {
		var got strings.Builder
		for at := range h.entries {
			view := transcript.Derive(h.entries[:at+1])
			if view.Tail() != h.entries[at].ID {
				t.Errorf("tail %d of a context as of %d", view.Tail(), h.entries[at].ID)
			}
			var texts []string
			for _, m := range view.Messages {
				texts = append(texts, describeMessage(m))
			}
			got.WriteString(strings.Join(texts, "; ") + "\n")
		}
		if diff := cmp.Diff(h.context, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", h.name, diff)
		}
	}
}

func TestMissingResultSaysSo(t *testing.T) {
	entries := histories(t, "8-missing.txt")[0].entries
	view := transcript.Derive(entries)
	result, ok := view.Messages[len(view.Messages)-1].(*message.ToolResult)
	if !ok || !result.IsError || string(result.Details) != `{"reason":"missing_result"}` || !strings.Contains(result.Text(), "no result") {
		t.Errorf("got %#v", view.Messages[len(view.Messages)-1])
	}
	if again := transcript.Derive(entries); !cmp.Equal(view.Messages, again.Messages) {
		t.Errorf("another time it is another message: %s", cmp.Diff(view.Messages, again.Messages))
	}
}

func TestConversationWithoutEntriesHasTheZeroView(t *testing.T) {
	view := transcript.Derive(nil)
	if view.Head != nil || view.Entries != nil || view.Contributions != nil || view.Messages != nil || view.Tail() != 0 {
		t.Errorf("got %+v", view)
	}
}

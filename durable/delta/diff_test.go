package delta_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// TestDiffLeadsFromOneValueToAnother holds for values that have nothing in common and
// for those that came of each other, with the order of members.
func TestDiffLeadsFromOneValueToAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := values(4).Draw(t, "from")
		to := values(4).Draw(t, "to")
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			from, to = things(t, "from"), things(t, "to")
		case 1:
			from = things(t, "from")
			to = edited(t, from)
		case 2, 3, 4:
			to = edited(t, from)
		}
		before, after := text(from), text(to)
		ops := delta.Diff(from, to)
		got, err := delta.Apply(from, ops)
		if err != nil {
			t.Fatalf("%s to %s by %s: %v", before, after, ops.AppendJSON(nil), err)
		}
		if text(got) != after || !value.Equal(got, to) {
			t.Fatalf("%s to %s by %s gives %s", before, after, ops.AppendJSON(nil), text(got))
		}
		if text(from) != before || text(to) != after {
			t.Fatal("a value was changed")
		}
		if (len(ops) == 0) != (before == after) {
			t.Fatalf("%s to %s takes %d operations", before, after, len(ops))
		}
		again, err := delta.Parse(ops.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := delta.Apply(parseRapid(t, before), again); err != nil || text(got) != after {
			t.Fatalf("after a round trip %s to %s by %s gives %s, %v", before, after, ops.AppendJSON(nil), text(got), err)
		}
	})
}

func parseRapid(t *rapid.T, text string) value.Value {
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

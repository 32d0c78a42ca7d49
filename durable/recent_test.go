package durable

import (
	"testing"

	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/durable/record"
)

func TestWhatWasUsedTheLongestAgoIsForgotten(t *testing.T) {
	c := recent[string, int]{limit: 10}
	always := func(int) bool { return true }
	holds := func(key string, want bool) {
		t.Helper()
		if _, found := c.get(key); found != want {
			t.Errorf("%s is remembered: %v", key, found)
		}
	}
	c.put("a", 1, 4, always)
	c.put("b", 2, 4, always)
	holds("a", true) // which makes b the one that was used the longest ago
	c.put("c", 3, 4, always)
	holds("b", false)
	c.put("a", 4, 2, always)
	if value, _ := c.get("a"); value != 4 || c.size != 6 {
		t.Errorf("a is %d, and %d bytes are held", value, c.size)
	}
	c.put("a", 5, 2, func(int) bool { return false })
	if value, _ := c.get("a"); value != 4 {
		t.Errorf("a is %d", value)
	}
	c.put("large", 6, 11, always)
	holds("large", false)
	c.put("d", 7, 1, always)
	c.forget("d")
	c.forget("d")
	holds("d", false)
	if c.size != 0 || c.used.Len() != 0 {
		t.Errorf("%d bytes are held", c.size)
	}
}

func TestAContextThatWouldDisplaceManyIsNotKept(t *testing.T) {
	c := contexts{}
	c.limit = 40
	for id, size := range []int{1: 10, 2: 10, 3: 11} {
		entry := record.Entry{ID: 1, Conversation: record.ConversationID(id)}
		c.keep(entry.Conversation, derived{transcript.Derive([]record.Entry{entry}), size})
	}
	for id, want := range map[record.ConversationID]bool{1: true, 2: true, 3: false} {
		if _, found := c.get(id); found != want {
			t.Errorf("the context of conversation %d is kept: %v", id, found)
		}
	}
}

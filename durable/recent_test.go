package durable

import "testing"

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

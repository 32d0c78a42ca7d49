package host

import "testing"

func TestWatchOfTheStatusEndsWhenItIsStopped(t *testing.T) {
	h := newWorld(t, files{}).open(inMemory)
	told := map[string]int{}
	stopOne := h.Watch(func() { told["one"]++ })
	stopTwo := h.Watch(func() { told["two"]++ })
	defer stopTwo()
	h.Notice("", "first")
	stopOne()
	stopOne()
	h.Notice("", "second")
	if told["one"] != 1 || told["two"] != 2 {
		t.Errorf("told: %v, want one once and two twice", told)
	}
}

package host

import (
	"sync/atomic"
	"testing"
)

func TestWatchOfTheStatusEndsWhenItIsStopped(t *testing.T) {
	h := newWorld(t, files{}).open(inMemory)
	var one, two atomic.Int64
	stopOne := h.Watch(func() { one.Add(1) })
	stopTwo := h.Watch(func() { two.Add(1) })
	defer stopTwo()
	h.Notice("", "first")
	if one.Load() == 0 {
		t.Error("the first watcher was not told")
	}
	stopOne()
	stopOne()
	// The status changes of its own accord too, and a call under way is not waited for.
	const changes = 100
	oneBefore, twoBefore := one.Load(), two.Load()
	for range changes {
		h.Notice("", "second")
	}
	if told := one.Load() - oneBefore; told >= changes {
		t.Errorf("the stopped watcher was told %d times", told)
	}
	if told := two.Load() - twoBefore; told < changes {
		t.Errorf("the other watcher was told %d times of %d", told, changes)
	}
}

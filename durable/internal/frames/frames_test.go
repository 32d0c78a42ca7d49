package frames_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/internal/frames"
)

// total is a frame of the tests: what was added, and the sum of all so far. One that
// is whole stands for everything before.
type total struct {
	added, sum int
	whole      bool
}

func buffer() *frames.Buffer[total] {
	return frames.New(func(newest total) total {
		newest.whole = true
		return newest
	})
}

func next(t interface{ Fatal(...any) }, b *frames.Buffer[total]) total {
	frame, err := b.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

func fill(b *frames.Buffer[total], n int) {
	for i := range n {
		b.Add(total{added: 1, sum: i + 1})
	}
}

func TestHundredFramesWait(t *testing.T) {
	b := buffer()
	fill(b, frames.Limit)
	for i := range frames.Limit {
		if frame := next(t, b); frame.whole || frame.sum != i+1 {
			t.Fatalf("frame %d is %+v", i, frame)
		}
	}
}

func TestOneFrameTooManyStandsForAll(t *testing.T) {
	b := buffer()
	fill(b, frames.Limit+1)
	b.Add(total{added: 7, sum: 108})
	if frame := next(t, b); !frame.whole || frame.sum != frames.Limit+1 {
		t.Fatalf("the first frame is %+v", frame)
	}
	if frame := next(t, b); frame.whole || frame.sum != 108 {
		t.Fatalf("the frame after it is %+v", frame)
	}
}

func TestTakenFrameDoesNotWait(t *testing.T) {
	b := buffer()
	fill(b, frames.Limit)
	next(t, b)
	b.Add(total{added: 1, sum: frames.Limit + 1})
	for i := range frames.Limit {
		if frame := next(t, b); frame.whole || frame.sum != i+2 {
			t.Fatalf("frame %d is %+v", i+1, frame)
		}
	}
}

func TestFinishedBufferIsEmptiedFirst(t *testing.T) {
	b, over := buffer(), errors.New("over")
	fill(b, 1)
	b.Finish(over)
	b.Add(total{added: 1, sum: 2})
	select {
	case <-b.Done():
		t.Fatal("it has ended with a frame that waits")
	default:
	}
	next(t, b)
	if _, err := b.Next(t.Context()); err != over {
		t.Fatal(err)
	}
	<-b.Done()
	if b.End(errors.New("later")) || b.Err() != over {
		t.Fatalf("the second end counts: %v", b.Err())
	}
}

func TestEndDropsWhatWaits(t *testing.T) {
	b, stopped := buffer(), errors.New("stopped")
	fill(b, 3)
	b.Finish(errors.New("over"))
	if !b.End(stopped) {
		t.Fatal("it had ended")
	}
	if _, err := b.Next(t.Context()); err != stopped {
		t.Fatal(err)
	}
}

func TestWaitsForFramesEnd(t *testing.T) {
	t.Run("with a frame", func(t *testing.T) {
		b := buffer()
		got := make(chan error)
		go func() { _, err := b.Next(t.Context()); got <- err }()
		fill(b, 1)
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	})
	t.Run("with the end", func(t *testing.T) {
		b, over := buffer(), errors.New("over")
		got := make(chan error, 2)
		for range 2 {
			go func() { _, err := b.Next(t.Context()); got <- err }()
		}
		b.End(over)
		for range 2 {
			if err := <-got; err != over {
				t.Fatal(err)
			}
		}
	})
	t.Run("with its context", func(t *testing.T) {
		b, reason := buffer(), errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error)
		go func() { _, err := b.Next(ctx); got <- err }()
		cancel(reason)
		if err := <-got; err != reason {
			t.Fatal(err)
		}
		fill(b, 1)
		if _, err := b.Next(ctx); err != reason {
			t.Fatal("a wait that is over takes a frame:", err)
		}
		next(t, b)
	})
}

func TestSeveralTakersGetEachFrameOnce(t *testing.T) {
	b := buffer()
	sums := make(chan int, frames.Limit)
	for range 3 {
		go func() {
			for {
				frame, err := b.Next(context.Background())
				if err != nil {
					sums <- 0
					return
				}
				sums <- frame.sum
			}
		}()
	}
	fill(b, 50)
	b.Finish(errors.New("over"))
	var got []int
	for ended := 0; ended < 3; {
		if sum := <-sums; sum == 0 {
			ended++
		} else {
			got = append(got, sum)
		}
	}
	slices.Sort(got)
	if len(got) != 50 || got[0] != 1 || got[49] != 50 {
		t.Fatal(got)
	}
}

// TestNothingIsLost adds and takes frames at random: whoever adds up what is taken has
// the newest sum at last.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := buffer()
		sum, shown, waiting := 0, 0, 0
		take := func() {
			frame := next(t, b)
			if frame.whole {
				shown, waiting = frame.sum, waiting-1
				return
			}
			shown, waiting = shown+frame.added, waiting-1
			if shown != frame.sum {
				t.Fatalf("%+v follows %d", frame, shown-frame.added)
			}
		}
		for range rapid.IntRange(0, 8).Draw(t, "rounds") {
			for range rapid.IntRange(0, 3*frames.Limit/2).Draw(t, "added") {
				added := rapid.IntRange(1, 9).Draw(t, "n")
				sum += added
				b.Add(total{added: added, sum: sum})
				if waiting++; waiting > frames.Limit {
					waiting = 1
				}
			}
			for range rapid.IntRange(0, waiting).Draw(t, "taken") {
				take()
			}
		}
		for waiting > 0 {
			take()
		}
		if shown != sum {
			t.Fatalf("shown is %d of %d", shown, sum)
		}
	})
}

package globals

import (
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loop is a Host with a clock of its own: when nothing else is to be done, time
// jumps to the next timer. Work started by Async runs on real goroutines.
type loop struct {
	rt      *goja.Runtime
	random  *rand.ChaCha8
	client  *http.Client
	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup

	elapsed time.Duration
	timers  timerHeap
	cleared map[int64]bool
	lastID  int64
	pending int
	settled chan func()

	console  []string
	reported []error
}

var _ Host = (*loop)(nil)

var begin = time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC)

func newLoop(t testing.TB) *loop {
	ctx, cancel := context.WithCancel(context.Background())
	l := &loop{
		rt:      goja.New(),
		random:  rand.NewChaCha8([32]byte{1}),
		client:  &http.Client{Transport: &http.Transport{}},
		ctx:     ctx,
		cancel:  cancel,
		cleared: make(map[int64]bool),
		settled: make(chan func()),
	}
	if err := Install(l.rt, l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
}

func (l *loop) close() {
	l.cancel()
	go func() {
		l.working.Wait()
		close(l.settled)
	}()
	for range l.settled {
	}
	l.client.CloseIdleConnections()
}

// run evaluates source and turns the loop until nothing is left to do.
func (l *loop) run(name, source string) (goja.Value, error) {
	value, err := l.rt.RunScript(name, source)
	if err != nil {
		return nil, err
	}
	for l.turn() {
	}
	return value, nil
}

func (l *loop) turn() bool {
	if l.pending > 0 {
		(<-l.settled)()
		return true
	}
	for l.timers.Len() > 0 {
		next := heap.Pop(&l.timers).(*timer)
		if l.cleared[next.id] {
			continue
		}
		l.elapsed = max(l.elapsed, next.at)
		if next.repeat > 0 {
			again := *next
			again.at += next.repeat
			l.lastSequence(&again)
			heap.Push(&l.timers, &again)
		}
		next.fire()
		return true
	}
	return false
}

func (l *loop) lastSequence(t *timer) {
	l.lastID++
	t.sequence = l.lastID
}

func (l *loop) Now() time.Time         { return begin.Add(l.elapsed) }
func (l *loop) Elapsed() time.Duration { return l.elapsed }

func (l *loop) Random(p []byte) error {
	_, err := l.random.Read(p)
	return err
}

func (l *loop) SetTimer(delay time.Duration, repeat bool, fire func()) int64 {
	t := &timer{at: l.elapsed + delay, fire: fire}
	l.lastSequence(t)
	t.id = t.sequence
	if repeat {
		t.repeat = max(delay, time.Millisecond)
	}
	heap.Push(&l.timers, t)
	return t.id
}

func (l *loop) ClearTimer(id int64) { l.cleared[id] = true }

func (l *loop) Console(level slog.Level, text string) {
	l.console = append(l.console, fmt.Sprintf("%s %s", level, text))
}

func (l *loop) Report(err error) { l.reported = append(l.reported, err) }

func (l *loop) HTTPClient() *http.Client { return l.client }

func (l *loop) Async(work func(ctx context.Context) (any, error), settle func(any) goja.Value) goja.Value {
	promise, resolve, reject := l.rt.NewPromise()
	l.pending++
	l.working.Go(func() {
		result, err := work(l.ctx)
		l.settled <- func() {
			l.pending--
			if err != nil {
				err = reject(l.rt.NewGoError(err))
			} else {
				err = resolve(settle(result))
			}
			if err != nil {
				l.Report(err)
			}
		}
	})
	return l.rt.ToValue(promise)
}

// reports is what was reported, one line each.
func (l *loop) reports() string {
	var lines []string
	for _, err := range l.reported {
		lines = append(lines, strings.SplitN(err.Error(), "\n", 2)[0])
	}
	return strings.Join(lines, "\n")
}

type timer struct {
	id, sequence int64
	at, repeat   time.Duration
	fire         func()
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].sequence < h[j].sequence
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(*timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

package jsapi

import (
	"math/bits"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// timerLog is a module whose functions log when they run.
const timerLog = `
	export const log: string[] = [];
	const say = (text: string) => () => { log.push(text); };
	export const read = () => log.join(" ");
`

func TestTimersFireInOrder(t *testing.T) {
	for _, test := range []struct {
		rule, code string
		steps      []time.Duration
		want       string
	}{
		{"equal deadlines fire in the order they were set",
			`for (let i = 0; i < 20; i++) setTimeout(say("t" + i), 5);`,
			[]time.Duration{5 * time.Millisecond},
			"t0 t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19"},
		{"an earlier deadline fires first",
			`setTimeout(say("late"), 9); setTimeout(say("early"), 2); setTimeout(say("middle"), 5);`,
			[]time.Duration{time.Second}, "early middle late"},
		{"nothing fires before its time",
			`setTimeout(say("a"), 10); setTimeout(say("b"), 11);`,
			[]time.Duration{10 * time.Millisecond}, "a"},
		{"an interval repeats until it is cleared",
			`let n = 0; const id = setInterval(() => { log.push("i" + ++n); if (n === 3) clearInterval(id); }, 10);`,
			[]time.Duration{10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond},
			"i1 i2 i3"},
		{"a late interval does not catch up",
			`setInterval(say("i"), 10);`,
			[]time.Duration{95 * time.Millisecond, 5 * time.Millisecond, 5 * time.Millisecond}, "i i"},
		{"an interval of zero is one of a millisecond",
			`setInterval(say("i"), 0);`,
			[]time.Duration{time.Millisecond, time.Millisecond}, "i i"},
		{"a timer that a timer sets waits for the next round",
			`setTimeout(() => { log.push("outer"); setTimeout(say("inner"), 0); log.push("end"); }, 1); setTimeout(say("other"), 1);`,
			[]time.Duration{time.Millisecond, time.Millisecond}, "outer end other inner"},
		{"promise reactions run before the next timer",
			`setTimeout(() => { Promise.resolve().then(say("reaction")); log.push("timer"); }, 1); setTimeout(say("next"), 1);`,
			[]time.Duration{time.Millisecond}, "timer reaction next"},
		{"a timer may clear itself",
			`const id = setTimeout(() => { clearTimeout(id); log.push("a"); }, 1);`,
			[]time.Duration{time.Millisecond, time.Second}, "a"},
		{"a timer may clear another that is due",
			`setTimeout(() => { clearTimeout(other); log.push("a"); }, 1); const other = setTimeout(say("b"), 1);`,
			[]time.Duration{time.Millisecond, time.Second}, "a"},
		{"clearing what is unknown does nothing",
			`clearTimeout(12345); clearTimeout(undefined); clearInterval(null as any); clearTimeout({} as any); setTimeout(say("a"), 1);`,
			[]time.Duration{time.Millisecond}, "a"},
		{"clearTimeout clears an interval",
			`clearTimeout(setInterval(say("never"), 1)); setTimeout(say("a"), 2);`,
			[]time.Duration{2 * time.Millisecond}, "a"},
		{"a timer that throws does not disturb the others",
			`setTimeout(() => { throw new Error("boom"); }, 1); setTimeout(say("a"), 1);`,
			[]time.Duration{time.Millisecond}, "a"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			clock := newManualClock()
			iso := newIsolate(t, Options{Clock: clock})
			ns := evaluate(t, iso, timerLog+test.code)
			for _, step := range test.steps {
				clock.advance(t, iso, step)
			}
			if got := call(t, iso, ns, "read"); got != test.want {
				t.Errorf("got  %v\nwant %v", got, test.want)
			}
		})
	}
}

func TestThrowingTimerIsReported(t *testing.T) {
	clock := newManualClock()
	reports := &reportLog{}
	iso := newIsolate(t, Options{Clock: clock, Report: reports.add})
	evaluate(t, iso, "setTimeout(() => {\n  throw new RangeError('boom');\n}, 1);\n")
	clock.advance(t, iso, time.Millisecond)
	want := []string{"uncaught in a timer: RangeError: boom (main.ts:2:9)"}
	if got := reports.texts(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("reports = %q, want %q", got, want)
	}
}

func TestClosedOwnerTakesItsTimersAlong(t *testing.T) {
	clock := newManualClock()
	iso := newIsolate(t, Options{Clock: clock})
	ns := evaluate(t, iso, timerLog+`export const start = (name: string) => { setInterval(say(name), 10); };`)
	first, second := iso.NewOwner("first"), iso.NewOwner("second")
	for _, owner := range []*Owner{first, second} {
		job := testJob
		job.Owner = owner
		if _, err := iso.Call(t.Context(), job, ns.Method("start"), owner.Name()); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(t, iso, 10*time.Millisecond)
	first.Close()
	clock.advance(t, iso, 10*time.Millisecond)
	if got, want := call(t, iso, ns, "read"), "first second second"; got != want {
		t.Errorf("log = %q, want %q", got, want)
	}
	second.Close()
	settleLoop(t, iso)
	onLoop(t, iso, func() {
		if len(iso.loop.timers) != 0 {
			t.Errorf("%d timers are left", len(iso.loop.timers))
		}
	})
}

func TestClosedIsolateLeavesNoAlarm(t *testing.T) {
	clock := newManualClock()
	iso := newIsolate(t, Options{Clock: clock})
	evaluate(t, iso, `setTimeout(() => {}, 1000); setInterval(() => {}, 10);`)
	if clock.waiting() == 0 {
		t.Fatal("no alarm was set")
	}
	iso.Close()
	if left := clock.waiting(); left != 0 {
		t.Errorf("%d alarms are left", left)
	}
}

func TestEarlierTimerMovesTheAlarm(t *testing.T) {
	clock := newManualClock()
	iso := newIsolate(t, Options{Clock: clock})
	ns := evaluate(t, iso, timerLog+`setTimeout(say("late"), 1000); setTimeout(say("early"), 10);`)
	if clock.waiting() != 1 {
		t.Errorf("%d alarms, want one", clock.waiting())
	}
	clock.advance(t, iso, 10*time.Millisecond)
	clock.advance(t, iso, 990*time.Millisecond)
	if got := call(t, iso, ns, "read"); got != "early late" {
		t.Errorf("log = %q", got)
	}
}

func TestJobsRunInTheOrderTheyWerePosted(t *testing.T) {
	l := newLoop(SystemClock{})
	go l.run(func(*timer) {}, func() {})
	var got []int
	for i := range 1000 {
		if !l.post(func() { got = append(got, i) }) {
			t.Fatal("refused")
		}
	}
	done := make(chan struct{})
	l.post(func() { close(done) })
	<-done
	l.stop()
	<-l.done
	if l.post(func() {}) {
		t.Error("a stopped loop took a job")
	}
	for i, n := range got {
		if n != i {
			t.Fatalf("job %d ran as number %d", n, i)
		}
	}
}

func TestStoppedLoopDropsWhatIsQueued(t *testing.T) {
	l := newLoop(SystemClock{})
	running, goOn := make(chan struct{}), make(chan struct{})
	ran := false
	l.post(func() { close(running); <-goOn })
	l.post(func() { ran = true })
	go l.run(func(*timer) {}, func() {})
	<-running
	l.stop()
	l.post(func() { ran = true })
	close(goOn)
	<-l.done
	if ran {
		t.Error("a job ran after the loop was stopped")
	}
}

// reportLog collects what an isolate reports.
type reportLog struct {
	mu     sync.Mutex
	errors []error
}

func (r *reportLog) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, err)
}

func (r *reportLog) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, err := range r.errors {
		texts = append(texts, err.Error())
	}
	return texts
}

// Forgetting a rejection moves no other one.
func TestForgettingARejectionLeavesTheOthersInPlace(t *testing.T) {
	const n = 1000
	var r rejections
	promises := make([]*goja.Promise, n)
	for i := range promises {
		promises[i] = new(goja.Promise)
		r.add(promises[i], nil)
	}
	for gone := n - 1; gone > 0; gone-- {
		r.remove(promises[gone])
		if len(r.order) != n || len(r.place) != gone {
			t.Fatalf("%d of %d left: %d places in a list of %d", gone, n, len(r.place), len(r.order))
		}
		for at, promise := range promises[:gone] {
			if r.place[promise] != at || r.order[at].promise != promise {
				t.Fatalf("rejection %d moved when %d was forgotten", at, gone)
			}
		}
	}
	r.remove(promises[0])
	if len(r.order)+len(r.place) > 0 {
		t.Errorf("%d entries are left", len(r.order)+len(r.place))
	}
}

// Forgetting a timer moves no more of the others than a heap is deep.
func TestForgettingATimerMovesFewOthers(t *testing.T) {
	const n = 1 << 10
	l := newLoop(newManualClock())
	timers := make([]*timer, n)
	for i := range timers {
		timers[i] = new(timer)
		l.addTimer(timers[i], time.Duration(n-i)*time.Second, false)
	}
	before := make(map[*timer]int, n)
	for _, gone := range timers {
		clear(before)
		for at, left := range l.timers {
			before[left] = at
		}
		l.removeTimer(gone.id)
		moved := 0
		for at, left := range l.timers {
			if before[left] != at {
				moved++
			}
			if left.index != at {
				t.Fatalf("timer %d has the place %d, and is at %d", left.id, left.index, at)
			}
		}
		if deep := bits.Len(n); moved > deep {
			t.Fatalf("%d of %d timers moved when one was forgotten, more than %d", moved, len(l.timers), deep)
		}
	}
	if left := len(l.timers) + len(l.byID); left > 0 {
		t.Errorf("%d entries are left", left)
	}
}

func TestTimersAndRejectionsThatAreForgottenLeaveNothing(t *testing.T) {
	reports := &reportLog{}
	iso := newIsolate(t, Options{Report: reports.add})
	ns := evaluate(t, iso, `
		const n = 1000;
		export function timers() {
			const ids: any[] = [];
			for (let i = 0; i < n; i++) ids.push(setTimeout(() => {}, 1e6));
			for (let i = n - 1; i >= 0; i--) clearTimeout(ids[i]);
		}
		export async function rejections() {
			const kept: Promise<never>[] = [];
			for (let i = 0; i < n; i++) kept.push(Promise.reject(1));
			for (let i = n - 1; i >= 0; i--) kept[i].catch(() => {});
		}
	`)
	call(t, iso, ns, "timers")
	call(t, iso, ns, "rejections")
	onLoop(t, iso, func() {
		if left := len(iso.loop.timers) + len(iso.loop.byID) + len(iso.rejected.order); left > 0 {
			t.Errorf("%d entries are left", left)
		}
	})
	if got := reports.texts(); len(got) != 0 {
		t.Errorf("reports = %q", got)
	}
}

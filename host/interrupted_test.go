package host

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
)

func TestAnInterruptedStartSaysNothingOfTheCommit(t *testing.T) {
	for _, step := range []string{"recorded", "read", "compiled", "evaluated"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t, pair(1))
			store := &disk{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			options, _ := w.options(over(store), func(o *Options) {
				o.step = func(reached string) {
					if reached == step {
						cancel()
					}
				}
			})
			if h, err := Open(ctx, options); !errors.Is(err, context.Canceled) {
				t.Errorf("open: %v", err)
				if err == nil {
					_ = h.Close(t.Context())
				}
			}
			record := stored(t, store)
			if record.Error != "" || record.Skipped != nil || record.Trial != nil || len(record.History) > 0 {
				t.Errorf("the record: %s", asJSON(record))
			}
			same(t, w.open(over(store)).call("pair"), "1=1")
		})
	}
}

func TestAnInterruptedTrialSaysNothingOfTheCommit(t *testing.T) {
	w := newWorld(t, pair(1))
	tip := w.git("rev-parse", "HEAD")
	store := diskWith(t, Record{Current: tip, Trial: &Trial{Commit: tip}})
	ctx, cancel := context.WithCancel(t.Context())
	options, _ := w.options(over(store), func(o *Options) {
		o.Try = func(context.Context, string) error {
			cancel()
			return &DiedError{Reason: "signal: interrupt"}
		}
	})
	if _, err := Open(ctx, options); !errors.Is(err, context.Canceled) {
		t.Fatalf("open: %v", err)
	}
	if record := stored(t, store); record.Skipped != nil || record.Trial == nil || *record.Trial != (Trial{Commit: tip}) {
		t.Errorf("the record: %s", asJSON(record))
	}
}

func TestOnlyAChildThatDiedOfACommitSkipsIt(t *testing.T) {
	for name, outcome := range map[string]struct {
		err  error
		live bool
	}{
		"it lived":                {nil, true},
		"it died":                 {&DiedError{Reason: "signal: killed"}, false},
		"it could not be started": {errors.New("fork/exec: resource temporarily unavailable"), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, pair(1))
			tip := w.git("rev-parse", "HEAD")
			store := diskWith(t, Record{Current: tip, Trial: &Trial{Commit: tip}})
			h := w.open(over(store), func(o *Options) {
				o.Try = func(context.Context, string) error { return outcome.err }
			})
			if status := h.Status(); (status.Skipped == nil) != outcome.live || (h.liveCommit() == tip) != outcome.live {
				t.Errorf("status: %s", asJSON(status))
			}
			// The death of the harness counts, whatever a child showed.
			if trial := stored(t, store).Trial; outcome.live && (trial == nil || trial.Deaths != 1) {
				t.Errorf("trial: %s", asJSON(trial))
			}
			if outcome.live && outcome.err != nil {
				contains(t, h.Status().Notice.Message, outcome.err.Error())
			}
		})
	}
}

func TestWhatTheTipIsStaysOnShowWhateverTheLastGoodCommitDoes(t *testing.T) {
	broken := "export default ("
	for name, good := range map[string]struct {
		source string
		loads  bool
	}{"it loads": {answering("a", "A"), true}, "it does not load": {`throw new Error("not any more");`, false}} {
		for _, kind := range []string{"a broken tip", "no tip"} {
			t.Run(kind+", "+name, func(t *testing.T) {
				w := newWorld(t, files{server("a"): good.source})
				last := w.git("rev-parse", "HEAD")
				tip, want := w.commit(files{server("a"): broken}), "extensions/a/server.ts:1:"
				if kind == "no tip" {
					w.git("update-ref", "-d", "refs/heads/main")
					tip, want = "", "main"
				}
				h := w.open(over(diskWith(t, Record{Good: last, Proven: last})))
				status := h.Status()
				if current := optional(tip); asJSON(status.Current) != asJSON(current) || status.Error == nil || status.Loading != nil {
					t.Fatalf("status: %s", asJSON(status))
				}
				contains(t, *status.Error, want)
				if len(status.Problems) != 1 {
					t.Errorf("problems: %s", asJSON(status.Problems))
				}
				if loaded := h.liveCommit() == last; loaded != good.loads {
					t.Errorf("live: %s", h.liveCommit())
				}
				if !good.loads {
					contains(t, h.Status().Notice.Message, last[:7], "not any more")
				}
			})
		}
	}
}

func TestARefusalThatCannotBeStoredIsShown(t *testing.T) {
	full := &badgerdb.DiskFullError{Dir: "x"}
	t.Run("of a broken commit", func(t *testing.T) {
		w, store := newWorld(t, pair(1)), &disk{}
		loads := 0
		h := w.open(over(store), func(o *Options) {
			o.step = func(step string) {
				if step != "recorded" {
					return
				}
				if loads++; loads == 2 {
					store.refuse(full)
				}
			}
		})
		contains(t, h.refused(w.commit(files{server("a"): "export default ("})), "extensions/a/server.ts:1:")
		same(t, h.call("pair"), "1=1")
		store.refuse(nil)
		h.live(w.commit(pair(2)))
		if history := stored(t, store).History; len(history) != 3 || history[1].Outcome != Refused {
			t.Errorf("the history: %s", asJSON(history))
		}
	})
	t.Run("of any commit", func(t *testing.T) {
		w, store := newWorld(t, pair(1)), &disk{}
		h := w.open(over(store))
		store.refuse(full)
		contains(t, h.refused(w.commit(pair(2))), "free some space")
		same(t, h.call("pair"), "1=1")
		store.refuse(nil)
		if err := h.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, h.call("pair"), "2=2")
	})
	t.Run("a branch that went", func(t *testing.T) {
		w, store := newWorld(t, pair(1)), &disk{}
		h := w.open(over(store))
		good := h.liveCommit()
		store.refuse(full)
		w.git("update-ref", "-d", "refs/heads/main")
		h.until("no tip", func(s Status) bool { return s.Current == nil && s.Error != nil })
		w.git("update-ref", "refs/heads/main", good)
		h.live(good)
		store.refuse(nil)
	})
}

func TestAWithdrawnCommitIsNotFoundByItsRef(t *testing.T) {
	for _, kind := range []string{"the tip", "no tip"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, pair(1))
			tip := w.git("rev-parse", "HEAD")
			w.git("update-ref", GoodRef, tip)
			if kind == "no tip" {
				w.git("update-ref", "-d", "refs/heads/main")
			}
			before := Record{Good: tip, Current: tip, Trial: &Trial{Commit: tip, Promoted: true}}
			store := diskWith(t, before)
			died := errors.New("the process died here")
			store.refuse(died)
			options, _ := w.options(over(store))
			if _, err := Open(t.Context(), options); !errors.Is(err, died) {
				t.Fatalf("open: %v", err)
			}
			if refs := w.git("for-each-ref", "refs/sausage"); refs != "" {
				t.Errorf("refs before the record: %s", refs)
			}
			store.refuse(nil)
			h := w.open(over(store))
			if status := h.Status(); h.liveCommit() != "" || status.Good != nil {
				t.Errorf("status: %s", asJSON(status))
			}
		})
	}
}

func TestTheProbationOfACommitEndsWhenAProvenOneReplacesIt(t *testing.T) {
	w, store := newWorld(t, pair(1)), &disk{}
	proven := w.git("rev-parse", "HEAD")
	if err := w.open(over(store)).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := w.open(over(store))
	second := w.commit(pair(2))
	h.live(second)
	if trial := stored(t, store).Trial; trial == nil || trial.Commit != second {
		t.Fatalf("trial: %s", asJSON(trial))
	}
	w.git("reset", "--quiet", "--hard", proven)
	h.live(proven)
	if trial := stored(t, store).Trial; trial != nil {
		t.Errorf("trial: %s", asJSON(trial))
	}
}

func TestRefusedCommitsLeaveAsManySparesAsBefore(t *testing.T) {
	w := newWorld(t, pair(1))
	h := w.open(inMemory)
	ready := func() bool { return h.spares.count() == 1 }
	h.until("a spare", func(Status) bool { return ready() })
	for range 3 {
		h.refused(w.commit(files{server("a"): `throw new Error("no");`}))
		h.until("a spare", func(Status) bool { return ready() })
	}
}

func TestANewerTipCancelsALongLoadAlsoAtStart(t *testing.T) {
	clock := newManualClock()
	w := newWorld(t, files{server("a"): extensionOf("a", `await host.fs.write("/tmp/began", ""); await new Promise(() => {});`)})
	hung := w.git("rev-parse", "HEAD")
	opened := make(chan *testHost, 1)
	staging := make(chan struct{}, 9)
	go func() {
		h, err := w.tryOpen(inMemory, clock.in, func(o *Options) {
			o.step = func(step string) {
				if step == "evaluated" {
					staging <- struct{}{}
				}
			}
		})
		if err != nil {
			t.Errorf("open: %v", err)
		}
		opened <- h
	}()
	await(t, "the factory", staging)
	clock.awaited(t, patience)
	fix := w.commit(files{server("a"): answering("a", "fixed")})
	done := make(chan struct{})
	defer close(done)
	go func() { // the step may begin after the clock was moved
		for {
			select {
			case <-done:
				return
			case <-clock.set:
				clock.advance(patience)
			}
		}
	}()
	clock.advance(patience)
	h := await(t, "the host", opened)
	if h == nil {
		return
	}
	defer func() { _ = h.Close(context.WithoutCancel(t.Context())) }()
	same(t, h.call("a"), "fixed")
	if history := h.Status().History; len(history) != 2 || history[0].Outcome != Cancelled || history[0].Commit != hung {
		t.Errorf("history: %s", asJSON(history))
	}
	h.live(fix)
}

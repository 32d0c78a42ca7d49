package jsapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A panic outside the loop is an error of what it happened in, and nothing ends.
func TestPanicsOfAsynchronousWorkAreErrors(t *testing.T) {
	reports := make(chan error, 1)
	iso := newSuppliedIsolate(t, Options{Extension: "demo", Report: func(err error) { reports <- err }}, NewObject(
		"fail", Native(func(*NativeCall) (any, error) {
			return Async{Work: func(context.Context) (any, error) { panic("no such thing") }}, nil
		})))
	ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, `
		import { fail } from "go:test";
		export const run = () => fail();
		export const caught = async () => { try { await fail(); } catch (e: any) { return e.name; } };
	`, "fail"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = iso.Call(t.Context(), testJob, ns.Method("run"))
	var fault *PanicError
	if !errors.As(err, &fault) || fault.Extension != "demo" || fault.Work != "test" || fault.Value != "no such thing" || fault.Stack == "" {
		t.Errorf("error = %#v", err)
	}
	if got := call(t, iso, ns, "caught"); got != "EngineFault" {
		t.Errorf("caught = %v", got)
	}
	iso.Go(func() { panic("nor this") })
	if err := <-reports; !errors.As(err, &fault) || fault.Value != "nor this" {
		t.Errorf("report = %v", err)
	}
	if iso.Cause() != nil {
		t.Errorf("the isolate was lost to %v", iso.Cause())
	}
}

func TestCallsRefuseWhatBelongsToAnotherIsolate(t *testing.T) {
	p := newPair(t, `export const f = () => 1;`, `export const g = () => 2;`)
	f := exportedFunction(t, p.home, p.homeNS, "f")
	own, foreign := p.away.NewOwner("own"), p.home.NewOwner("foreign")
	defer own.Close()
	defer foreign.Close()
	for _, test := range []struct {
		rule   string
		owner  *Owner
		callee Callee
	}{
		{"a function", nil, f},
		{"a function with an owner given", own, f},
		{"a method", nil, p.homeNS.Method("f")},
		{"a method with an owner given", own, p.homeNS.Method("f")},
		{"an owner", foreign, p.awayNS.Method("g")},
	} {
		t.Run(test.rule, func(t *testing.T) {
			job := testJob
			job.Owner = test.owner
			_, err := p.away.Call(t.Context(), job, test.callee)
			var refused *DataCloneError
			if !errors.As(err, &refused) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// blockLoop keeps the loop of an isolate busy until the returned function is
// called.
func blockLoop(iso *Isolate) (release func()) {
	busy, done := make(chan struct{}), make(chan struct{})
	iso.loop.post(func() {
		close(busy)
		<-done
	})
	<-busy
	return func() { close(done) }
}

// The clock of the whole job starts with the job, also when the job waited longer
// than that.
func TestWholeClockOfAJobThatWaited(t *testing.T) {
	source := compileSource(t, `export const wait = () => new Promise(() => {});`)
	synctest.Test(t, func(t *testing.T) {
		iso, err := New(Options{Extension: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer iso.Close()
		ns, err := iso.Evaluate(context.Background(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		release := blockLoop(iso)
		began := time.Now()
		errs := make(chan error, 1)
		go func() {
			job := Job{Work: "late", Whole: 500 * time.Millisecond, Queue: 5 * time.Second}
			_, err := iso.Call(context.Background(), job, ns.Method("wait"))
			errs <- err
		}()
		time.Sleep(650 * time.Millisecond) // of the bubble's clock
		release()
		var timeout *TimeoutError
		if err := <-errs; !errors.As(err, &timeout) || timeout.Clock != Whole {
			t.Errorf("error = %v", err)
		}
		if took := time.Since(began); took != 1150*time.Millisecond {
			t.Errorf("the job ended after %s, want 650ms in the queue and 500ms of its own", took)
		}
	})
}

// A call for an owner that has ended does not wait for the loop.
func TestCallsOfAClosedOwnerFailAtOnce(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export const f = () => 1;`)
	owner := iso.NewOwner("gone")
	owner.Close()
	release := blockLoop(iso)
	defer release()
	job := testJob
	job.Owner = owner
	_, err := iso.Call(t.Context(), job, ns.Method("f"))
	var closed *ClosedError
	if !errors.As(err, &closed) || closed.Owner != "gone" {
		t.Errorf("error = %v", err)
	}
}

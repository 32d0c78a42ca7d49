package jsapi

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const streamMaker = `
	export const log: string[] = [];
	export async function* numbers(n: number) {
		try {
			for (let i = 0; i < n; i++) { log.push("make " + i); yield { i }; }
			log.push("end");
		} finally { log.push("closed"); }
	}
	export async function* failing() { yield 1; throw new RangeError("no more"); }
	export const byHand = () => ({ [Symbol.asyncIterator]: () => { let i = 0; return { next: async () => ({ value: i, done: i++ > 1 }) }; } });
	export const read = () => log.join();
`

func TestStreamsCrossOneItemAtATime(t *testing.T) {
	p := newPair(t, streamMaker, `
		export async function all(make: (n: number) => Promise<AsyncIterable<any>>) {
			const got: unknown[] = [];
			for await (const item of await make(3)) got.push(item.i ?? item);
			return got.join();
		}
		export async function some(make: (n: number) => Promise<AsyncIterable<any>>) {
			for await (const item of await make(100)) if (item.i === 1) break;
		}
		export async function failing(make: () => Promise<AsyncIterable<any>>) {
			const got: unknown[] = [];
			try { for await (const item of await make()) got.push(item); } catch (e: any) { got.push(e instanceof RangeError, e.message); }
			return got.join();
		}
		export async function relay(make: (n: number) => Promise<AsyncIterable<any>>) { return make(2); }
	`)
	at := func(name string) *Function { return exportedFunction(t, p.home, p.homeNS, name) }
	if got := call(t, p.away, p.awayNS, "all", at("numbers")); got != "0,1,2" {
		t.Errorf("all = %v", got)
	}
	if got := call(t, p.away, p.awayNS, "all", at("byHand")); got != "0,1" {
		t.Errorf("an iterable made by hand = %v", got)
	}
	if got := call(t, p.home, p.homeNS, "read"); got != "make 0,make 1,make 2,end,closed" {
		t.Errorf("log = %v", got)
	}
	call(t, p.away, p.awayNS, "some", at("numbers"))
	if got := call(t, p.home, p.homeNS, "read"); got != "make 0,make 1,make 2,end,closed,make 0,make 1,closed" {
		t.Errorf("log = %v; nothing may be made ahead, and a consumer that stops closes the producer", got)
	}
	if got := call(t, p.away, p.awayNS, "failing", at("failing")); got != "1,true,no more" {
		t.Errorf("failing = %v", got)
	}
	third := newIsolate(t, Options{})
	ns := evaluate(t, third, `export async function all(relay: any, make: any) { const got = []; for await (const x of await relay(make)) got.push(x.i); return got.join(); }`)
	if got := call(t, third, ns, "all", exportedFunction(t, p.away, p.awayNS, "relay"), at("numbers")); got != "0,1" {
		t.Errorf("relayed = %v", got)
	}
}

func TestGoReadsAndMakesStreams(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, streamMaker+`
		export async function sum(s: AsyncIterable<number>) { let n = 0; for await (const x of s) { n += x; if (n > 5) break; } return n; }
	`)
	stream := call(t, iso, ns, "numbers", 2.0).(*Stream)
	for i := range 2 {
		item, done, err := stream.Next(t.Context())
		if err != nil || done || item.(*Object).values["i"] != float64(i) {
			t.Fatalf("item %d = %v, %v, %v", i, item, done, err)
		}
	}
	if _, done, err := stream.Next(t.Context()); !done || err != nil {
		t.Errorf("the end: %v, %v", done, err)
	}
	if err := stream.Return(t.Context()); err != nil {
		t.Error(err)
	}
	next, returned := 0.0, 0
	made := &Stream{
		Next: func(context.Context) (any, bool, error) {
			next++
			return next, next > 100, nil
		},
		Return: func(context.Context) error { returned++; return nil },
	}
	if got := call(t, iso, ns, "sum", made); got != 6.0 || next != 3 || returned != 1 {
		t.Errorf("sum = %v after %v items, returned %d times", got, next, returned)
	}
	broken := &Stream{Next: func(context.Context) (any, bool, error) { return nil, false, &depthError{7} }}
	_, err := iso.Call(t.Context(), testJob, ns.Method("sum"), broken)
	var deep *depthError
	if !errors.As(err, &deep) {
		t.Errorf("error = %v", err)
	}
}

func TestStreamsCountAsNesting(t *testing.T) {
	p := &pair{home: newIsolate(t, Options{}), away: newIsolate(t, Options{Nest: nestTo(0)})}
	p.homeNS = evaluate(t, p.home, streamMaker)
	p.awayNS = evaluate(t, p.away, `export async function first(s: AsyncIterable<unknown>) { for await (const x of s) return x; }`)
	_, err := p.away.Call(t.Context(), testJob, p.awayNS.Method("first"), call(t, p.home, p.homeNS, "numbers", 1.0))
	var deep *depthError
	if !errors.As(err, &deep) {
		t.Errorf("error = %v", err)
	}
}

// What an iterator method does is not hidden: it is called like any function.
func TestIteratorMethodsThatFail(t *testing.T) {
	for _, test := range []struct{ rule, method, err string }{
		{"throws", `() => { throw new RangeError("not now") }`, "RangeError: not now"},
		{"is no function", `7`, "is no function"},
		{"returns no object", `() => 7`, "returned no object"},
		{"is a proxy that throws", `new Proxy(() => {}, { apply() { throw new RangeError("not now") } })`, "RangeError: not now"},
	} {
		for _, form := range []string{"({ [Symbol.asyncIterator]: METHOD })", "new (class { [Symbol.asyncIterator]: any = METHOD })", "{ a: [{ [Symbol.asyncIterator]: METHOD }] }"} {
			t.Run(test.rule+" in "+form, func(t *testing.T) {
				iso := newIsolate(t, Options{})
				ns := evaluate(t, iso, "export const run = () => ("+strings.ReplaceAll(form, "METHOD", test.method)+" as any);")
				got, err := iso.Call(t.Context(), testJob, ns.Method("run"))
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("run = %v, error %v, want %q", got, err, test.err)
				}
			})
		}
	}
	for _, test := range []struct{ rule, method string }{
		{"loops", `() => { for (;;) {} }`},
		{"recurses", `function f(): any { return f(); }`},
		{"is a proxy that loops", `new Proxy(() => {}, { apply() { for (;;) {} } })`},
	} {
		for _, run := range []string{"() => x", "async () => { await null; return x; }", "() => { throw Object.assign(new Error(), { x }); }"} {
			t.Run(test.rule+" in "+run, func(t *testing.T) {
				iso := newIsolate(t, Options{})
				ns := evaluate(t, iso, "const x: any = { [Symbol.asyncIterator]: "+test.method+" }; export const run = "+run+";")
				job := testJob
				job.Running = 100 * time.Millisecond
				got, err := iso.Call(t.Context(), job, ns.Method("run"))
				if err == nil || iso.Cause() == nil {
					t.Errorf("run = %v, error %v, the isolate was lost to %v", got, err, iso.Cause())
				}
			})
		}
	}
}

// Requests that are made without waiting for the one before are served in order,
// one at a time (ECMA-262, section 27.6.3.1).
func TestStreamRequestsAreServedInOrder(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export async function all(s: AsyncIterable<number>) {
			const i = s[Symbol.asyncIterator](), asked = [];
			for (let n = 0; n < 50; n++) asked.push(i.next());
			asked.push(i.return!(50));
			return (await Promise.all(asked)).map((step) => step.value).join();
		}
	`)
	var serving atomic.Int32
	one := func() func() {
		if serving.Add(1) > 1 {
			t.Error("two requests are served at once")
		}
		return func() { serving.Add(-1) }
	}
	var want []string
	for n := range 51 {
		want = append(want, strconv.Itoa(n))
	}
	for range 20 {
		next := -1.0
		stream := &Stream{
			Next: func(context.Context) (any, bool, error) {
				defer one()()
				next++
				runtime.Gosched()
				return next, false, nil
			},
			Return: func(context.Context) error { defer one()(); return nil },
		}
		if got := call(t, iso, ns, "all", stream); got != strings.Join(want, ",") {
			t.Fatalf("items = %v", got)
		}
	}
}

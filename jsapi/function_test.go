package jsapi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// pair is two isolates with a module each.
type pair struct {
	home, away     *Isolate
	homeNS, awayNS *Namespace
}

func newPair(t testing.TB, home, away string) *pair {
	t.Helper()
	p := &pair{home: newIsolate(t, Options{Extension: "home"}), away: newIsolate(t, Options{Extension: "away"})}
	p.homeNS, p.awayNS = evaluate(t, p.home, home), evaluate(t, p.away, away)
	return p
}

func TestStubsAreAsynchronousFunctions(t *testing.T) {
	p := newPair(t,
		`export const add = (a: number, b: number) => a + b; export const slow = async (x: string) => { await null; return { x }; };`,
		`export async function check(add: any, slow: any) {
			const sum = add(1, 2);
			return [typeof add, sum instanceof Promise, await sum, (await slow("s")).x].join();
		}`)
	got := call(t, p.away, p.awayNS, "check", exportedFunction(t, p.home, p.homeNS, "add"), exportedFunction(t, p.home, p.homeNS, "slow"))
	if got != "function,true,3,s" {
		t.Errorf("got %v", got)
	}
}

func TestFunctionsKeepTheirIdentity(t *testing.T) {
	p := newPair(t, `
		const f = () => 1, g = () => 2;
		export const give = () => [f, f, g];
		export const isF = (x: unknown) => x === f;
		export async function checkRelay(relay: (x: unknown) => Promise<unknown>) { return (await relay(f)) === f; }
	`, `
		const seen: unknown[] = [];
		export function take([a, b, c]: unknown[]) { seen.push(a, b, c); return a === b && a !== c; }
		export const again = (f: unknown) => f === seen[0];
		export const relay = (x: unknown) => x;
	`)
	given := call(t, p.home, p.homeNS, "give")
	if got := call(t, p.away, p.awayNS, "take", given); got != true {
		t.Error("one function has two stubs, or two have one")
	}
	f := given.(*Array).Items[0]
	if got := call(t, p.home, p.homeNS, "isF", f); got != true {
		t.Error("a function that came home is not itself")
	}
	if again := call(t, p.home, p.homeNS, "give").(*Array).Items[0]; again != f {
		t.Error("a function that was handed out twice is two outside")
	} else if got := call(t, p.away, p.awayNS, "again", again); got != true {
		t.Error("a function that was handed out twice has two stubs")
	}
	relayed := call(t, p.home, p.homeNS, "checkRelay", exportedFunction(t, p.away, p.awayNS, "relay"))
	if relayed != true {
		t.Error("a function that went round is not itself")
	}
}

func TestStubHandedOnLeadsToTheOriginal(t *testing.T) {
	p := newPair(t, `export const f = () => "home";`, `export const pass = (x: unknown) => x;`)
	third := newIsolate(t, Options{})
	ns := evaluate(t, third, `export const run = (f: () => unknown) => f();`)
	passed := call(t, p.away, p.awayNS, "pass", exportedFunction(t, p.home, p.homeNS, "f"))
	p.away.Close()
	if got := call(t, third, ns, "run", passed); got != "home" {
		t.Errorf("got %v", got)
	}
}

func TestStubsAreReleasedWhenCollected(t *testing.T) {
	p := newPair(t, `export const make = () => () => 1;`, `export const drop = (f: unknown) => { typeof f; };`)
	for range 50 {
		call(t, p.away, p.awayNS, "drop", call(t, p.home, p.homeNS, "make"))
	}
	counts := func() (stubs, exported int) {
		onLoop(t, p.away, func() { stubs = len(p.away.functions.targets) + len(p.away.functions.objects) })
		onLoop(t, p.home, func() { exported = len(p.home.ownFunctions) })
		return stubs, exported
	}
	stubs, exported := counts()
	for range 200 {
		if stubs <= 2 && exported <= 1 { // the engine's stack may still hold the last one
			return
		}
		runtime.GC()
		stubs, exported = counts()
	}
	t.Errorf("%d entries of stubs and %d of exports are left", stubs, exported)
}

func TestFunctionOfWhatHasEnded(t *testing.T) {
	const home = `export const f = () => 1; export const wait = () => new Promise(() => {});`
	const away = `export const run = (f: () => unknown) => f();
		export async function see(f: () => unknown) { try { await f(); } catch (e: any) { return e.name + ": " + e.message; } }`
	t.Run("owner", func(t *testing.T) {
		p := newPair(t, home, away)
		owner := p.home.NewOwner("extension home at 1a2b3c")
		job := testJob
		job.Owner, job.Result = owner, AsData
		p.homeNS = evaluateFor(t, p.home, owner, `const f = () => 1; export const give = () => f;`)
		given, err := p.home.Call(t.Context(), job, p.homeNS.Method("give"))
		if err != nil {
			t.Fatal(err)
		}
		if got := call(t, p.away, p.awayNS, "run", given); got != 1.0 {
			t.Errorf("before: %v", got)
		}
		owner.Close()
		if got, want := call(t, p.away, p.awayNS, "see", given), "GenerationClosed: extension home at 1a2b3c is closed"; got != want {
			t.Errorf("after: %q, want %q", got, want)
		}
		var closed *ClosedError
		if _, err := p.away.Call(t.Context(), testJob, p.awayNS.Method("run"), given); !errors.As(err, &closed) {
			t.Errorf("after: %#v", err)
		}
	})
	t.Run("isolate", func(t *testing.T) {
		p := newPair(t, home, away)
		f := exportedFunction(t, p.home, p.homeNS, "f")
		p.home.Close()
		if got, want := call(t, p.away, p.awayNS, "see", f), "GenerationClosed: extension home is closed"; got != want {
			t.Errorf("see = %q, want %q", got, want)
		}
	})
	t.Run("isolate, while a call is pending", func(t *testing.T) {
		p := newPair(t, home, away)
		wait := exportedFunction(t, p.home, p.homeNS, "wait")
		got := make(chan any, 1)
		go func() {
			result, _ := p.away.Call(context.Background(), testJob, p.awayNS.Method("see"), wait)
			got <- result
		}()
		waitForPending(t, p.home, 1)
		p.home.Close()
		if got, want := <-got, "GenerationClosed: extension home is closed"; got != want {
			t.Errorf("see = %q, want %q", got, want)
		}
	})
}

// depthKey carries the depth of nesting through contexts.
type depthKey struct{}

type depthError struct{ limit int }

func (e *depthError) Error() string     { return fmt.Sprintf("calls nest deeper than %d", e.limit) }
func (e *depthError) ErrorName() string { return "CallDepth" }

func nestTo(limit int) func(context.Context) (context.Context, error) {
	return func(ctx context.Context) (context.Context, error) {
		depth, _ := ctx.Value(depthKey{}).(int)
		if depth >= limit {
			return nil, &depthError{limit}
		}
		return context.WithValue(ctx, depthKey{}, depth+1), nil
	}
}

func TestNestingIsCounted(t *testing.T) {
	const source = `
		let other: (n: number) => Promise<number>;
		export const meet = (f: typeof other) => { other = f; };
		export async function down(n: number): Promise<number> {
			await null; // the depth travels with promises
			await new Promise((resolve) => setTimeout(resolve, 0)); // and with timers
			return n === 0 ? 0 : 1 + await other(n - 1);
		}
	`
	first := newIsolate(t, Options{Nest: nestTo(32)})
	second := newIsolate(t, Options{Nest: nestTo(32)})
	inFirst, inSecond := evaluate(t, first, source), evaluate(t, second, source)
	call(t, first, inFirst, "meet", exportedFunction(t, second, inSecond, "down"))
	call(t, second, inSecond, "meet", exportedFunction(t, first, inFirst, "down"))
	if got := call(t, first, inFirst, "down", 32.0); got != 32.0 {
		t.Errorf("down = %v", got)
	}
	_, err := first.Call(t.Context(), testJob, inFirst.Method("down"), 33.0)
	var deep *depthError
	if !errors.As(err, &deep) || !strings.HasPrefix(err.Error(), "CallDepth: calls nest deeper than 32") {
		t.Errorf("error = %v", err)
	}
	if got := call(t, first, inFirst, "down", 32.0); got != 32.0 {
		t.Errorf("down = %v; the depth of one call must not reach the next", got)
	}
}

func TestCallsOutliveTheContextTheyAreMadeUnder(t *testing.T) {
	p := newPair(t,
		`export const f = async () => { await null; return "done"; };`,
		`export const log: unknown[] = [];
		export async function run(f: () => unknown, signal: AbortSignal) {
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			log.push(await f()); // cleaning up, say
		}
		export const read = () => new Promise((resolve) => { const look = () => log.length ? resolve(log[0]) : setTimeout(look, 1); look(); });`)
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan error, 1)
	go func() {
		_, err := p.away.Call(ctx, testJob, p.awayNS.Method("run"), exportedFunction(t, p.home, p.homeNS, "f"), OwnSignal{})
		returned <- err
	}()
	waitForPending(t, p.away, 1)
	settleLoop(t, p.away)
	cancel()
	if err := <-returned; !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	if got := call(t, p.away, p.awayNS, "read"); got != "done" {
		t.Errorf("the call of the cancelled one gave %v", got)
	}
}

func TestMethods(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		class Base { inherited() { return "inherited"; } }
		class Service extends Base {
			#secret = "secret"; notCallable = 1;
			own() { return this.#secret; }
			get computed() { return () => "computed"; }
			toString() { return "shown"; }
		}
		export const make = () => new Service();
		export const plain = () => ({ toString: () => "mine", f() { return this.x; }, x: 5 });
	`)
	reference := func(name string) *Reference {
		job := testJob
		job.Result = AsReference
		kept, err := iso.Call(t.Context(), job, ns.Method(name))
		if err != nil {
			t.Fatal(err)
		}
		return kept.(*Reference)
	}
	service, plain := reference("make"), reference("plain")
	for _, test := range []struct {
		object *Reference
		name   string
		want   any
	}{
		{service, "own", "secret"}, {service, "inherited", "inherited"}, {service, "computed", "computed"}, {service, "toString", "shown"},
		{plain, "f", 5.0}, {plain, "toString", "mine"},
		{service, "notCallable", nil}, {service, "missing", nil}, {service, "constructor", nil}, {service, "hasOwnProperty", nil},
		{service, "__proto__", nil}, {plain, "valueOf", nil}, {plain, "constructor", nil}, {plain, "__defineGetter__", nil},
	} {
		got, err := iso.Call(t.Context(), testJob, Method{Object: test.object, Name: test.name})
		if test.want == nil {
			var none *NotAMethodError
			if !errors.As(err, &none) || none.Name != test.name {
				t.Errorf("%s = %v, %v; want NotAMethod", test.name, got, err)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%s = %v, %v; want %v", test.name, got, err, test.want)
		}
	}
}

// evaluateFor runs a module for an owner.
func evaluateFor(t testing.TB, iso *Isolate, owner *Owner, source string) *Namespace {
	t.Helper()
	job := testJob
	job.Owner = owner
	namespace, err := iso.Evaluate(context.Background(), job, compileSource(t, source))
	if err != nil {
		t.Fatal(err)
	}
	return namespace
}

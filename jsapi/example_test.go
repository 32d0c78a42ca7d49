package jsapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing/fstest"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// none serves no synthetic modules.
type none struct{}

func (none) Names() []string                 { return nil }
func (none) Scope(string) bool               { return false }
func (none) Source(string) ([]byte, bool)    { return nil, false }
func (none) Exports(string) ([]string, bool) { return nil, false }

// load compiles a module and runs it in an isolate of its own.
func load(ctx context.Context, options jsapi.Options, source string) (*jsapi.Isolate, *jsapi.Namespace, error) {
	tree := fstest.MapFS{"extensions/demo/server.ts": {Data: []byte(source)}}
	graph, err := jsapi.NewCompiler(jsapi.CompilerOptions{Synthetic: none{}}).Compile(ctx, tree, "extensions/demo/server.ts")
	if err != nil {
		return nil, nil, err
	}
	isolate, err := jsapi.New(options)
	if err != nil {
		return nil, nil, err
	}
	namespace, err := isolate.Evaluate(ctx, jsapi.Job{Work: "modules", Running: 2 * time.Second}, jsapi.Source{Graph: graph})
	if err != nil {
		isolate.Close()
		return nil, nil, err
	}
	return isolate, namespace, nil
}

func Example() {
	ctx := context.Background()
	isolate, namespace, err := load(ctx, jsapi.Options{Extension: "demo"}, `
		interface Order { items: { price: number }[] }
		export async function total(order: Order): Promise<{ total: number }> {
			return { total: order.items.reduce((sum, item) => sum + item.price, 0) };
		}
	`)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer isolate.Close()
	order := json.RawMessage(`{"items": [{"price": 20}, {"price": 22}]}`)
	job := jsapi.Job{Work: "tool total", Running: 5 * time.Second, Result: jsapi.AsJSON}
	result, err := isolate.Call(ctx, job, namespace.Method("total"), order)
	fmt.Printf("%s %v\n", result, err)
	// Output: {"total":42} <nil>
}

// A job that does not yield is stopped when its running budget is spent. The
// isolate is lost with it; a new one takes its place.
func ExampleIsolate_Call_endlessLoop() {
	ctx := context.Background()
	isolate, namespace, err := load(ctx, jsapi.Options{Extension: "demo"}, "export function spin(n: number) {\n  while (n > 0) n += 1;\n}\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer isolate.Close()
	job := jsapi.Job{Work: "tool spin", Running: 50 * time.Millisecond}
	_, err = isolate.Call(ctx, job, namespace.Method("spin"), 1)
	var timeout *jsapi.TimeoutError
	fmt.Println(errors.As(err, &timeout), timeout.Clock, timeout.Position.File, timeout.Position.Line)
	<-isolate.Lost()
	fmt.Println(isolate.Cause() == err)
	// Output:
	// true running without yielding extensions/demo/server.ts 2
	// true
}

// A job that only waits costs nothing but its own result.
func ExampleIsolate_Call_whole() {
	ctx := context.Background()
	isolate, namespace, err := load(ctx, jsapi.Options{Extension: "demo"}, `
		export const wait = () => new Promise(() => {});
		export const ping = () => "pong";
	`)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer isolate.Close()
	_, err = isolate.Call(ctx, jsapi.Job{Work: "hook wait", Whole: 20 * time.Millisecond}, namespace.Method("wait"))
	fmt.Println(err)
	fmt.Println(isolate.Call(ctx, jsapi.Job{Work: "hook ping"}, namespace.Method("ping")))
	// Output:
	// extension demo: hook wait did not finish within 20ms
	// pong <nil>
}

// What is thrown comes out with its place in the TypeScript source.
func ExampleError() {
	ctx := context.Background()
	isolate, namespace, err := load(ctx, jsapi.Options{Extension: "demo"}, "export function pay(cents: number) {\n"+
		"  if (cents > 100) throw new RangeError(`too much: ${cents}`);\n}\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer isolate.Close()
	_, err = isolate.Call(ctx, jsapi.Job{Work: "tool pay"}, namespace.Method("pay"), 500)
	var thrown *jsapi.Error
	fmt.Println(err)
	fmt.Println(errors.As(err, &thrown), thrown.Name, thrown.Position.Line)
	// Output:
	// RangeError: too much: 500 (extensions/demo/server.ts:2:26)
	// true RangeError 2
}

// A function of one isolate is an asynchronous function in another.
func ExampleFunction() {
	ctx := context.Background()
	one, inOne, err := load(ctx, jsapi.Options{Extension: "one"}, `export const makeCounter = () => { let n = 0; return (by: number) => n += by; };`)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer one.Close()
	two, inTwo, err := load(ctx, jsapi.Options{Extension: "two"}, `export async function use(count: (by: number) => Promise<number>) { await count(40); return count(2); }`)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer two.Close()
	counter, err := one.Call(ctx, jsapi.Job{Work: "makeCounter"}, inOne.Method("makeCounter"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(two.Call(ctx, jsapi.Job{Work: "use"}, inTwo.Method("use"), counter))
	// Output: 42 <nil>
}

// Go implements a module by supplying its exports.
func ExampleNative() {
	ctx := context.Background()
	exports := jsapi.NewObject("fetchName", jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
		id := call.Arg(0)
		return jsapi.Async{Work: func(context.Context) (any, error) {
			return fmt.Sprintf("user %v", id), nil
		}}, nil
	}))
	isolate, err := jsapi.New(jsapi.Options{Extension: "demo", Supplied: map[string]*jsapi.Object{"users": exports}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer isolate.Close()
	tree := fstest.MapFS{"main.ts": {Data: []byte(`import { fetchName } from "users"; export const run = async () => "hello " + await fetchName(7);`)}}
	graph, err := jsapi.NewCompiler(jsapi.CompilerOptions{Synthetic: users{}}).Compile(ctx, tree, "main.ts")
	if err != nil {
		fmt.Println(err)
		return
	}
	namespace, err := isolate.Evaluate(ctx, jsapi.Job{Work: "modules"}, jsapi.Source{Graph: graph})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(isolate.Call(ctx, jsapi.Job{Work: "run"}, namespace.Method("run")))
	// Output: hello user 7 <nil>
}

// users is a module that Go implements.
type users struct{ none }

func (users) Names() []string { return []string{"users"} }

func (users) Exports(specifier string) ([]string, bool) {
	return []string{"fetchName"}, specifier == "users"
}

func ExampleOwner() {
	ctx := context.Background()
	isolate, namespace, err := load(ctx, jsapi.Options{Extension: "demo"}, `
		let ticks = 0;
		export const start = () => { setInterval(() => ticks++, 1); };
		export const wait = () => new Promise(() => {});
	`)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer isolate.Close()
	owner := isolate.NewOwner("extension demo at 1a2b3c4")
	job := jsapi.Job{Owner: owner, Work: "start"}
	_, err = isolate.Call(ctx, job, namespace.Method("start"))
	fmt.Println(err)
	owner.Close() // its timers do not fire any more
	_, err = isolate.Call(ctx, job, namespace.Method("wait"))
	fmt.Println(err)
	// Output:
	// <nil>
	// extension demo at 1a2b3c4 is closed
}

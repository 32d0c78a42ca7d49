package host

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dop251/goja"

	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/registry"
)

// callWorld has a tool with a validated argument of 1 KB, a gate that looks at
// the call and a service.
var callWorld = map[string]string{
	"echo": `
		export default {
			name: "echo",
			tools: [{
				name: "echo", description: "Gives back what it gets.",
				parameters: { type: "object", properties: { items: { type: "array", items: { type: "object" } } }, required: ["items"] },
				execute: async (args) => ({ output: "ok", details: args }),
			}],
		};`,
	"gate": `
		export default {
			name: "gate",
			hooks: [{ task: "pi.tool", handlers: { beforeTool: (call) => (call.name === "never" ? { block: "no" } : undefined) } }],
		};`,
	"adder": `
		export default (host) => {
			host.implement("adder", { add: (a, b) => a + b });
			return { name: "adder" };
		};`,
}

// kilobyte is a JSON object of about 1 KB.
func kilobyte() json.RawMessage {
	type item struct {
		ID    int      `json:"id"`
		Title string   `json:"title"`
		Tags  []string `json:"tags"`
		Done  bool     `json:"done"`
	}
	var items []item
	for i := range 10 {
		items = append(items, item{i, fmt.Sprintf("an item with the number %d", i), []string{"one", "two", "three"}, i%2 == 0})
	}
	text, _ := json.Marshal(map[string]any{"items": items})
	return text
}

func benchCallWorld(b *testing.B) *Host {
	b.Helper()
	tree := fstest.MapFS{}
	for name, source := range callWorld {
		tree["src/sausage/extensions/"+name+"/server.ts"] = &fstest.MapFile{Data: []byte(source), Mode: 0o644}
	}
	dir := filepath.Join(b.TempDir(), "world")
	if err := Init(context.Background(), dir, tree); err != nil {
		b.Fatal(err)
	}
	h, err := Open(context.Background(), Options{Dir: dir, Storage: new(memory.Storage)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close(context.Background()) })
	if h.liveCommit() == "" {
		b.Fatalf("nothing is live: %+v", h.Status().Problems)
	}
	settle(h, len(callWorld))
	return h
}

// bareCall is an asynchronous function in a bare runtime, with JSON in and out.
type bareCall struct {
	runtime   *goja.Runtime
	call      goja.Callable
	parse     goja.Callable
	stringify goja.Callable
}

func newBareCall(b *testing.B, source string) *bareCall {
	b.Helper()
	runtime := goja.New()
	value, err := runtime.RunString("(" + source + ")")
	if err != nil {
		b.Fatal(err)
	}
	bare := &bareCall{runtime: runtime}
	bare.call, _ = goja.AssertFunction(value)
	object := runtime.Get("JSON").ToObject(runtime)
	bare.parse, _ = goja.AssertFunction(object.Get("parse"))
	bare.stringify, _ = goja.AssertFunction(object.Get("stringify"))
	return bare
}

func (c *bareCall) run(b *testing.B, text string) string {
	argument, err := c.parse(goja.Undefined(), c.runtime.ToValue(text))
	if err != nil {
		b.Fatal(err)
	}
	value, err := c.call(goja.Undefined(), argument)
	if err != nil {
		b.Fatal(err)
	}
	result, err := c.stringify(goja.Undefined(), value.Export().(*goja.Promise).Result())
	if err != nil {
		b.Fatal(err)
	}
	return result.String()
}

// against measures work and its floor in turns and reports both.
func against(b *testing.B, work, floor func()) {
	b.Helper()
	const round = 64
	var spent, bare time.Duration
	rounds := 0
	for b.Loop() {
		began := time.Now()
		for range round {
			work()
		}
		middle := time.Now()
		for range round {
			floor()
		}
		spent, bare = spent+middle.Sub(began), bare+time.Since(middle)
		rounds++
	}
	count := float64(rounds * round)
	b.ReportMetric(float64(spent.Nanoseconds())/count/1000, "µs/call")
	b.ReportMetric(float64(bare.Nanoseconds())/count/1000, "floor-µs/call")
	b.ReportMetric(float64(spent)/float64(bare), "x-floor")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCall is a call of a tool from Go: 1 KB in, validated, one gate, 1 KB
// out. The floor is a bare call of the tool's function and one of the gate's, with
// JSON in and out.
func BenchmarkCall(b *testing.B) {
	h := benchCallWorld(b)
	arguments := kilobyte()
	tool := newBareCall(b, `async (args) => ({ output: "ok", details: args })`)
	gate := newBareCall(b, `async (call) => (call.name === "never" ? { block: "no" } : null)`)
	against(b, func() {
		result := h.CallTool(context.Background(), ToolCall{Tool: "echo", Arguments: arguments})
		if result.IsError {
			b.Fatal(result.Text())
		}
	}, func() {
		gate.run(b, string(arguments))
		tool.run(b, string(arguments))
	})
}

// BenchmarkServiceCall is a call of a TypeScript service from Go. The floor is a
// bare asynchronous call with JSON in and out.
func BenchmarkServiceCall(b *testing.B) {
	h := benchCallWorld(b)
	bare := newBareCall(b, `async (args) => args[0] + args[1]`)
	against(b, func() {
		sum, err := h.CallService(context.Background(), "adder", "add", []any{1.0, 2.0})
		if err != nil || sum != 3.0 {
			b.Fatal(sum, err)
		}
	}, func() { bare.run(b, "[1,2]") })
}

// BenchmarkHook is what one gate with nothing to do adds to a call of a Go tool.
// The floor is a bare call of the gate's function under a deadline.
func BenchmarkHook(b *testing.B) {
	h := benchCallWorld(b)
	hook := h.Registry().Current().Hooks(registry.HookToolCall)[0].Value
	event := registry.ToolCallEvent{ID: "1", Tool: "echo", Arguments: json.RawMessage("{}")}
	runtime := goja.New()
	value, err := runtime.RunString(`((call) => (call.name === "never" ? { block: "no" } : undefined))`)
	if err != nil {
		b.Fatal(err)
	}
	gate, _ := goja.AssertFunction(value)
	call := runtime.NewObject()
	_ = call.Set("name", "echo")
	against(b, func() {
		if _, err := hook.BeforeTool(context.Background(), registry.HookContext{}, event); err != nil {
			b.Fatal(err)
		}
	}, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		stop := context.AfterFunc(ctx, func() { runtime.Interrupt("late") })
		if _, err := gate(goja.Undefined(), call); err != nil {
			b.Fatal(err)
		}
		stop()
		cancel()
	})
}

// BenchmarkStart opens a world of whose extensions nothing is cached. The floor
// transforms and compiles the same files on as many goroutines, evaluates them in
// bare runtimes, and opens a bare database.
func BenchmarkStart(b *testing.B) {
	for _, extensions := range []int{1, 20, 100} {
		b.Run(fmt.Sprint(extensions), func(b *testing.B) {
			h, dir := benchWorld(b, extensions)
			if err := h.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			var spent, bare time.Duration
			for b.Loop() {
				began := time.Now()
				h, err := Open(context.Background(), Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				spent += time.Since(began)
				if h.liveCommit() == "" {
					b.Fatalf("nothing is live: %+v", h.Status().Problems)
				}
				if err := h.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
				bare += startFloor(b, dir, extensions)
			}
			b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "ms/op")
			b.ReportMetric(float64(bare.Microseconds())/1000/float64(b.N), "floor-ms/op")
			b.ReportMetric(float64(spent)/float64(bare), "x-floor")
			b.ReportMetric(0, "ns/op")
		})
	}
}

package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

// BenchmarkCallTool measures a validated call with one gate over its floor: the
// tool's and the gate's functions called directly.
func BenchmarkCallTool(b *testing.B) {
	tool := echo("act")
	tool.Parameters = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}},"required":["text"]}`)
	call := registry.Call{ID: "1", Tool: "act", Arguments: json.RawMessage(`{"n":7,"text":"` + strings.Repeat("x", 1000) + `"}`)}
	gates := []registry.Hook{{Kind: registry.HookToolCall, BeforeTool: gate}}
	r := registry.New(registry.Options{})
	promote(b, r, "c1", world("x", registry.Instance{Tools: []registry.Tool{tool}, Hooks: gates, Limited: true}))

	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gate(b.Context(), registry.HookContext{}, registry.ToolCallEvent{}); err != nil {
				b.Fatal(err)
			}
			if _, err := tool.Execute(b.Context(), &call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("validated with one gate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if result := r.CallTool(b.Context(), call); result.IsError {
				b.Fatal(result.Text())
			}
		}
	})
	b.Run("gate alone", func(b *testing.B) {
		b.ReportAllocs()
		plain := echo("act")
		r := registry.New(registry.Options{})
		promote(b, r, "c1", world("x", registry.Instance{Tools: []registry.Tool{plain}, Hooks: gates, Limited: true}))
		for b.Loop() {
			r.CallTool(b.Context(), registry.Call{ID: "1", Tool: "act"})
		}
	})
	b.Run("gate with a deadline", func(b *testing.B) {
		b.ReportAllocs()
		plain := echo("act")
		r := registry.New(registry.Options{})
		promote(b, r, "c1", world("x", registry.Instance{Tools: []registry.Tool{plain}, Hooks: gates}))
		for b.Loop() {
			r.CallTool(b.Context(), registry.Call{ID: "1", Tool: "act"})
		}
	})
}

func BenchmarkAcquire(b *testing.B) {
	r := registry.New(registry.Options{})
	b.ReportAllocs()
	for b.Loop() {
		_, release := r.Acquire("unit")
		release()
	}
}

func BenchmarkAcquireInParallel(b *testing.B) {
	r := registry.New(registry.Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, release := r.Acquire("unit")
			release()
		}
	})
}

func BenchmarkCallService(b *testing.B) {
	r := registry.New(registry.Options{})
	e := provider("x", "clock", func(context.Context, string, []any) (any, error) { return nil, nil })
	e.instance.Limited = true
	promote(b, r, "c1", e)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.CallService(b.Context(), "clock", "now", nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkValidate measures what a reload pays here: 100 extensions of two
// tools, none of whose schemas changed.
func BenchmarkValidate(b *testing.B) {
	var extensions []*extension
	for i := range 100 {
		name := fmt.Sprintf("extension-%d", i)
		extensions = append(extensions, world(name, tools(echo("t1"), echo("t2"))))
	}
	r := registry.New(registry.Options{})
	promote(b, r, "c1", extensions...)
	b.ReportAllocs()
	for b.Loop() {
		g, problems := stage(b, r, "c2", extensions...).Validate()
		if g == nil {
			b.Fatal(problems)
		}
	}
}

package host

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// goExtension is an embedder's extension with a tool and a service.
type goExtension struct{ name, answer string }

var _ registry.Extension = goExtension{}

// Manifest implements [registry.Extension].
func (e goExtension) Manifest() registry.Manifest {
	return registry.Manifest{
		Name: e.name, Ref: registry.BuiltinRef(e.name, "1.0.0"), Source: registry.SourceBuiltin, Derived: true,
	}
}

// Instantiate implements [registry.Extension].
func (e goExtension) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	return &registry.Instance{
		Tools: []registry.Tool{{
			Name: e.name, Description: "a tool", Parameters: json.RawMessage(`{"type":"object"}`),
			Execute: func(context.Context, *registry.Call) (*registry.Result, error) {
				return registry.TextResult(e.answer), nil
			},
		}},
		Services: []registry.Service{{
			ID: e.name,
			Call: func(_ context.Context, method string, args []any) (any, error) {
				return map[string]any{"method": method, "args": args}, nil
			},
		}},
	}, nil
}

func TestGoExtensionsServeBesideTheWorldsAndGiveThemServices(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `const service = host.want("native");`,
		tool("a", `return JSON.stringify(await service.method({ list: [1, "two"] }, null));`))})
	h := w.open(inMemory, func(o *Options) { o.Extensions = []registry.Extension{goExtension{"native", "Go"}} })
	same(t, h.call("native"), "Go")
	same(t, h.call("a"), `{"args":[{"list":[1,"two"]},null],"method":"method"}`)
	h.refused(w.commit(files{server("a"): "export default ("}))
	same(t, h.call("native"), "Go")
}

func TestAWorldExtensionTakesThePlaceOfABuiltinAndTheStatusSaysSo(t *testing.T) {
	w := newWorld(t, files{server("native"): answering("native", "TypeScript")})
	h := w.open(inMemory, func(o *Options) { o.Extensions = []registry.Extension{goExtension{"native", "Go"}} })
	same(t, h.call("native"), "TypeScript")
	var states []State
	for _, extension := range h.Status().Extensions {
		states = append(states, extension.State)
	}
	if len(states) != 2 || states[0] != StateLive || states[1] != StateReplaced {
		t.Errorf("extensions: %s", asJSON(h.Status().Extensions))
	}
	h.live(w.commit(files{"extensions": ""}))
	same(t, h.call("native"), "Go")
}

func TestAToolOfALaterExtensionHidesOneOfTheSameName(t *testing.T) {
	w := newWorld(t, files{
		server("a"): extensionOf("a", "", tool("same", `return "a";`)),
		server("b"): extensionOf("b", "", tool("same", `return "b";`)),
	})
	h := w.open(inMemory)
	same(t, h.call("same"), "b")
	shadowed := h.Status().Shadowed
	if len(shadowed) != 1 || shadowed[0].Name != "same" || shadowed[0].Loser != "a" || shadowed[0].By != "b" {
		t.Errorf("shadowed: %s", asJSON(shadowed))
	}
}

func TestExtensionsImportThePackagesOfAnEmbedder(t *testing.T) {
	w := newWorld(t, files{server("a"): `import { version, twice } from "embedder";` + "\n" + extensionOf("a", "", tool("a", `return version + twice(4);`))})
	h := w.open(inMemory, func(o *Options) {
		o.RegisterModules("embedder", jsapi.NewObject("version", "v1 ",
			"twice", jsapi.Native(func(call *jsapi.NativeCall) (any, error) { return 2 * call.Arg(0).(float64), nil })))
		o.RegisterModules("embedder/sub", jsapi.NewObject("default", 5.0))
		o.RegisterModules("other", jsapi.NewObject("word", "replaced"))
		o.RegisterModules("other", jsapi.NewObject("word", "other"))
	})
	same(t, h.call("a"), "v1 8")
	h.live(w.commit(files{server("b"): `import five from "embedder/sub"; import { word } from "other";` + "\n" +
		extensionOf("b", "", tool("b", `return word + five;`))}))
	same(t, h.call("b"), "other5")
	contains(t, h.refused(w.commit(files{server("b"): `import "embedder/none";` + answering("b", "")})), "embedder/none")
	contains(t, h.refused(w.commit(files{server("b"): `import { none } from "other"; none;` + answering("b", "")})), "none")
}

func TestHooksOfExtensionsSeeTheCallsOfAllTools(t *testing.T) {
	w := newWorld(t, files{
		server("a"): answering("a", "secret"),
		server("gate"): `import { hook } from "@earendil-works/pi-durable";
			export default { name: "gate", hooks: [
				hook("tool_call", (call: any) => call.arguments.stop ? { block: "stopped by gate" } : undefined),
				hook("tool_result", (call: any, result: any) => ({ ...result, content: [{ type: "text", text: "[" + result.content[0].text + "]" }] })),
			] };`,
	})
	h := w.open(inMemory)
	same(t, h.call("a"), "[secret]")
	contains(t, h.fails("a", map[string]any{"stop": true}), "stopped by gate")
	h.live(w.commit(files{server("gate"): `export default { name: "gate", hooks: [{ kind: "tool_call", handler() { throw new Error("gate broke"); } }] };`}))
	contains(t, h.fails("a"), "gate broke") // a gate that fails blocks
}

func TestNamespacesOfTheHarnessCannotBeRegistered(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "1")})
	for _, namespace := range []string{"harness", "node:fs", "@earendil-works/pi-durable", "typebox/x", "./here", ""} {
		options, _ := w.options(inMemory)
		options.RegisterModules(namespace, jsapi.NewObject("x", 1.0))
		h, err := Open(t.Context(), options)
		var refused *bind.NamespaceError
		if !errors.As(err, &refused) || refused.Namespace != namespace {
			t.Errorf("%q: %v, want a NamespaceError", namespace, err)
		}
		if h != nil {
			_ = h.Close(context.Background())
		}
	}
}

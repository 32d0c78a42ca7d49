package host

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheEnvironmentOfACall runs testdata/environment: an extension whose tool checks
// one rule after another through its api.
func TestTheEnvironmentOfACall(t *testing.T) {
	source, err := os.ReadFile("testdata/environment/server.ts")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, files{server("environment"): string(source)})
	h := w.open(inMemory)
	rules := strings.Split(h.call("checks"), "\n")
	if len(rules) < 10 {
		t.Fatalf("the rules are %q", rules)
	}
	for i, rule := range append(rules, rules[len(rules)-1]) { // what was kept of the last one is of no use
		t.Run(rule, func(t *testing.T) {
			folder := fmt.Sprintf("/work/%d", i)
			if err := os.MkdirAll(w.path(folder), 0o755); err != nil {
				t.Fatal(err)
			}
			same(t, h.call("check", map[string]any{"rule": rule, "folder": folder}), "kept")
		})
	}
}

// A wrap may put another environment in the place of the call's, also for a tool of
// another extension.
func TestAWrapMayReplaceTheEnvironment(t *testing.T) {
	w := newWorld(t, files{
		server("a"): extensionOf("a", "", tool("work", `
			const read = await api.env.readTextFile("/f", context);
			const missing = await api.env.readTextFile("/none", context);
			let told = "";
			const ended = await api.env.exec("echo ran", { onOutput: (text: string) => void (told += text) }, context);
			return [read.value, missing.error.code, ended.value.exitCode, told].join();`)),
		server("b"): `export default { name: "b", wraps: [{ tool: "work", wrap: (inner: any) => ({ ...inner, execute: (args: any, api: any, context: any) => {
			const env = { ...api.env, readTextFile: async (path: string, context: any) => {
				const read = await api.env.readTextFile(path, context);
				return read.ok ? { ok: true, value: read.value.toUpperCase() } : read;
			} };
			return inner.execute(args, { ...api, env }, context);
		} }) }] };`,
	})
	if err := os.WriteFile(w.path("f"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := w.open(inMemory)
	same(t, h.call("work"), "TEXT,not_found,0,ran\n")
}

// A character whose bytes come in two pieces is one.
func TestBytesOfOutputAreDecodedAcrossPieces(t *testing.T) {
	h := newWorld(t, files{server("probe"): extensionOf("probe", "",
		tool("part", `api.output(new Uint8Array([0x61, 0xc3]));`),
		tool("whole", `api.output(new Uint8Array([0x62, 0xc3])); api.output(new Uint8Array([0xa9, 0x63]));`))}).open(inMemory)
	same(t, h.call("part"), "a")
	same(t, h.call("whole"), "béc")
}

// A phase of a task works in the folder of its conversation.
func TestAPhaseOfATaskHasAnEnvironment(t *testing.T) {
	w := newWorld(t, files{server("work"): worker(`phases: {
		begin: async (task: any, runtime: any, context: any) => {
			await runtime.commit((tx: any) => pi.configure(tx, runtime.conversationId, { cwd: "/home" }), context);
			const env = await runtime.env(context);
			await env.writeFile("f", "made by a task", context);
			const read = await env.readTextFile("/home/f", context);
			await runtime.commit(() => end([env.cwd, read.value]), context);
		},
	}`, "")}).open(inMemory)
	same(t, w.ended(w.start(map[string]any{})), `{"status":"completed","result":["/home","made by a task"]}`)
}

package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/host/bind"
)

// badTools are bodies of tools that give what no tool may, and what their results say.
var badTools = []struct{ name, body, want string }{
	{"number", `return 5;`, "tool number must return an object, not number"},
	{"list", `return [{ type: "text", text: "x" }];`, "tool list must return an object, not an array"},
	{"output_number", `return { output: 5 };`, "output must be a string or an array"},
	{"part_of_no_kind", `return { output: [{ type: "video", data: "" }] };`, "a part of the output must be"},
	{"part_null", `return { output: [null] };`, "a part of the output must be"},
	{"image_of_no_base64", `return { output: [{ type: "image", data: "%%%", mimeType: "image/png" }] };`, "base64"},
	{"throws_text", `throw "a plain text";`, "a plain text"},
	{"throws_number", `throw 5;`, "5"},
	{"throws_undefined", `throw undefined;`, "undefined"},
	{"throws_null", `throw null;`, "null"},
	{"throws_object", `throw { code: "E", message: "its own" };`, "its own"},
	{"throws_hostile", `throw { get message() { throw new Error("hostile"); }, toString() { throw new Error("hostile"); } };`, "thrown: an object"},
	{"result_hostile", `return { get output() { throw new Error("no output for you"); } };`, "no output for you"},
	{"result_proxy", `return new Proxy({}, { get() { throw new Error("no member for you"); } });`, "no member for you"},
	{"rejects_text", `return Promise.reject("a rejected text");`, "a rejected text"},
	{"details_cyclic", `const ring: any = {}; ring.ring = ring; return { output: "x", details: ring };`, "what tool details_cyclic returned is not JSON"},
	{"details_bigint", `return { output: "x", details: { n: 5n } };`, "what tool details_bigint returned is not JSON"},
	{"details_function", `return { output: "x", details: { f() {} } };`, ""},
	{"details_hostile", `return { output: "x", details: { toJSON() { throw new Error("no JSON for you"); } } };`, "what tool details_hostile returned is not JSON: Error: no JSON for you"},
	{"details_deep", `let deep: any = {}; for (let i = 0; i < 20000; i++) deep = { deep }; return { output: "x", details: deep };`, "what tool details_deep returned is not JSON"},
	{"diagnostics_text", `return { output: "x", diagnostics: "much" };`, "diagnostics"},
	{"usage_text", `return { output: "x", usage: "much" };`, "usage: want an object, have a string"},
	{"usage_member", `return { output: "x", usage: { input: "much" } };`, "usage: input: want a number, have a string"},
	{"api_details_cyclic", `const ring: any = {}; ring.ring = ring; await api.details(ring); return "x";`, "details"},
	{"api_diagnostic_number", `api.diagnostic(5); return "x";`, "diagnostic"},
	{"api_commit_nothing", `await api.commit(undefined, context); return "x";`, "commit"},
	{"api_task_nothing", `await api.createTask(undefined, {}, { ownership: { kind: "conversation" } }, context); return "x";`, "createTask"},
	{"api_nested_number", `await api.executeTool(5, {}, context); return "x";`, "executeTool"},
	{"api_nested_cyclic", `const ring: any = {}; ring.ring = ring; await api.executeTool("number", ring, context); return "x";`, "arguments"},
}

func TestAToolThatGivesWhatNoToolMayHasAnErrorResultThatSaysSo(t *testing.T) {
	var tools, names []string
	for _, bad := range badTools {
		tools, names = append(tools, tool(bad.name, bad.body)), append(names, bad.name)
	}
	h := talk(t, files{server("bad"): extensionOf("bad", "", tools...), server("good"): answering("good", "as ever")})
	h.model.Append(calls(names...), calls("good"), says("done"))
	h.done(h.begin("go"))
	results := h.results()
	if len(results) != len(badTools)+1 {
		t.Fatalf("results %s", asJSON(results))
	}
	for i, bad := range badTools {
		text := results[i].Text()
		if bad.want != "" && (!results[i].IsError || !strings.Contains(text, bad.want)) {
			t.Errorf("%s gave %v %q, want an error with %q", bad.name, results[i].IsError, text, bad.want)
		}
	}
	same(t, results[len(badTools)].Text(), "as ever")
}

func TestADiagnosticOfAnyLengthLeavesRoomForTheConversation(t *testing.T) {
	h := talk(t, files{server("bad"): extensionOf("bad", "",
		tool("says", `for (let n = 0; n < 1000; n++) api.diagnostic({ severity: "info", message: "said".repeat(100) });`),
		tool("gives", `return { diagnostics: [{ severity: "warn", message: "given".repeat(1 << 18) }] };`))})
	h.model.Append(calls("says", "gives"), says("done"))
	h.done(h.begin("go"))
	for i, want := range []string{"bytes of remarks dropped", "bytes dropped"} {
		text := h.results()[i].Text()
		if contains(t, text, want); len(text) > 33<<10 {
			t.Errorf("the model is shown %d bytes", len(text))
		}
	}
}

func TestWhatACallLeavesRunningCannotReachItAndIsReported(t *testing.T) {
	h := talk(t, files{server("late"): strings.NewReplacer(`name: "probe"`, `name: "late"`, "const session =", "const seen: string[] = [];\nconst session =").Replace(engineModule(
		tool("late", `
			const told = (work: () => unknown) => setTimeout(async () => { try { await work(); seen.push("went well"); } catch (error: any) { seen.push(error.name); } }, 1);
			told(() => api.commit(() => {}, context));
			told(() => api.output("late"));
			setTimeout(() => { throw new Error("a late throw"); }, 1);
			(async () => { await new Promise((resume) => setTimeout(resume, 1)); throw "a late rejection"; })();
			return "on time";`),
		tool("seen", `while (seen.length < 2) await new Promise((resume) => setTimeout(resume, 1)); return seen.join();`)))})
	h.model.Append(calls("late"), calls("seen"), says("done"))
	h.done(h.begin("go"))
	contains(t, h.transcript(), "result: on time\n", "result: Settled,Settled\n")
	h.until("both reported", func(Status) bool {
		return strings.Contains(h.log.String(), "a late throw") && strings.Contains(h.log.String(), "a late rejection")
	})
}

// nonsense are values that hooks return, and the kinds that must tell of it. A member
// that a kind does not know is nothing to it.
var nonsense = []struct{ value, kinds string }{
	{`5`, "beforeRequest onYield beforeTool afterTool"},
	{`"text"`, "beforeRequest onYield beforeTool"},
	{`true`, "beforeRequest onYield beforeTool afterTool"},
	{`[1]`, "beforeRequest onYield beforeTool afterTool"},
	{`{ messages: 5 }`, "beforeRequest beforeTool"},
	{`{ messages: [5] }`, "beforeRequest beforeTool"},
	{`{ messages: [{ role: "none" }] }`, "beforeRequest beforeTool"},
	{`{ messages: [{ role: "user", content: 5, timestamp: 1 }] }`, "beforeRequest beforeTool"},
	{`{ continue: 5 }`, "onYield beforeTool"},
	{`{ continue: [{ type: "video" }] }`, "onYield beforeTool"},
	{`{ output: 5 }`, "afterTool beforeTool"},
	{`{ content: [{ type: "video" }] }`, "afterTool beforeTool"},
	{`{ usage: 5 }`, "afterTool beforeTool"},
	{`{ block: 5 }`, "beforeTool"},
	{`{ ask: 5 }`, "beforeTool"},
	{`{ arguments: [5] }`, "beforeTool"},
	{`(() => { const ring: any = {}; ring.messages = ring.continue = ring.details = ring.arguments = ring; return ring; })()`, "beforeRequest onYield beforeTool afterTool"},
	{`{ messages: 5n, continue: 5n, details: 5n, arguments: { n: 5n } }`, "beforeRequest onYield beforeTool afterTool"},
	{`new Proxy({}, { get() { throw new Error("hostile"); } })`, "beforeRequest onYield beforeTool afterTool"},
	{`Promise.reject("rejected")`, "beforeRequest afterResponse onYield afterTools beforeTool afterTool"},
	{`(() => { throw "thrown"; })()`, "beforeRequest afterResponse onYield afterTools beforeTool afterTool"},
}

// badHooks is an extension whose hooks give nonsense to calls of conversations: that of
// the kind that was named to the tool use.
func badHooks() string {
	var hooks, values []string
	for _, kind := range hookedKinds {
		task := "GenerationTask"
		if strings.HasSuffix(kind, "Tool") {
			task = "ToolTask"
		}
		hooks = append(hooks, fmt.Sprintf("hook(%s, { %[2]s: (...given: any[]) => given.at(-2)?.taskId !== undefined && kind === %[2]q ? values[value]!() : undefined } as any)", task, kind))
	}
	for _, each := range nonsense {
		values = append(values, "() => ("+each.value+")")
	}
	return `import { defineExtension, hook, GenerationTask, ToolTask } from "@earendil-works/pi-durable";
let kind = "", value = 0;
const values: (() => any)[] = [` + strings.Join(values, ",\n") + `];
export default defineExtension({ name: "bad", hooks: [` + strings.Join(hooks, ", ") + `], tools: [
	{ name: "use", description: "d", parameters: { type: "object" }, async execute(args: any) { ({ kind, value } = args); return ""; } } as any] });`
}

var hookedKinds = []string{"beforeRequest", "afterResponse", "onYield", "afterTools", "beforeTool", "afterTool"}

func TestWhatAHookReturnsInErrorIsToldAndTheConversationGoesOn(t *testing.T) {
	h := talk(t, files{server("bad"): badHooks(), server("good"): answering("good", "as ever")})
	for _, kind := range hookedKinds {
		for i, each := range nonsense {
			h.call("use", map[string]any{"kind": kind, "value": i})
			before := len(h.log.String())
			h.model.Set(calls("good"), says("done"))
			h.done(h.begin("go"))
			told, tells := h.log.String()[before:], slices.Contains(strings.Fields(each.kinds), kind)
			hook := "hook GenerationTask." + kind
			switch kind {
			case "beforeTool":
				hook = "hook tool_call"
			case "afterTool":
				hook = "hook tool_result"
			}
			if strings.Contains(told, hook+": ") != tells || !tells && told != "" {
				t.Errorf("%s of %s tells %q, want one of %s: %v", each.value, kind, told, hook, tells)
			}
			results := h.results()
			last := results[len(results)-1]
			if blocks := kind == "beforeTool" && tells; last.IsError != blocks || tells && !blocks && last.Text() != "as ever" {
				t.Errorf("%s of %s leaves the result %q, an error: %v", each.value, kind, last.Text(), last.IsError)
			}
		}
	}
}

func TestASectionThatCannotBeWrittenIsToldAndKeepsWhatWasShown(t *testing.T) {
	h := talk(t, files{server("bad"): `import { section, defineExtension } from "@earendil-works/pi-durable";
let how = "well";
const written = (): any => {
	switch (how) {
		case "well": return "as it was";
		case "throws": throw "not an error";
		case "number": return 5;
		case "object": return { toString: () => "x" };
		case "rejects": return Promise.reject(new Error("cannot write"));
		case "never": return new Promise(() => {});
	}
};
export default defineExtension({ name: "bad", sections: [section("note", written), section("other", () => "beside it")], tools: [
	{ name: "use", description: "d", parameters: { type: "object" }, async execute(args: any) { how = args.how; return ""; } } as any] });`,
	}, func(o *Options) { o.Limits.Hook = bind.Limit{Running: patient, Whole: 500 * time.Millisecond} })
	for _, each := range []struct{ how, told string }{
		{"well", ""}, {"throws", "not an error"}, {"number", "a section must be a string or undefined, not a number"},
		{"object", "not a object"}, {"rejects", "cannot write"}, {"never", "section note"}, {"well", ""},
	} {
		h.call("use", map[string]any{"how": each.how})
		before := len(h.log.String())
		h.model.Set(says("done"))
		h.done(h.begin("go"))
		told := h.log.String()[before:]
		contains(t, told, each.told)
		if each.told == "" && strings.Contains(told, "section") {
			t.Errorf("%s: told %q", each.how, told)
		}
	}
	if system := strings.Count(h.transcript(), "system: "); system != 1 {
		t.Errorf("the prompt was written %d times:\n%s", system, h.transcript())
	}
}

func TestAWrapThatFailsTakesItsTargetAwayAndIsTold(t *testing.T) {
	for name, each := range map[string]struct{ tool, section, told string }{
		"throws":        {`() => { throw "no wrap"; }`, `() => { throw "no wrap"; }`, "no wrap"},
		"rejects":       {`async () => { throw new Error("no wrap"); }`, `async () => { throw new Error("no wrap"); }`, "no wrap"},
		"renames":       {`(inner) => ({ ...inner, name: "other" })`, `(inner) => ({ ...inner, key: "other" })`, "a wrap keeps the"},
		"gives nothing": {`() => undefined`, `() => undefined`, "wrap"},
		"gives a text":  {`() => "x"`, `() => "x"`, "wrap"},
		"takes it away": {`(inner) => ({ ...inner, execute: undefined })`, `(inner) => ({ ...inner, render: undefined })`, "wrap"},
		"never returns": {`() => new Promise(() => {})`, `() => new Promise(() => {})`, "wrap of"},
	} {
		t.Run(name, func(t *testing.T) {
			h := talk(t, files{
				server("a"): `import { section, defineExtension } from "@earendil-works/pi-durable";
export default defineExtension({ name: "a", sections: [section("note", () => "the note"), section("other", () => "beside it")], tools: [` + tool("speak", `return "x";`) + `, ` + tool("good", `return "as ever";`) + `] as any });`,
				server("b"): `import { wrapSection, wrapTool, defineExtension } from "@earendil-works/pi-durable";
export default defineExtension({ name: "b", wraps: [wrapTool("speak", (` + each.tool + `) as any), wrapSection("note", (` + each.section + `) as any)] });`,
			}, func(o *Options) { o.Limits.Hook = bind.Limit{Running: patient, Whole: 500 * time.Millisecond} })
			h.model.Append(calls("speak", "good"), says("done"))
			h.done(h.begin("go"))
			text := h.transcript()
			contains(t, text, "system: <other>\nbeside it\n</other>\n", "is not available", "result: as ever")
			contains(t, h.log.String(), each.told)
		})
	}
}

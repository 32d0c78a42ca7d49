package host

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

// talking is a world whose root conversation is answered by script.
type talking struct {
	*testHost
	world *testWorld
	model *faux.Provider
}

// talk opens a world with extensions whose conversations think.
func talk(t *testing.T, extensions files, edits ...func(*Options)) *talking {
	t.Helper()
	return newWorld(t, extensions).talk(func(o *Options) {
		inMemory(o)
		for _, edit := range edits {
			edit(o)
		}
	})
}

// talk opens a world whose conversations think, by these steps first.
func (w *testWorld) talk(on func(*Options), steps ...faux.Step) *talking {
	t := w.TB
	t.Helper()
	scripted := faux.New(faux.Options{})
	scripted.Set(steps...)
	models := new(model.Models)
	if _, err := models.Set(scripted); err != nil {
		t.Fatal(err)
	}
	h := w.open(on, func(o *Options) { o.Models = models })
	return &talking{h, w, scripted}
}

// say hands an input in to the root conversation and returns the settled submission.
func (h *talking) say(text string) record.Submission {
	h.Helper()
	settled, err := h.submit(text).Wait(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	return settled
}

// root is the root conversation, whose model is the scripted one.
func (h *talking) root() *durable.Conversation {
	h.Helper()
	root, err := h.Harness().Root(h.Context(), durable.ConversationOptions{
		Agent: durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "faux", Model: "faux-1"})},
	})
	if err != nil {
		h.Fatal(err)
	}
	return root
}

// submit hands an input in to the root conversation.
func (h *talking) submit(text string) *durable.Submission {
	h.Helper()
	submitted, err := h.root().Submit(h.Context(), durable.Input{Content: message.Content{Text: text}})
	if err != nil {
		h.Fatal(err)
	}
	return submitted
}

// transcript writes the messages of the root conversation, one a line.
func (h *talking) transcript() string {
	h.Helper()
	view, err := h.Session().Context(h.Context(), record.Root, 0)
	if err != nil {
		h.Fatal(err)
	}
	var lines []string
	for _, shown := range view.Messages {
		switch m := shown.(type) {
		case *message.User:
			lines = append(lines, "user: "+m.Content.String())
		case *message.Assistant:
			lines = append(lines, "assistant: "+m.Text())
		case *message.ToolResult:
			lines = append(lines, "result: "+m.Content.Text())
		case *message.System:
			lines = append(lines, "system: "+sectionText(m.Sections))
		}
	}
	return strings.Join(lines, "\n")
}

func sectionText(sections message.Sections) string {
	var parts []string
	for _, section := range sections {
		parts = append(parts, section.Text)
	}
	return strings.Join(parts, "|")
}

// callThen has the model call a tool, and then answer.
func (h *talking) callThen(tool string, arguments any, answer string) {
	h.model.Append(faux.Answer(faux.Calls(faux.Call(tool, arguments))), faux.Answer(faux.Says(answer)))
}

func TestAToolOfAConversationCommitsKeepsMemosAndReadsDocuments(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(tool("probe", `
		const kept = await api.memo("first", { n: 1 }, context);
		const again = await api.memo("first", { n: 2 }, context);
		const entry = await api.commit(async (tx: any) => {
			(await tx.doc(Plan, api.conversationId)).steps.push("made");
			return tx.appendEntry(Note, api.conversationId, { data: { text: "noted" } });
		}, context);
		const plan = await api.snapshot(Plan, api.conversationId, context);
		const agent = await api.agent(context);
		const task = await api.getTask(api.taskId, context);
		`+asText(`[kept, again, entry.byTaskId === api.taskId, plan, agent.tools.map((t: any) => t.name), agent.model.modelId, task.kind, await api.memo("none", context) === undefined]`)))})
	h.callThen("probe", map[string]any{}, "done")
	if settled := h.say("go"); settled.Status != record.Done {
		t.Fatalf("%+v", settled)
	}
	contains(t, h.transcript(), `result: [{"n":1},{"n":1},true,{"steps":["made"]},["probe"],"faux-1","pi.tool",true]`)
}

func TestEverythingOfACallFailsOnceItHasSettled(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(
		tool("keep", `(globalThis as any).kept = api; return "kept";`),
		tool("use", `
			const old = (globalThis as any).kept;
			const tries: any = { output: () => old.output("x"), details: () => old.details({}), diagnostic: () => old.diagnostic({ severity: "info", message: "x" }),
				retainedOutput: () => old.retainedOutput(), commit: () => old.commit(() => {}, context), memo: () => old.memo("x", context), agent: () => old.agent(context),
				snapshot: () => old.snapshot(Limits, context), createTask: () => old.createTask({ definition: { name: "x", version: 1, initial: () => ({ phase: "a" }), phases: { a() {} }, abort() {} } }, {}, { ownership: { kind: "conversation" } }, context),
				executeTool: () => old.executeTool("use", {}, context), conversation: () => old.conversation(1, context), waitForTask: () => old.waitForTask(1, context), getTask: () => old.getTask(1, context) };
			const names = [];
			for (const name of Object.keys(tries)) { try { await tries[name](); names.push(name); } catch (error: any) { if (!/has settled/.test(error.message)) names.push(name + ": " + error.message); } }
			return "failed otherwise: " + names.join(", ");`))})
	h.model.Append(faux.Answer(faux.Calls(faux.Call("keep", map[string]any{}))), faux.Answer(faux.Calls(faux.Call("use", map[string]any{}))), faux.Answer(faux.Says("done")))
	h.say("go")
	contains(t, h.transcript(), "result: failed otherwise: \n")
}

func TestAToolMakesASubagentThatItOwns(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(tool("delegate", `
		const child = await api.commit(async (tx: any) => {
			const made = await tx.createConversation({ ownership: { kind: "task", taskId: api.taskId } });
			await pi.configure(tx, made.id, { tools: [] });
			return made.id;
		}, context);
		const handle = await api.conversation(child, context);
		const submitted = await handle.submit({ type: "input", content: "the child's task", requestId: "child:" + api.taskId }, context);
		const settled = await submitted.wait(context);
		const again = await handle.submit({ type: "input", content: "the child's task", requestId: "child:" + api.taskId }, context);
		const entry = await session().entry(settled.answer, background);
		`+asText(`[settled.status, again.id === submitted.id, entry.model[0].content[0].text, await api.conversation(9999, context) === undefined]`)))})
	h.model.Append(faux.Answer(faux.Calls(faux.Call("delegate", map[string]any{}))), faux.Answer(faux.Says("the child's answer")), faux.Answer(faux.Says("done")))
	h.say("go")
	contains(t, h.transcript(), `result: ["done",true,"the child's answer",true]`)
}

func TestAToolCallsAnotherOne(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(
		tool("outer", `
			const first = await api.executeTool("inner", { n: 1 }, context, { key: "one" });
			const again = await api.executeTool("inner", { n: 1 }, context, { key: "one" });
			const failed = await api.executeTool("nothing", {}, context);
			const keys = [];
			for (const key of ["", 7, null]) keys.push(await api.executeTool("inner", { n: 1 }, context, { key }).then(() => "made", (error: any) => error.name));
			`+asText(`[first.structuredOutput, first.isError, again.taskId === first.taskId, failed.isError, keys.join()]`)),
		tool("inner", `return "inner " + args.n;`))})
	h.callThen("outer", map[string]any{}, "done")
	h.say("go")
	contains(t, h.transcript(), `result: ["inner 1",false,true,true,"TypeError,TypeError,TypeError"]`)
}

func TestTheProgressOfACallIsToldWhereverTheToolsAre(t *testing.T) {
	inner := tool("inner", `api.output("x"); api.output("y"); await api.details({ n: 1 }); api.diagnostic({ severity: "info", message: "m" }); return "told";`)
	outer := tool("outer", `
		let output = "", details: any, diagnostic: any;
		const result = await api.executeTool("inner", {}, context, { progress: (news: any) => {
			output += news.output ?? "";
			details = news.details ?? details;
			diagnostic = news.diagnostic ?? diagnostic;
		} });
		`+asText(`[output, details, diagnostic?.message, result.isError]`))
	for name, extensions := range map[string]files{
		"in one extension": {server("a"): extensionOf("a", "", outer, inner)},
		"in two":           {server("a"): extensionOf("a", "", outer), server("b"): extensionOf("b", "", inner)},
	} {
		t.Run(name, func(t *testing.T) {
			h := talk(t, extensions)
			h.callThen("outer", map[string]any{}, "done")
			h.say("go")
			contains(t, h.transcript(), `result: ["xy",{"n":1},"m",false]`)
		})
	}
}

func TestAnAgentSaysWhoMayCallItsTools(t *testing.T) {
	called := func(name, callers string) string {
		return strings.Replace(tool(name, `return "";`), "{", "{ callers: "+callers+",", 1)
	}
	h := talk(t, files{server("probe"): engineModule(called("direct", `["model"]`), called("nested", `["tool"]`), tool("probe", `
		const agent = await api.agent(context);
		const names = (tools: any[]) => tools.map((t) => t.name).join();
		`+asText(`[names(agent.tools), names(agent.modelTools), names(agent.callableTools)]`)))})
	h.callThen("probe", map[string]any{}, "done")
	h.say("go")
	contains(t, h.transcript(), `result: ["direct,nested,probe","direct,probe","nested,probe"]`)
}

func TestSectionsOfExtensionsAreTheFirstOfThePrompt(t *testing.T) {
	h := talk(t, files{
		server("a"): `import { section, defineExtension } from "@earendil-works/pi-durable";
export default defineExtension({ name: "a",
	tools: [{ name: "look", description: "Looks.", parameters: { type: "object" }, promptSnippet: "Use it to look.", async execute() { return "x"; } } as any],
	sections: [section("tools", ({ agent }) => agent.tools.map((t: any) => t.name + ": " + t.promptSnippet).join()), section("plain", () => "as it is", { tag: false }), section("none", () => undefined)] });`,
		server("b"): `import { wrapSection, defineExtension } from "@earendil-works/pi-durable";
export default defineExtension({ name: "b", wraps: [wrapSection("tools", (inner) => ({ ...inner, render: async (input, context) => "[" + (await inner.render(input, context)) + "]" }))] });`,
	})
	h.model.Append(faux.Answer(faux.Says("done")))
	h.say("go")
	contains(t, h.transcript(), "system: <tools>\n[look: Use it to look.]\n</tools>|as it is")
}

func TestAWrapRunsAroundAToolOfAnotherExtension(t *testing.T) {
	h := talk(t, files{
		server("a"): extensionOf("a", "", tool("speak", `
			api.output("one "); api.output("two");
			await api.details({ by: "a" });
			const kept = await api.memo("k", args, context);
			return { details: { kept, call: api.callId !== undefined, task: api.taskId } };`)),
		server("b"): `import { wrapTool, defineExtension } from "@earendil-works/pi-durable";
export default defineExtension({ name: "b", wraps: [wrapTool("speak", (inner) => ({ ...inner, execute: async (args, api, context) => {
	const result: any = await inner.execute({ ...args, wrapped: true }, { ...api, output: (chunk: string) => api.output(chunk.toUpperCase()), memo: async (name: string, value: unknown) => ({ memo: name, value }) } as any, context);
	return { ...result, details: { ...result.details, own: result.details.task === api.taskId, name: inner.name }, isError: false };
} }))] });`,
	})
	h.callThen("speak", map[string]any{"n": 1}, "done")
	h.say("go")
	contains(t, h.transcript(), "result: ONE TWO")
	view, err := h.Session().Context(h.Context(), record.Root, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range view.Messages {
		if result, is := shown.(*message.ToolResult); is {
			var details map[string]any
			if err := json.Unmarshal(result.Details, &details); err != nil {
				t.Fatal(err)
			}
			delete(details, "task")
			same(t, asJSON(details["kept"]), asJSON(map[string]any{"memo": "k", "value": map[string]any{"n": 1, "wrapped": true}}))
			if details["own"] != true || details["name"] != "speak" || details["call"] != true {
				t.Errorf("details %v", details)
			}
		}
	}
}

func TestHooksTakePartInEveryStepOfARun(t *testing.T) {
	h := talk(t, files{
		server("a"): extensionOf("a", "", tool("speak", `return "said " + args.word;`)),
		server("b"): `import { defineExtension, hook, GenerationTask, ToolTask } from "@earendil-works/pi-durable";
export default (host: any) => { const seen: string[] = []; return defineExtension({ name: "b",
	hooks: [
		hook(GenerationTask, {
			beforeRequest: (request: any) => ({ messages: [...request.messages, { role: "user", content: "(unseen)", timestamp: 1 }] }),
			afterResponse: (message: any) => { seen.push("response " + message.stopReason); },
			onYield: async (answer: any, api: any, context: any) => (await api.memo("again", true, context), seen.filter((s) => s === "response stop").length === 1 ? { continue: "more" } : undefined),
			afterTools: (assistant: any, results: any[]) => { seen.push("tools " + results.length); },
		}),
		hook(ToolTask, {
			beforeTool: (call: any) => ({ arguments: { word: call.arguments.word + "!" } }),
			afterTool: (call: any, result: any) => ({ ...result, output: result.content[0].text + " after" }),
		}),
	],
	tools: [{ name: "seen", description: "d", parameters: { type: "object" }, async execute() { return seen.join(); } }] }); };`,
	})
	h.model.Append(faux.Answer(faux.Calls(faux.Call("speak", map[string]any{"word": "hi"}))), faux.Answer(faux.Says("first")), faux.Answer(faux.Says("second")))
	h.say("go")
	contains(t, h.transcript(), "user: go\nassistant: \nresult: said hi! after\nassistant: first\nuser: more\nassistant: second")
	same(t, h.call("seen"), "response toolUse,tools 1,response stop,response stop after")
}

func TestAnExtensionAsksModelsItself(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(tool("ask", `
		const models = host.models();
		const model = models.getModel("faux", "faux-1");
		const stream = models.stream(model, { systemPrompt: "Be brief.", messages: [{ role: "user", content: "hello", timestamp: 1 }], tools: [] }, { maxTokens: 10 });
		const types: string[] = [];
		let text = "";
		for await (const event of stream) { types.push(event.type); if (event.type === "text_delta") text += event.delta; if (event.partial && event.type === "text_delta" && event.partial.content[0].text !== text) types.push("behind"); }
		const final = await stream.result();
		const second = await models.complete(model, { messages: [{ role: "user", content: "again", timestamp: 1 }] });
		const unknown = await tried(() => models.stream({ provider: "faux", id: "none" }, { messages: [] }));
		`+asText(`[types[0], types.at(-1), types.includes("behind"), text, final.content[0].text, second.content[0].text, second.stopReason, unknown.split(":")[0],
			models.getProviders().map((p: any) => p.id), models.getModel("x", "y") === undefined, await models.checkAuth("faux")]`)))})
	h.model.Append(faux.Answer(faux.Says("the first answer, in pieces")), faux.Answer(faux.Says("the second")))
	same(t, h.call("ask"), `["start","done",false,"the first answer, in pieces","the first answer, in pieces","the second","stop","ModelsError",["faux"],true,{"ok":true}]`)
}

func TestAnExtensionInstallsOneAtRunTime(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(
		tool("begin", `
			const registry = session().registry;
			const wrong = await tried(() => registry.install({ name: "later", tools: [{ name: "probe", description: "d", parameters: {} }] }));
			registry.install({ name: "later", tools: [{ name: "added", description: "Added.", parameters: { type: "object" }, execute: async () => "from what was installed" }], sections: [pi.section("later", () => "installed")] });
			return wrong + JSON.stringify(registry.snapshot().installed().map((e: any) => e.name));`),
		tool("end", `session().registry.uninstall("later"); return JSON.stringify([api.registry.extension("later") !== undefined, session().registry.snapshot().extension("later") === undefined]);`))})
	h.model.Append(
		faux.Answer(faux.Calls(faux.Call("begin", map[string]any{}))), faux.Answer(faux.Calls(faux.Call("added", map[string]any{}))),
		faux.Answer(faux.Calls(faux.Call("end", map[string]any{}))), faux.Answer(faux.Says("done")))
	h.say("go")
	contains(t, h.transcript(), `tools[0].execute must be a function`, `["probe","later"]`, "<later>\ninstalled\n</later>", "result: from what was installed", "result: [true,true]")
}

func TestAnInstalledExtensionIsGoneWithItsIsolate(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(
		tool("begin", `
			session().registry.install({ name: "later", tools: [{ name: "added", description: "Added.", parameters: { type: "object" }, execute: async () => "added" }],
				hooks: [pi.hook(pi.ToolTask, { beforeTool: () => {} })] });
			return "";`),
		tool("spin", `for (;;) {}`), tool("plain", `return "plain";`))}, callsBriefly)
	h.call("begin")
	same(t, h.call("added"), "added")
	h.fails("spin")
	h.until("the extension gone", func(Status) bool { return len(h.registry.Current().Installed()) == 0 })
	same(t, h.call("plain"), "plain")
	contains(t, h.fails("added"), `"added" is not available`)
}

func TestAnExtensionFollowsTheEventsOfAConversation(t *testing.T) {
	h := talk(t, files{server("probe"): engineModule(tool("follow", `
		const root = await session().root(background, { agent: { model: { provider: "faux", modelId: "faux-1" } } });
		const stream = await pi.watchEvents(session(), root.id, background);
		const types: string[] = [];
		let over: any;
		const ended = new Promise((resume) => { over = resume; });
		stream.start((events: any[]) => { for (const event of events) { types.push(event.type); if (event.type === "run_end") over(); } });
		await (await root.submit({ type: "input", content: "hello" }, background)).wait(background);
		await ended;
		const end = await stream.stop();
		const agent = await root.agent(background);
		const compaction = await session().getTask(await root.compact("briefly", background), background);
		`+asText(`[compaction.kind, stream.snapshot.type, types[0], types.includes("message_end"), types.includes("submission"), end.reason, agent.model.modelId]`)))})
	h.model.Append(faux.Answer(faux.Says("hello to you")))
	same(t, h.call("follow"), `["pi.compaction","snapshot","message_start",true,true,"stopped","faux-1"]`)
}

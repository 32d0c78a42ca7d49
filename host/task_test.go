package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// worker is an extension with a task and tools that make one and wait for it.
func worker(task string, more string) string {
	return `
import { BACKGROUND_CONTEXT as background } from "@earendil-works/chord/context";
import * as pi from "@earendil-works/pi-durable";
const Log = pi.defineDoc({ kind: "work.log", version: 1, scope: "session", initial: (): any => ({ lines: [] as string[] }) });
const end = (result: any): any => ({ status: "terminal", outcome: { status: "completed", result } });
const go = (phase: string, more: object = {}): any => ({ status: "running", checkpoint: { phase, ...more } });
const Work = pi.defineTask<any, any>({ name: "work", version: 1, initial: (input: any) => ({ phase: "begin", input }), abort: async (task: any, runtime: any, context: any) =>
	runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted", reason: "asked" } }), context), ` + task + ` } as any);
` + fmt.Sprintf(`export default (host: any) => {
	const session = () => host.harness();
	return { name: "work", tasks: [Work], %s tools: [
		{ name: "start", description: "d", parameters: { type: "object" }, async execute(args: any) {
			const root = await session().root(background);
			return String(await root.commit((tx: any) => tx.createTask(Work, args, { ownership: { kind: "conversation" } }), background));
		} },
		{ name: "ended", description: "d", parameters: { type: "object" }, async execute(args: any) {
			return JSON.stringify((await session().waitForTask(args.id, background)).state.outcome);
		} },
		{ name: "log", description: "d", parameters: { type: "object" }, async execute() { return JSON.stringify((await session().snapshot(Log, background))?.lines ?? []); } },
	] };
};
`, more)
}

// start makes a task and returns its id.
func (h *testHost) start(arguments any) json.Number {
	h.Helper()
	return json.Number(h.call("start", arguments))
}

func (h *testHost) ended(id json.Number) string {
	h.Helper()
	return h.call("ended", map[string]any{"id": id})
}

func TestATaskOfAnExtensionRunsItsPhases(t *testing.T) {
	w := newWorld(t, files{server("work"): worker(`phases: {
		begin: async (task: any, runtime: any, context: any) => {
			const kept = await runtime.memo("kept", task.input.n ?? 0, context);
			await runtime.sleep(runtime.now() + 1, context);
			await runtime.commit(async (tx: any, current: any) => {
				(await tx.doc(Log)).lines.push("begin " + current.state.checkpoint.phase);
				const entry = await tx.appendEntry(current.conversationId, { kind: "work.note" });
				if (task.input.child) return end("child");
				const child = await tx.createTask(Work, { child: true }, { ownership: { kind: "task", taskId: current.id } });
				return { status: "waiting", checkpoint: { phase: "joined", kept, entry: entry.id, child }, on: [child], policy: "allSettled" };
			}, context);
		},
		joined: async (task: any, runtime: any, context: any) => {
			const { kept, entry, child } = task.state.checkpoint;
			const [outcome] = await runtime.outcomes([child], context);
			const own = await runtime.entry(entry, context);
			const log = await runtime.snapshot(Log, context);
			const env = await runtime.env(context);
			await env.writeFile("/tmp/note", "of a task", context);
			const agent = await runtime.agent(context);
			await runtime.commit(() => end({ kept, outcome, own: own.byTaskId === runtime.taskId, log: log.lines.length, tools: agent.tools.length }), context);
		},
	}`, "")})
	h := w.open(inMemory)
	same(t, h.ended(h.start(map[string]any{"n": 5})), `{"status":"completed","result":{"kept":5,"outcome":{"status":"completed","result":"child"},"own":true,"log":2,"tools":3}}`)
	same(t, w.read("tmp/note"), "of a task")
}

func TestATaskKeepsWhatItDidWhenItsCodeIsReplaced(t *testing.T) {
	module := func(version string) string {
		return worker(`phases: {
			begin: async (task: any, runtime: any, context: any) => runtime.commit(async (tx: any) => {
				(await tx.doc(Log)).lines.push("begin `+version+`");
				return go("second");
			}, context),
			second: async (task: any, runtime: any, context: any) => {
				while (!(await runtime.snapshot(Log, context)).go) await new Promise((resume) => setTimeout(resume, 2));
				await runtime.commit(() => go("third"), context);
			},
			third: async (task: any, runtime: any, context: any) => runtime.commit(async (tx: any) => {
				(await tx.doc(Log)).lines.push("third `+version+`");
				return end("`+version+`");
			}, context),
		}`, "")
	}
	w := newWorld(t, files{server("work"): module("old"), server("probe"): engineModule(tool("let", `
		const Log = pi.defineDoc({ kind: "work.log", version: 1, scope: "session", initial: (): any => ({ lines: [] }) });
		await commit(async (tx: any) => { (await tx.doc(Log)).go = true; }); return "";`))})
	h := w.open(inMemory)
	id := h.start(map[string]any{})
	h.until("the first phase", func(Status) bool { return h.call("log") == `["begin old"]` })
	h.live(w.commit(files{server("work"): module("new")}))
	h.call("let")
	same(t, h.ended(id), `{"status":"completed","result":"new"}`)
	same(t, h.call("log"), `["begin old","third new"]`)
}

func TestATaskWithoutItsDefinitionIsBlockedUntilItComesBack(t *testing.T) {
	module := worker(`phases: { begin: async (task: any, runtime: any, context: any) => {
		await new Promise((resume, reject) => context.abortSignal.addEventListener("abort", reject));
	} }`, "")
	ending := worker(`phases: { begin: (task: any, runtime: any, context: any) => runtime.commit(() => end("later"), context) }`, "")
	w := newWorld(t, files{server("work"): module})
	h, err := w.tryOpen()
	if err != nil {
		t.Fatal(err)
	}
	id := h.start(map[string]any{})
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.commit(files{server("work"): answering("work", "nothing")})
	h = w.open()
	inspected, err := h.Session().Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(inspected.Tasks) != 1 || inspected.Tasks[0].State != durable.TaskBlocked || inspected.Tasks[0].Blocked.Reason != durable.MissingTask {
		t.Fatalf("%+v", inspected.Tasks)
	}
	h.live(w.commit(files{server("work"): ending}))
	same(t, h.ended(id), `{"status":"completed","result":"later"}`)
}

func TestAPhaseThatIsLostWithItsIsolateRunsAgainFromItsCheckpoint(t *testing.T) {
	module := worker(`phases: {
		begin: async (task: any, runtime: any, context: any) => {
			const runs = await runtime.memo("runs", context);
			if (runs !== undefined) return runtime.commit(() => end("again"), context);
			await runtime.memo("runs", 1, context);
			await new Promise(() => {});
		},
	}`, `commands: [],`)
	module = strings.Replace(module, "tools: [", `tools: [{ name: "spin", description: "d", parameters: { type: "object" }, async execute() { for (;;) {} } },`, 1)
	h := newWorld(t, files{server("work"): module}).open(inMemory, callsBriefly)
	id := h.start(map[string]any{})
	h.until("the memo", func(Status) bool {
		task, _, err := h.Session().Task(t.Context(), taskID(id))
		return err == nil && task.Memos["runs"] != nil
	})
	contains(t, h.fails("spin"), "spin")
	same(t, h.ended(id), `{"status":"completed","result":"again"}`)
}

func TestATaskAsksTheHooksThatOtherExtensionsAttached(t *testing.T) {
	h := newWorld(t, files{
		server("work"): worker(`phases: { begin: async (task: any, runtime: any, context: any) => {
			const answers: unknown[] = [];
			await runtime.hooks.each("opinion", async (opinion: any) => { answers.push(await opinion({ n: task.input.n }, runtime, context)); });
			await runtime.commit(() => end(answers), context);
		} }`, ""),
		server("other"): `import * as pi from "@earendil-works/pi-durable";
const Work: any = pi.defineTask({ name: "work", version: 1, initial: () => ({ phase: "begin" }), phases: {}, abort: () => {} } as any);
export default { name: "other", hooks: [pi.hook(Work, { opinion: async (subject: any, api: any, context: any) =>
	[subject.n + 1, api.taskId > 0, await api.memo("told", "kept", context), context.abortSignal.aborted] })] };`,
		server("third"): `export default { name: "third", hooks: [{ task: "work", handlers: { opinion: () => { throw new Error("no opinion"); } } }] };`,
	}).open(inMemory)
	same(t, h.ended(h.start(map[string]any{"n": 1})), `{"status":"completed","result":[[2,true,"kept",false]]}`)
	h.until("the failure shown", func(s Status) bool { return s.Notice != nil && strings.Contains(s.Notice.Message, "no opinion") })
}

func TestAPhaseAbortsAConversationWithOrWithoutBackgroundWork(t *testing.T) {
	w := newWorld(t, files{server("work"): worker(`phases: {
		begin: async (task: any, runtime: any, context: any) => {
			if (task.input.holds) return runtime.sleep(runtime.now() + 1e9, context);
			const at: any = {};
			await runtime.commit(async (tx: any) => {
				at.id = (await tx.createConversation({ ownership: { kind: "ownerless" } })).id;
				at.held = await tx.createTask(Work, { holds: true }, { ownership: { kind: "conversation" }, conversationId: at.id, background: true });
			}, context);
			const handle = await runtime.conversation(at.id, context);
			const over = async () => (await runtime.getTask(at.held, context)).state.status === "terminal";
			await handle.abort(context);
			const first = await over();
			await handle.abort(context, { background: true });
			const result = [first, await over(), (await runtime.conversation(9999, context)) === undefined];
			await runtime.commit(() => end(result), context);
		},
	}`, "")})
	h := w.open(inMemory)
	contains(t, h.ended(h.start(map[string]any{})), `"result":[false,true,true]`)
}

func TestAnAbortedTaskDecidesHowItEnds(t *testing.T) {
	h := newWorld(t, files{server("work"): worker(`phases: { begin: async (task: any, runtime: any, context: any) => {
		await new Promise((resume, reject) => runtime.signal.addEventListener("abort", () => reject(new Error("signalled"))));
	} }`, "")}).open(inMemory)
	id := h.start(map[string]any{})
	h.until("the phase", func(Status) bool {
		task, _, err := h.Session().Task(t.Context(), taskID(id))
		return err == nil && task.State.Status == record.Running
	})
	if _, err := h.Session().AbortTask(t.Context(), taskID(id)); err != nil {
		t.Fatal(err)
	}
	same(t, h.ended(id), `{"status":"aborted","reason":"asked"}`)
}

func TestATaskOfAnOlderVersionIsMigrated(t *testing.T) {
	old := worker(`phases: { begin: () => new Promise(() => {}) }`, "")
	newer := strings.Replace(worker(`phases: { begin: (task: any, runtime: any, context: any) => runtime.commit(() => end([task.input, task.state.checkpoint, task.version]), context) }`, ""),
		`name: "work", version: 1,`, `name: "work", version: 2, migrate: (input: any, checkpoint: any, from: number) => ({ input: { ...input, from }, checkpoint: { ...checkpoint, moved: true } }),`, 1)
	w := newWorld(t, files{server("work"): old})
	h, err := w.tryOpen()
	if err != nil {
		t.Fatal(err)
	}
	id := h.start(map[string]any{"n": 1})
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.commit(files{server("work"): newer})
	same(t, w.open().ended(id), `{"status":"completed","result":[{"n":1,"from":1},{"phase":"begin","input":{"n":1},"moved":true},2]}`)
}

func taskID(id json.Number) record.TaskID {
	number, _ := id.Int64()
	return record.TaskID(number)
}

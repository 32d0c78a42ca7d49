package host

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

// waits is code that tells the test that it is there, by a file, and goes on when
// the test made another.
func waits(place string) string {
	return fmt.Sprintf(`await host.fs.write("/tmp/at-%[1]s", "x"); while ((await host.fs.stat("/tmp/go-%[1]s").catch(() => undefined)) === undefined) await new Promise((resume) => setTimeout(resume, 2));`, place)
}

// reached waits until code is at a place.
func (h *talking) reached(place string) {
	h.Helper()
	h.until("code at "+place, func(Status) bool {
		_, err := os.Stat(h.world.path("tmp/at-" + place))
		return err == nil
	})
}

// release lets code go on that waits at a place.
func (h *talking) release(place string) {
	h.Helper()
	if err := os.WriteFile(h.world.path("tmp/go-"+place), []byte("x"), 0o644); err != nil {
		h.Fatal(err)
	}
}

// begin hands an input in and returns what receives the settled submission.
func (h *talking) begin(text string) <-chan record.Submission {
	h.Helper()
	ended := make(chan record.Submission, 1)
	submitted := h.submit(text)
	go func() {
		settled, err := submitted.Wait(context.WithoutCancel(h.Context()))
		if err != nil {
			h.Errorf("wait: %v", err)
		}
		ended <- settled
	}()
	return ended
}

// done waits until a run is done.
func (h *talking) done(ended <-chan record.Submission) {
	h.Helper()
	if settled := await(h, "the end of the run", ended); settled.Status != record.Done {
		h.Fatalf("settled as %+v\n%s\nlog:\n%s", settled, h.transcript(), h.log)
	}
}

// calls is a step in which the model calls tools that take nothing.
func calls(tools ...string) faux.Step {
	list := make([]*message.ToolCall, len(tools))
	for i, tool := range tools {
		list[i] = faux.Call(tool, map[string]any{})
	}
	return faux.Answer(faux.Calls(list...))
}

func says(text string) faux.Step { return faux.Answer(faux.Says(text)) }

// results are the results in the root conversation.
func (h *talking) results() []*message.ToolResult {
	h.Helper()
	view, err := h.Session().Context(h.Context(), record.Root, 0)
	if err != nil {
		h.Fatal(err)
	}
	var results []*message.ToolResult
	for _, shown := range view.Messages {
		if result, is := shown.(*message.ToolResult); is {
			results = append(results, result)
		}
	}
	return results
}

func TestACallKeepsItsCodeAndTheNextOfItsRunHasTheNew(t *testing.T) {
	version := func(word string) files {
		return files{
			server("speak"): extensionOf("speak", "", tool("speak", `
				if (`+fmt.Sprintf("%q", word)+` === "old") { `+waits("call")+` }
				const { word } = await import("./word.ts");
				return word + " " + `+fmt.Sprintf("%q", word)+`;`)),
			"extensions/speak/word.ts": fmt.Sprintf("export const word = %q;", word),
		}
	}
	h := talk(t, version("old"))
	h.model.Append(calls("speak"), calls("speak"), says("done"))
	ended := h.begin("go")
	h.reached("call")
	h.live(h.world.commit(version("new")))
	h.release("call")
	h.done(ended)
	contains(t, h.transcript(), "result: old old\nassistant: \nresult: new new\nassistant: done")
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
}

func TestAChainOfHooksGoesOnInTheCodeItBeganIn(t *testing.T) {
	hooks := func(name, word, before string) string {
		return fmt.Sprintf(`import { defineExtension, hook, ToolTask } from "@earendil-works/pi-durable";
export default (host: any) => defineExtension({ name: %q, hooks: [hook(ToolTask, {
	beforeTool: async (call: any) => { %s return { arguments: { said: (call.arguments.said ?? "") + %q } }; },
	afterTool: (call: any, result: any) => ({ ...result, output: result.content[0].text + %q }),
})] });`, name, before, name+"-"+word+" ", " "+name+"-"+word)
	}
	h := talk(t, files{
		server("a"):    hooks("a", "old", waits("hook")),
		server("b"):    hooks("b", "old", ""),
		server("tell"): extensionOf("tell", "", tool("tell", `return args.said + "tell-old";`)),
	})
	h.model.Append(calls("tell"), calls("tell"), says("done"))
	ended := h.begin("go")
	h.reached("hook")
	h.live(h.world.commit(files{
		server("a"):    hooks("a", "new", ""),
		server("b"):    hooks("b", "new", ""),
		server("tell"): extensionOf("tell", "", tool("tell", `return args.said + "tell-new";`)),
	}))
	h.release("hook")
	h.done(ended)
	contains(t, h.transcript(), "result: a-old b-old tell-old a-old b-old\n", "result: a-new b-new tell-new a-new b-new\n")
}

// gate is a task that ends when a document says so.
const gate = `const Gate = pi.defineTask<any, any>({ name: "gate", version: 1, initial: () => ({ phase: "begin" }), abort: () => {}, phases: {
	begin: async (task: any, runtime: any, context: any) => {
		while (!(await runtime.snapshot(Log, context))?.go) await new Promise((resume) => setTimeout(resume, 2));
		await runtime.commit(() => ({ status: "terminal", outcome: { status: "completed", result: "open" } }), context);
	},
} } as any);
`

const workLog = `const Log = pi.defineDoc({ kind: "work.log", version: 1, scope: "session", initial: (): any => ({ lines: [] }) });
`

func TestATaskWhoseExtensionIsRemovedIsBlockedUntilItComesBack(t *testing.T) {
	module := strings.Replace(worker(`phases: {
		begin: (task: any, runtime: any, context: any) => runtime.commit(async (tx: any) => {
			const child = await tx.createTask(Gate, {}, { ownership: { kind: "task", taskId: runtime.taskId } });
			return { status: "waiting", checkpoint: { phase: "second", child }, on: [child], policy: "allSettled" };
		}, context),
		second: async (task: any, runtime: any, context: any) => {
			const [outcome] = await runtime.outcomes([task.state.checkpoint.child], context);
			await runtime.commit(() => end("came back, " + outcome.result), context);
		},
	}`, ""), "const end =", gate+"const end =", 1)
	probe := strings.Replace(engineModule(
		tool("let", `await commit(async (tx: any) => { (await tx.doc(Log)).go = true; }); return "";`),
		tool("join", `const ended = await session().waitForTask(args.id, background); return JSON.stringify(ended.state.outcome);`),
	), "export default", workLog+gate+"export default", 1)
	h := talk(t, files{server("work"): module, server("probe"): strings.Replace(probe, `name: "probe",`, `name: "probe", tasks: [Gate],`, 1)})
	h.root() // before the extension makes it, without a model
	id := h.start(map[string]any{})
	h.model.Append(faux.Answer(faux.Calls(faux.Call("join", map[string]any{"id": id}))), says("done"))
	ended := h.begin("wait for it")
	h.taskState(id, durable.TaskWaiting)
	h.live(h.world.commit(files{"extensions/work": ""}))
	h.call("let")
	if found := h.taskState(id, durable.TaskBlocked); found.Blocked.Reason != durable.MissingTask {
		t.Errorf("blocked as %+v", found.Blocked)
	}
	h.live(h.world.commit(files{server("work"): module}))
	h.done(ended)
	contains(t, h.transcript(), `result: {"status":"completed","result":"came back, open"}`)
}

// taskState waits until Inspect shows a state of a task.
func (h *talking) taskState(id json.Number, state durable.InspectedState) (found durable.TaskInspection) {
	h.Helper()
	h.until("task "+id.String()+" "+string(state), func(Status) bool {
		inspection, err := h.Session().Inspect(h.Context())
		if err != nil {
			h.Fatal(err)
		}
		at := slices.IndexFunc(inspection.Tasks, func(one durable.TaskInspection) bool { return one.Task.ID == taskID(id) })
		if at >= 0 {
			found = inspection.Tasks[at]
		}
		return at >= 0 && found.State == state
	})
	return found
}

// lossy is an extension with a tool that spins, one that waits and one that waits and
// may run again, and counts its runs in the world.
const lossy = `export default (host: any) => {
	const waiting = (name: string, more: object) => ({ name, description: "d", parameters: { type: "object" }, ...more, async execute(args: any, api: any) {
		await host.fs.append("/tmp/runs-" + name, "x");
		api.output("some of " + name);
		if ((await host.fs.read("/tmp/runs-" + name)).length > 1) return "run again";
		await host.fs.write("/tmp/at-" + name, "x");
		return new Promise(() => {});
	} });
	return { name: "lossy", tools: [waiting("unsafe", {}), waiting("safe", { replay: "safe" }),
		{ name: "spin", description: "d", parameters: { type: "object" }, async execute() { for (;;) {} } }] };
};`

func TestACallThatIsLostWithItsIsolateIsInterruptedOrRunsAgain(t *testing.T) {
	h := talk(t, files{server("lossy"): lossy}, callsBriefly)
	h.model.Append(calls("unsafe", "safe"), says("done"))
	ended := h.begin("go")
	h.reached("unsafe")
	h.reached("safe")
	contains(t, h.fails("spin"), "spin", "extensions/lossy/server.ts:")
	h.done(ended)
	results := h.results()
	if len(results) != 2 || !results[0].IsError || results[1].IsError {
		t.Fatalf("results %s", asJSON(results))
	}
	contains(t, results[0].Content.Text(), "some of unsafe", "interrupted")
	contains(t, results[1].Content.Text(), "run again")
	for tool, want := range map[string]string{"unsafe": "x", "safe": "xx"} {
		same(t, h.world.read(filepath.Join("tmp/runs-"+tool)), want)
	}
}

func TestACallThatSpinsIsAnErrorAndTheConversationGoesOn(t *testing.T) {
	h := talk(t, files{server("lossy"): lossy, server("other"): answering("other", "untouched")}, callsBriefly)
	h.model.Append(calls("spin"), calls("other"), says("done"))
	h.done(h.begin("go"))
	results := h.results()
	if len(results) != 2 || !results[0].IsError || results[1].IsError {
		t.Fatalf("results %s", asJSON(results))
	}
	contains(t, results[0].Content.Text(), "lossy", "extensions/lossy/server.ts:10:", "spin")
}

func TestAChangeThatAnExtensionMakesEndsAcrossAReload(t *testing.T) {
	module := func(word string) string {
		return engineModule(tool("change", fmt.Sprintf(`
			const made = await api.commit(async (tx: any) => {
				const limits = await tx.doc(Limits);
				if (%[1]q === "old") { %[2]s }
				limits.by = %[1]q;
				return limits.by;
			}, context);
			return made + " " + (await session().snapshot(Limits, background)).by;`, word, waits("change"))))
	}
	h := talk(t, files{server("probe"): module("old")})
	h.model.Append(calls("change"), calls("change"), says("done"))
	ended := h.begin("go")
	h.reached("change")
	commit := h.world.commit(files{server("probe"): module("new")})
	h.until("the commit seen", func(s Status) bool { return s.Loading != nil && *s.Loading == commit })
	h.release("change")
	h.live(commit)
	h.done(ended)
	contains(t, h.transcript(), "result: old old\n")
	h.model.Append(calls("change"), says("done"))
	h.done(h.begin("again"))
	contains(t, h.transcript(), "result: new new\n")
}

func TestAReloadDuringAResponseGivesItsCallsTheNewCode(t *testing.T) {
	h := talk(t, files{server("speak"): answering("speak", "old")})
	asked, answer := make(chan struct{}), make(chan struct{})
	h.model.Append(func(ctx context.Context, _ model.Request, _ faux.State) (*message.Assistant, error) {
		close(asked)
		select {
		case <-answer:
		case <-ctx.Done():
		}
		return faux.Calls(faux.Call("speak", map[string]any{})), nil
	}, says("done"))
	ended := h.begin("go")
	await(t, "the request", asked)
	h.live(h.world.commit(files{server("speak"): answering("speak", "new")}))
	close(answer)
	h.done(ended)
	contains(t, h.transcript(), "result: new\n")
}

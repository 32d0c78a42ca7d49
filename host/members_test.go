package host

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// caught is the body of a tool that tells name and message of what a statement
// throws or rejects with.
func caught(statement string) string {
	return fmt.Sprintf(`try { const value = await (async () => { %s })(); return "no error: " + JSON.stringify(value); } catch (error: any) { return error.name + ": " + error.message; }`, statement)
}

// probe opens a world with one extension, of a factory and a tool.
func probe(t *testing.T, factory, body string) *testHost {
	t.Helper()
	return newWorld(t, files{server("probe"): extensionOf("probe", factory, tool("probe", body))}).open(inMemory)
}

func TestTheHostNamesItsExtensionAndGeneration(t *testing.T) {
	h := probe(t, "", `return host.name + " " + host.generation;`)
	same(t, h.call("probe"), "probe "+*h.Status().Good)
}

func TestMembersThatAreNotThereYetSayWhatBringsThem(t *testing.T) {
	members := map[string]string{
		"routines":   `return host.routines.list()`,
		"capability": `return host.capability("kind")`,
	}
	var tools []string
	for member, statement := range members {
		tools = append(tools, tool(strings.Trim(member, "()"), caught(statement)))
	}
	h := newWorld(t, files{server("probe"): extensionOf("probe", "", tools...)}).open(inMemory)
	for member := range members {
		contains(t, h.call(strings.Trim(member, "()")), "NotAvailable: "+member, "arrives with")
	}
}

func TestStagingMembersRejectAfterTheFactoryReturned(t *testing.T) {
	for member, statement := range map[string]string{
		"implement": `host.implement("late", { get: () => 1 })`,
		"onOpen":    `host.onOpen(() => {})`,
		"onClose":   `host.onClose(() => {})`,
		"react":     `host.react("late", {}, () => {})`,
	} {
		t.Run(member, func(t *testing.T) {
			h := probe(t, "", caught(statement))
			contains(t, h.call("probe"), "StagingClosed: "+member)
		})
	}
}

func TestWhatRunsOnAfterTheFactoryReturnedStagesNothing(t *testing.T) {
	for name, started := range map[string]string{
		"timer":        `setTimeout(attempt, 0);`,
		"promise jobs": `(async () => { for (let n = 0; n < 50; n++) await null; attempt(); })();`,
		"file":         `host.fs.stat("/").then(attempt);`,
		"thenable":     `return { then(give: any) { give({ name: "probe", tools }); setTimeout(attempt, 0); } };`,
		"getter":       `return { name: "probe", get tools() { attempt(); return tools; } };`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, files{server("probe"): `export default (host: any) => {
				let outcome = "";
				const staging = [() => host.onOpen(() => {}), () => host.onClose(() => {}), () => host.implement("s", {})];
				const attempt = () => {
					outcome = staging.map((stage) => { try { stage(); return "staged"; } catch (error: any) { return error.name; } }).join();
				};
				const tools = [` + tool("probe", `while (!outcome) await new Promise((resume) => setTimeout(resume, 1)); return outcome;`) + `];
				` + started + `
				return { name: "probe", tools };
			};`})
			same(t, w.open(inMemory).call("probe"), "StagingClosed,StagingClosed,StagingClosed")
		})
	}
}

func TestEveryMemberRejectsAfterTheGenerationClosed(t *testing.T) {
	// A resource keeps the host of the first generation.
	w := newWorld(t, files{server("probe"): extensionOf("probe", `
		const old = host.resource("old", (): any => ({ host, need: host.need("self"), get: host.need("self").get, fs: host.fs, read: host.fs.read }));
		host.implement("self", { get: () => 1 });
		host.onOpen(() => { old.harness ??= host.harness(); });
	`, tool("probe", `
		const statements: Record<string, () => unknown> = {
			"fs.read": () => old.host.fs.read("/tmp"), "kept fs": () => old.fs.stat("/tmp"), "kept fs.read": () => old.read("/tmp"),
			"fs.watch": () => old.host.fs.watch("/tmp", () => {}),
			exec: () => old.host.exec("true"), git: () => old.host.git("/", "version"), settings: () => old.host.settings(),
			implement: () => old.host.implement("x", {}), need: () => old.host.need("x"), want: () => old.host.want("x"),
			"need's method": () => old.need.get(), "a kept method": () => old.get(),
			onOpen: () => old.host.onOpen(() => {}), onClose: () => old.host.onClose(() => {}),
			harness: () => old.host.harness(), "kept harness": () => old.harness.inspect(), emit: () => old.host.emit("x", {}),
			eventLog: () => old.host.eventLog.read(), "storage": () => old.host.storage.scanSubmissions({}, 1),
			react: () => old.host.react("r", {}, () => {}),
			resource: () => old.host.resource("r", () => 1), notice: () => old.host.notice("x"),
		};
		const lines: string[] = [];
		for (const [name, statement] of Object.entries(statements)) {
			try { await statement(); lines.push(name + ": no error"); } catch (error: any) { lines.push(name + ": " + error.name); }
		}
		return lines.join("\n");`))})
	h := w.open(inMemory)
	h.live(w.commit(files{"README": "x"}))
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	for line := range strings.Lines(h.call("probe")) {
		if !strings.HasSuffix(strings.TrimSpace(line), ": GenerationClosed") {
			t.Error(line)
		}
	}
}

func TestServicesTellWhatIsWrongWithACall(t *testing.T) {
	w := newWorld(t, files{
		server("a"): extensionOf("a", `
			class Service { #secret = 7; value = 3; get() { return this.#secret; } fails() { throw new RangeError("out"); } back(x: any) { return x; } gives() { return { a: [1, Symbol("s")] }; } }
			host.implement("service", new Service());
		`),
		server("z"): extensionOf("z", `const service = host.need("service");`,
			tool("get", `return String(await service.get());`),
			tool("value", caught(`return service.value()`)),
			tool("missing", caught(`return service.nothing()`)),
			tool("inherited", caught(`return service.toString()`)),
			tool("throws", caught(`return service.fails()`)),
			tool("argument", caught(`return service.back({ list: [1, { deep: Symbol("x") }] })`)),
			tool("answer", caught(`return service.gives()`)),
			tool("proxy", `return String([service.then, service.toJSON, service[Symbol.iterator], await service === service]);`),
			tool("text", "return `${service}` + ' ' + String(service) + ' ' + service;"),
			tool("unprovided", caught(`return host.need("nobody").get()`)),
			tool("want", `return String(host.want("nobody")) + " " + typeof host.want("service").get;`),
			tool("back", `const back = await service.back({ date: new Date(5), map: new Map([[1, new Set([2])]]), bytes: new Uint8Array([1, 2]), big: 10n, call: (x: number) => x + 1 });
				return [back.date.getTime(), [...back.map.get(1)], back.bytes.length, back.big, await back.call(1)].join(" ");`),
		)})
	h := w.open(inMemory)
	for name, want := range map[string]string{
		"get":        "7",
		"value":      "NotAMethod: service service has no method value",
		"missing":    "NotAMethod: service service has no method nothing",
		"inherited":  "NotAMethod: ",
		"throws":     "RangeError: out",
		"argument":   "DataCloneError: ",
		"answer":     "DataCloneError: ",
		"proxy":      ",,,true",
		"unprovided": "NotProvided: ",
		"text":       "[service service] [service service] [service service]",
		"want":       "undefined function",
		"back":       "5 2 2 10 2",
	} {
		t.Run(name, func(t *testing.T) {
			text := h.call(name)
			if !strings.HasPrefix(text, want) {
				t.Errorf("got %q, want %q", text, want)
			}
		})
	}
	contains(t, h.call("argument"), "list[1].deep")
	contains(t, h.call("answer"), "a[1]")
}

func TestAServiceMayNotBeCalledInAFactory(t *testing.T) {
	w := newWorld(t, files{
		server("a"): extensionOf("a", `host.implement("s", { get: () => 1 });`),
		server("b"): extensionOf("b", `await host.need("s").get();`),
	})
	h := w.open(inMemory)
	contains(t, h.refused(w.git("rev-parse", "HEAD")), "NotAvailable", "service s cannot be called while the factory runs", "extensions/b/server.ts:2:")
}

func TestServicesThatCallEachOtherForEverRejectCallDepth(t *testing.T) {
	ring := func(own, other string) string {
		return extensionOf(own, `host.implement("`+own+`", { go: (n: number): unknown => host.need("`+other+`").go(n + 1) });`,
			tool(own, caught(`return host.need("`+own+`").go(0)`)))
	}
	h := newWorld(t, files{server("a"): ring("a", "b"), server("b"): ring("b", "a")}).open(inMemory)
	contains(t, h.call("a"), "CallDepth: ")
}

// TestAnErrorThatCrossesIsolatesStaysTheSame sends errors of each kind through one
// and through many isolates.
func TestAnErrorThatCrossesIsolatesStaysTheSame(t *testing.T) {
	for _, test := range []struct{ rule, fails string }{
		{"an error", `throw new RangeError("m")`},
		{"a file that is missing", `return host.fs.read("/none")`},
		{"a git that fails", `return host.git("/src/sausage", "no-such-command")`},
		{"a program that is missing", `return host.exec(["no-such-program"])`},
		{"a service that is missing", `return (host.want("a") as any, host.need("none") as any).get()`},
		{"a method that is missing", `return (host.need("a") as any).none()`},
		{"a call that is too deep", `const again = (): any => (host.need("a") as any).hop(99); return again()`},
		{"data that cannot cross", `return Promise.resolve(Symbol("s"))`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			ring := func(own, other string, tools ...string) string {
				return extensionOf(own, `host.implement("`+own+`", { async hop(n: number): Promise<any> {
					if (n > 0) return (host.need("`+other+`") as any).hop(n - 1);
					`+test.fails+`;
				} });`, tools...)
			}
			h := newWorld(t, files{server("b"): ring("b", "a"), server("a"): ring("a", "b",
				tool("one", caught(`return host.need("a").hop(0)`)), tool("many", caught(`return host.need("a").hop(6)`)))}).open(inMemory)
			one, many := h.call("one"), h.call("many")
			if one != many || !strings.Contains(one, ": ") {
				t.Errorf("through one %s\nthrough many %s", one, many)
			}
		})
	}
}

func TestWantSeesOnlyEarlierExtensionsOfTheCandidate(t *testing.T) {
	source := files{
		server("a"): "export const order = 2;\n" + extensionOf("a", `host.implement("early", { x() {} });`),
		server("b"): "export const order = 3;\n" + extensionOf("b", `const seen = [host.want("early"), host.want("late")].map((s) => typeof s).join(" ");`, tool("seen", "return seen;")),
		server("c"): "export const order = 4;\n" + extensionOf("c", `host.implement("late", { x() {} });`),
	}
	w := newWorld(t, source)
	h := w.open(inMemory)
	same(t, h.call("seen"), "object undefined")
	h.live(w.commit(files{"README": "x"})) // never the outgoing generation's
	same(t, h.call("seen"), "object undefined")
	names := []string{}
	for _, extension := range h.Status().Extensions {
		names = append(names, extension.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Error(diff)
	}
}

// holdingLog holds whoever logs "hold" until it is free.
type holdingLog struct {
	*logged
	held, free chan struct{}
}

// Handle implements [slog.Handler].
func (l *holdingLog) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "hold" {
		close(l.held)
		<-l.free
	}
	return l.logged.Handle(ctx, record)
}

// WithAttrs implements [slog.Handler].
func (l *holdingLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func TestAJobThatWaitsTooLongForItsTurnIsBusy(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "",
		tool("hold", `console.log("hold"); return "done";`), tool("ok", `return "ok";`))})
	log := &holdingLog{logged: &logged{}, held: make(chan struct{}), free: make(chan struct{})}
	h := w.open(inMemory, func(o *Options) { o.Limits.Queue, o.Logger = 300*time.Millisecond, slog.New(log) })
	holds := h.background("hold")
	await(t, "the call that holds the isolate", log.held)
	contains(t, h.fails("ok"), "waited 300ms for its turn")
	close(log.free)
	same(t, await(t, "the call that held it", holds).Text(), "done")
	same(t, h.call("ok"), "ok")
}

func TestANoticeShowsInTheStatusAndTheLog(t *testing.T) {
	h := probe(t, "", `host.notice("look here"); host.notice(42); return "";`)
	h.call("probe")
	notice := h.Status().Notice
	if notice == nil || notice.Extension != "probe" || notice.Message != "42" || notice.Time.IsZero() {
		t.Errorf("notice: %s", asJSON(notice))
	}
	contains(t, h.log.String(), "look here")
}

func TestLifecycleCallbacksRunInOrderAndAThrowIsANotice(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `
		for (const n of [1, 2]) {
			host.onOpen(() => { console.log("open " + n); if (n === 1) throw new Error("open failed"); });
			host.onClose(() => { console.log("close " + n); });
		}`, tool("a", `return "A";`))})
	h := w.open(inMemory)
	same(t, h.call("a"), "A")
	h.until("the notice", func(s Status) bool { return s.Notice != nil && strings.Contains(s.Notice.Message, "open failed") })
	h.live(w.commit(files{server("a"): answering("a", "B")}))
	h.until("closed", func(Status) bool { return strings.Contains(h.log.String(), "close 1") })
	var order []string
	for line := range strings.Lines(h.log.String()) {
		if _, after, ok := strings.Cut(line, "INFO "); ok && (strings.HasPrefix(after, "open ") || strings.HasPrefix(after, "close ")) {
			order = append(order, strings.Join(strings.Fields(after)[:2], " "))
		}
	}
	if diff := cmp.Diff([]string{"open 1", "open 2", "close 2", "close 1"}, order); diff != "" {
		t.Error(diff)
	}
}

func TestOnCloseRunsAtShutdown(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `host.onClose(() => host.fs.write("/tmp/closed", host.generation));`)})
	h := w.open(inMemory)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	contains(t, w.read("tmp/closed"), w.git("rev-parse", "HEAD"))
}

func TestTimersAndCommandsEndWithTheirGeneration(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `
		host.onOpen(() => {
			setInterval(() => console.log("tick"), 1);
			host.exec("sleep 1000; echo late", {}).catch((error: Error) => console.log("command ended: " + error.name));
		});`, tool("a", `return "A";`))})
	h := w.open(inMemory)
	h.until("ticks", func(Status) bool { return strings.Contains(h.log.String(), "tick") })
	h.live(w.commit(files{server("a"): answering("a", "B")}))
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	before := strings.Count(h.log.String(), "tick")
	h.live(w.commit(files{server("a"): answering("a", "C")}))
	if after := strings.Count(h.log.String(), "tick"); after != before {
		t.Errorf("%d ticks after the generation closed", after-before)
	}
}

func TestARunningToolSeesItsOutputAndItsEnd(t *testing.T) {
	h := probe(t, "let kept: any;", `
		kept ??= api;
		if (api !== kept) {
			return ["outputWindow", "retainedOutput"].map((member) => { try { return kept[member](); } catch (error: any) { return error.name; } }).join();
		}
		api.output("first,");
		if (api.outputWindow() !== "first," || api.retainedOutput() !== "first,") throw new Error(api.outputWindow());
		for (let n = 0; n < 2000; n++) api.output("x".repeat(1000));
		api.output("last");
		const [end, all] = [api.outputWindow(), api.retainedOutput()];
		return [all.startsWith("first,x"), all.length, end.endsWith("xlast"), end.length].join();`)
	same(t, h.call("probe"), fmt.Sprint("true,", 1<<20, ",true,", 64<<10))
	same(t, h.call("probe"), "Settled,Settled")
}

func TestValuesAreHeldAgainstSchemas(t *testing.T) {
	w := newWorld(t, files{server("probe"): `
import { Type } from "typebox";
import { Value } from "typebox/value";
import { validateToolArguments } from "@earendil-works/pi-ai";
const Point = Type.Object({ x: Type.Number(), tags: Type.Array(Type.String()) });
` + extensionOf("probe", "", tool("probe", `
		const told = (work: () => unknown) => { try { return work(); } catch (error: any) { return error.name + ": " + error.message; } };
		return JSON.stringify([
			Value.Check(Point, { x: 1, tags: [] }), Value.Check(Point, { x: "1", tags: [] }), Value.Check(Type.String(), "a"),
			Value.Parse(Point, { x: "1", tags: ["a"] }), Value.Errors(Point, { x: 1, tags: [{}] }).map((e: any) => e.path), told(() => Value.Parse(Point, {})),
			validateToolArguments({ name: "t", parameters: Point }, { arguments: { x: "2", tags: [] } }),
			told(() => validateToolArguments({ name: "t", parameters: Point }, { arguments: {} })),
		]);`))})
	contains(t, w.open(inMemory).call("probe"), `[true,false,true,{"tags":["a"],"x":1},["/tags/0"],"ParseError: `, `{"tags":[],"x":2},"Error: Validation failed for tool \"t\":`)
}

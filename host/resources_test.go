package host

import (
	"strings"
	"testing"
)

// keeping is an extension with a resource that counts, and what it logs.
func keeping(version, body string) string {
	return extensionOf("keep", `
		const kept = host.resource("counter",
			(own: any) => { console.log("create counter"); return { count: 0, host: own }; },
			() => console.log("dispose counter"));
		`+body,
		tool("count", `return "`+version+` " + ++kept.count;`),
		tool("later", `host.resource("late", () => ({}), () => console.log("dispose late")); return "made";`))
}

func TestAResourceKeepsItsIdentityAcrossReloads(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", "")})
	h := w.open(inMemory)
	same(t, h.call("count"), "v1 1")
	h.live(w.commit(files{server("keep"): keeping("v2", "")}))
	same(t, h.call("count"), "v2 2")
	h.live(w.commit(files{"README": "other"}))
	same(t, h.call("count"), "v2 3")
	if log := h.log.String(); strings.Count(log, "create counter") != 1 || strings.Contains(log, "dispose") {
		t.Errorf("log:\n%s", log)
	}
}

func TestResourcesAreDisposedWhenTheExtensionGoes(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", ""), server("other"): answering("other", "x")})
	h := w.open(inMemory)
	h.call("count")
	h.call("later")
	h.live(w.commit(files{"extensions/keep": ""}))
	h.until("disposal", func(Status) bool { return strings.Contains(h.log.String(), "dispose counter") })
	log := h.log.String()
	if strings.Index(log, "dispose late") > strings.Index(log, "dispose counter") || !strings.Contains(log, "dispose late") {
		t.Errorf("the newest resource is disposed of first; log:\n%s", log)
	}
}

func TestResourcesAreDisposedAtShutdown(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", "")})
	h := w.open(inMemory)
	h.call("count")
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	contains(t, h.log.String(), "dispose counter")
}

func TestNewResourcesOfARefusedCommitAreDisposed(t *testing.T) {
	fresh := `host.resource("fresh", () => ({ version: Math.random() }), () => console.log("dispose fresh"));`
	for _, refusal := range []struct{ name, body string }{
		{"by its factory", fresh + `throw new Error("no");`},
		{"by another's problem", fresh + `host.need("nobody has this");`},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			w := newWorld(t, files{server("keep"): keeping("v1", "")})
			h := w.open(inMemory)
			same(t, h.call("count"), "v1 1")
			h.refused(w.commit(files{server("keep"): keeping("v2", refusal.body)}))
			contains(t, h.log.String(), "dispose fresh")
			if strings.Contains(h.log.String(), "dispose counter") {
				t.Error("a resource of the live generation was disposed of")
			}
			same(t, h.call("count"), "v1 2")
			if keys := h.extensionStatus("keep").Resources; len(keys) != 1 {
				t.Errorf("resources: %v", keys)
			}
		})
	}
}

func TestAResourceOfARefusedCommitThatTheLiveOneClaimedStays(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", "")})
	h := w.open(inMemory)
	h.call("count")
	waiting := w.commit(files{server("keep"): keeping("v2", `
		host.resource("late", () => ({}), () => console.log("dispose late"));
		await host.fs.write("/tmp/made", "");
		await host.exec("until [ -e /tmp/claimed ]; do sleep 0.02; done");
		throw new Error("no");`)})
	h.until("the candidate's resource", func(Status) bool { _, err := h.Files().Stat("/tmp/made"); return err == nil })
	h.call("later")
	if err := h.Files().Write("/tmp/claimed", nil); err != nil {
		t.Fatal(err)
	}
	h.refused(waiting)
	if strings.Contains(h.log.String(), "dispose late") {
		t.Error("a resource that the live generation claimed was disposed of")
	}
}

func TestAnAsynchronousResourceIsOnePromise(t *testing.T) {
	w := newWorld(t, files{server("keep"): extensionOf("keep", `
		const create = async () => { await null; return { made: Math.random() }; };
		const [a, b] = [host.resource("r", create), host.resource("r", create)];
	`, tool("same", `return String(a === b && (await a) === (await host.resource("r", create)));`))})
	h := w.open(inMemory)
	same(t, h.call("same"), "true")
}

func TestAResourceThatCannotBeMadeKeepsNothing(t *testing.T) {
	w := newWorld(t, files{server("keep"): extensionOf("keep", `let tries = 0;`,
		tool("throws", `return String(host.resource("a", () => { if (++tries === 1) throw new Error("first"); return tries; }));`),
		tool("rejects", `return String(await host.resource("b", async () => { await null; if (++tries < 4) throw new Error("again"); return tries; }));`),
	)})
	h := w.open(inMemory)
	contains(t, h.fails("throws"), "first")
	same(t, h.call("throws"), "2")
	contains(t, h.fails("rejects"), "again")
	same(t, h.call("rejects"), "4")
}

// A creation may fail at once or later, while the generation that asked for it
// serves, when it has gone, and more than once.
func TestACreationThatFailsLeavesNothingWheneverItFails(t *testing.T) {
	version := func(body string) string {
		return "const loads = (globalThis as any).loads = ((globalThis as any).loads ?? 0) + 1;\n" + extensionOf("keep", body,
			tool("loads", "return String(loads);"),
			tool("fail", `return String(await host.resource("failing", () => { throw new Error("at once"); }));`))
	}
	w := newWorld(t, files{server("keep"): version(`
		for (const key of ["a", "b"]) {
			host.resource(key, async (own: any) => {
				while (!(await own.fs.stat("/tmp/go").catch(() => undefined))) await new Promise((resume) => setTimeout(resume, 1));
				throw new Error("late");
			}).catch(() => {});
		}`)})
	h := w.open(inMemory)
	contains(t, h.fails("fail"), "at once")
	h.live(w.commit(files{server("keep"): version("")}))
	h.until("the old generation closed", func(s Status) bool { return len(s.Draining) == 0 })
	same(t, h.call("loads"), "2") // the isolate with the resources
	if keys := h.extensionStatus("keep").Resources; len(keys) != 2 {
		t.Fatalf("resources: %v", keys)
	}
	if err := h.Files().Write("/tmp/go", nil); err != nil {
		t.Fatal(err)
	}
	h.until("no resource", func(Status) bool { return len(h.extensionStatus("keep").Resources) == 0 })
	// Nothing is left to keep the isolate for.
	h.live(w.commit(files{server("keep"): version("// changed")}))
	same(t, h.call("loads"), "1")
}

func TestAFirstResourceThatAppearsWhileACommitLoadsIsKept(t *testing.T) {
	version := func(name, body string) string {
		return extensionOf("keep", body,
			tool("make", `return "`+name+` " + ++host.resource("r", () => ({ count: 0 }), () => console.log("dispose r")).count;`))
	}
	w := newWorld(t, files{server("keep"): version("v1", "")})
	h := w.open(inMemory)
	next := w.commit(files{server("keep"): version("v2", `
		await host.fs.append("/tmp/runs", "x");
		await host.exec("until [ -e /tmp/go ]; do sleep 0.02; done");`)})
	h.until("the candidate's factory", func(Status) bool { _, err := h.Files().Stat("/tmp/runs"); return err == nil })
	same(t, h.call("make"), "v1 1")
	if err := h.Files().Write("/tmp/go", nil); err != nil {
		t.Fatal(err)
	}
	h.live(next)
	same(t, h.call("make"), "v2 2")
	runs, err := h.Files().Read("/tmp/runs")
	if err != nil || string(runs) != "xx" {
		t.Errorf("the factory ran %q times (%v)", runs, err)
	}
	if strings.Contains(h.log.String(), "dispose r") {
		t.Error("the resource was disposed of")
	}
}

func TestModulesThatSpinDoNotTouchTheIsolateWithTheResources(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", "")})
	h := w.open(inMemory, loadsBriefly)
	h.call("count")
	contains(t, h.refused(w.commit(files{server("keep"): "for (;;) {}\n" + keeping("v2", "")})), "without yielding", "extensions/keep/server.ts:1:")
	same(t, h.call("count"), "v1 2")
	if strings.Count(h.log.String(), "create counter") != 1 {
		t.Error("the resource was made anew")
	}
}

func TestAFactoryThatSpinsAmongResourcesCostsTheLiveIsolate(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", ""), server("other"): answering("other", "x")})
	h := w.open(inMemory, loadsBriefly)
	h.call("count")
	contains(t, h.refused(w.commit(files{server("keep"): keeping("v2", "for (;;) {}")})), "without yielding", "extensions/keep/server.ts:")
	same(t, h.call("count"), "v1 1")
	if strings.Count(h.log.String(), "create counter") != 2 {
		t.Error("the resource was not made anew")
	}
	notice := h.Status().Notice
	if notice == nil || notice.Extension != "keep" {
		t.Fatalf("notice: %s", asJSON(notice))
	}
	contains(t, notice.Message, "replaced")
	// The new isolate has the resources from now on.
	h.live(w.commit(files{server("keep"): keeping("v3", "")}))
	same(t, h.call("count"), "v3 2")
}

func TestWhatAResourceStartsBelongsToIt(t *testing.T) {
	w := newWorld(t, files{server("keep"): extensionOf("keep", `
		const ticks = host.resource("ticker", (own: any) => {
			const state = { ticks: 0, error: "" };
			setInterval(() => { state.ticks++; own.fs.write("/tmp/tick", String(state.ticks)).catch((e: Error) => state.error = e.name); }, 5);
			return state;
		});
	`, tool("ticks", `const from = ticks.ticks; while (ticks.ticks < from + 2) await new Promise((r) => setTimeout(r, 5)); return ticks.error || "ticking";`))})
	h := w.open(inMemory)
	same(t, h.call("ticks"), "ticking")
	h.live(w.commit(files{"README": "x"}))
	h.until("the old generation closed", func(s Status) bool { return len(s.Draining) == 0 })
	same(t, h.call("ticks"), "ticking")
}

package host

import (
	"strings"
	"testing"
)

func TestAConversationIsReachedByItsHandles(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background, { agent: { model: { provider: "p", modelId: "m" }, tools: [{ name: "a" }] }, init: async (tx: any, id: number) => {
			await tx.appendEntry(id, { kind: "probe.note", data: { text: "first" } });
			(await tx.doc(Plan, id)).steps.push("begun");
		} });
		const [first] = (await root.entries({}, 10, undefined, background)).items;
		const fork = await root.fork(first.id, { ownership: { kind: "ownerless" }, agent: { tools: null } }, background);
		await fork.configure({ instructions: "Be brief.", extensions: { add: [{ name: "x" }] } }, background);
		await commit(async (tx: any) => { await pi.configure(tx, fork.id, { cwd: "/tmp", model: null }); });
		const again = await session().conversation(fork.id, background);
		await root.reset("go on", background);
		const derived = await root.context(background);
		`+asText(`[root.id, again.id === fork.id, await session().conversation(99, background) === undefined,
			await session().snapshot(pi.AgentDoc, root.id, background), await session().snapshot(pi.AgentDoc, fork.id, background),
			await session().snapshotAsOf(Plan, fork.id, first.id, background), derived.head.kind, derived.messages.length]`))
	same(t, h.call("probe"), `[1,true,true,{"model":{"provider":"p","modelId":"m"},"tools":["a"]},`+
		`{"extensions":{"add":["x"]},"instructions":"Be brief.","cwd":"/tmp"},{"steps":["begun"]},"pi.reset",1]`)
}

func TestAWatchTellsEveryCommitThatChangedIt(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		const watch = await root.watch(background);
		const state = await root.viewState(background);
		const counts: number[] = [];
		watch.start((value: any) => { counts.push(value.entries.length); });
		for (let n = 0; n < 3; n++) await root.commit((tx: any) => tx.appendEntry(root.id, { kind: "probe.note" }), background);
		while (counts.length < 3) await new Promise((resume) => setTimeout(resume, 1));
		let hydrated = 0;
		state.subscribe((value: any) => { hydrated = value.entries.length; });
		while (hydrated < 3) await new Promise((resume) => setTimeout(resume, 1));
		await watch.stop();
		state.dispose();
		`+asText(`[counts, hydrated, watch.value.conversation.id]`))
	same(t, h.call("probe"), `[[1,2,3],3,1]`)
}

func TestAWatchEndsWithItsContextAndWithItsListener(t *testing.T) {
	h := engineProbe(t, `
		await commit(async (tx: any) => { await tx.doc(Limits); });
		const controller = new AbortController();
		const cancelled = await session().watchDoc(Limits, withAbortSignal(controller.signal, background));
		const failing = await session().watchDoc(Limits, background);
		failing.start(() => { throw new Error("cannot listen"); });
		await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 2; });
		controller.abort();
		const [first, second] = await Promise.all([cancelled.closed, failing.closed]);
		`+asText(`[first.reason, second.reason, second.error.message, await session().watchDoc(Page, "none", background) === undefined]`))
	same(t, h.call("probe"), `["cancelled","listener_error","cannot listen",true]`)
}

func TestWhatFollowsCannotBeStartedInsideACommit(t *testing.T) {
	h := engineProbe(t, `
		await commit(async (tx: any) => { await tx.doc(Limits); });
		const root = await session().root(background);
		const watch = await session().watchDoc(Limits, background);
		const stream = await pi.watchEvents(session(), root.id, background);
		const whys: string[] = [];
		const refused = async (start: () => unknown) => whys.push((await tried(start)).split(":")[0]);
		await commit(async () => {
			await refused(() => watch.start(() => {}));
			await refused(() => stream.start(() => {}));
			await refused(() => session().documentState(Limits, background));
			await refused(() => session().taskGraph(background));
			await refused(() => root.viewState(background));
		});
		const told = new Promise((resume) => watch.start((value: any) => resume(value.limit)));
		const events = new Promise((resume) => stream.start((events: any[]) => resume(events.length > 0)));
		await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 2; });
		await root.reset("x", background);
		`+asText(`[whys, await told, await events, (await watch.stop()).reason, (await stream.stop()).reason]`))
	inside := `"CommitInsideCommit"`
	same(t, h.call("probe"), `[[`+strings.Join([]string{inside, inside, inside, inside, inside}, ",")+`],2,true,"stopped","stopped"]`)
}

func TestASubmissionSaysWhatItIs(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		const whys: string[] = [];
		for (const submission of [{ type: "wirte", entry: { kind: "probe.note" } }, { type: "input" }, { content: "x" }, { type: "input", content: null }, {}, undefined]) {
			whys.push(await tried(() => root.submit(submission, background)), await tried(() => commit((tx: any) => tx.submit(root.id, submission))));
		}
		const page = await host.storage.scanSubmissions({ conversationId: root.id }, 10);
		`+asText(`[whys.filter((why) => !/^TypeError: submit: the (submission's type|content of an input) must be/.test(why)), page.items.length]`))
	same(t, h.call("probe"), `[[],0]`)
}

func TestAWaitEndsWithItsContextAndTheWorkGoesOn(t *testing.T) {
	h := engineProbe(t, `
		const controller = new AbortController();
		const limited = withAbortSignal(controller.signal, background);
		controller.abort(new Error("enough"));
		const why = await tried(() => session().commit(() => {}, limited));
		const idle = await session().inspect(background);
		`+asText(`[why.includes("enough"), idle, await session().usage(background), (await session().taskGraph(background)).value]`))
	same(t, h.call("probe"), `[true,{"scheduling":"running","tasks":[],"submissions":[]},{"models":{},"tools":{}},{"tasks":{}}]`)
}

func TestAWriteIsSubmittedOnceUnderItsRequest(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		const draft = { type: "write", requestId: "once", entry: { kind: "probe.note", data: { n: 1 } } };
		const first = await root.submit(draft, background);
		const second = await root.submit(draft, background);
		const settled = await first.wait(background);
		const found = await session().submission(first.id, background);
		const page = await host.storage.scanSubmissions({ conversationId: root.id, status: "done" }, 10);
		const busy = await tried(() => root.submit({ type: "input", requestId: "once", content: "x" }, background));
		`+asText(`[first.id === second.id, settled.status, (await found.status(background)).status, page.items.length, page.next === undefined,
			await session().submission(9999, background) === undefined, await first.abort(background), busy.split(":")[0]]`))
	same(t, h.call("probe"), `[true,"done","done",1,true,true,"settled","InvalidRequest"]`)
}

func TestAnEventIsToldWithItsCommitOrInOneOfItsOwn(t *testing.T) {
	h := engineProbe(t, `
		const id = await host.emit("alone", { n: 1 });
		await tried(() => commit(async (tx: any) => { await host.emit("lost", {}, tx); throw new Error("no"); }));
		const within = await commit((tx: any) => host.emit("with", { n: 2 }, tx));
		const log = await host.eventLog.read({ types: ["alone", "lost", "with"] });
		const followed: string[] = [];
		for await (const event of host.eventLog.follow({ after: id })) { followed.push(event.type); break; }
		`+asText(`[log.map((e: any) => [e.type, e.payload, e.extension]), log[0].id === id, log[1].id === within, followed]`))
	same(t, h.call("probe"), `[[["alone",{"n":1},"probe"],["with",{"n":2},"probe"]],true,true,["with"]]`)
}

// reacting is an extension whose factory runs react, and with tools that tell of an
// event and wait for what the reactor has seen.
func reacting(react string) string {
	module := engineModule(tool("probe", `
		while (((await session().snapshot(Limits, background))?.seen?.length ?? 0) < args.least) await new Promise((resume) => setTimeout(resume, 1));
		`+asText(`(await session().snapshot(Limits, background)).seen`)),
		tool("tell", `return String(await host.emit("told", args.n));`))
	return strings.Replace(module, "const session =", react+"\nconst session =", 1)
}

func TestAReactorSeesEachEventOnceAcrossReloadsAndRestarts(t *testing.T) {
	module := func(version string) string {
		return reacting(`host.react("count", { types: ["told"] }, async (event: any, tx: any) => {
			const limits = await tx.doc(Limits);
			limits.seen ??= [];
			limits.seen.push("` + version + `" + event.payload);
		});`)
	}
	w := newWorld(t, files{server("probe"): module("a")})
	h, err := w.tryOpen()
	if err != nil {
		t.Fatal(err)
	}
	h.call("tell", map[string]any{"n": 1})
	same(t, h.call("probe", map[string]any{"least": 1}), `["a1"]`)
	h.live(w.commit(files{server("probe"): module("b")}))
	// Until the old code has drained it may be the one that sees an event.
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	h.call("tell", map[string]any{"n": 2})
	same(t, h.call("probe", map[string]any{"least": 2}), `["a1","b2"]`)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h = w.open()
	h.call("tell", map[string]any{"n": 3})
	same(t, h.call("probe", map[string]any{"least": 3}), `["a1","b2","b3"]`)
	h.live(w.commit(files{server("probe"): reacting("")}))
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	h.call("tell", map[string]any{"n": 4})
	same(t, h.call("probe", map[string]any{"least": 3}), `["a1","b2","b3"]`)
}

func TestAReactorThatFailsOftenIsPausedAndGoesOnWhenItIsResumed(t *testing.T) {
	module := strings.Replace(engineModule(tool("probe", `
		await host.emit("told", 1);
		const paused = async () => { for (;;) { const [c] = await host.eventLog.consumers(); if (c?.paused) return c.paused; await new Promise((resume) => setTimeout(resume, 5)); } };
		const why = await paused();
		await commit(async (tx: any) => { (await tx.doc(Limits)).ready = true; });
		await host.eventLog.resume("pausing");
		while (!(await session().snapshot(Limits, background)).seen) await new Promise((resume) => setTimeout(resume, 5));
		return why;`)), "const session =", `host.react("pausing", { types: ["told"], maxFailures: 2 }, async (event: any, tx: any) => {
			const limits = await tx.doc(Limits);
			if (!limits.ready) throw new Error("not ready");
			limits.seen = event.payload;
		});
		const session =`, 1)
	h := newWorld(t, files{server("probe"): module}).open(inMemory)
	contains(t, h.call("probe"), "not ready")
}

func TestTheMetadataOfAConversationIsADocument(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		const before = await session().snapshot(host.metadata, root.id, background);
		await root.commit(async (tx: any) => { (await tx.doc(host.metadata, root.id)).title = "Plans"; }, background);
		`+asText(`[before === undefined, await session().snapshot(host.metadata, root.id, background)]`))
	same(t, h.call("probe"), `[true,{"title":"Plans"}]`)
}

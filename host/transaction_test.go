package host

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/host/bind"
)

// engineModule is an extension whose tools work with the open harness: session is
// it, and documents are tokens.
func engineModule(tools ...string) string {
	return `
import { BACKGROUND_CONTEXT as background, withAbortSignal } from "@earendil-works/chord/context";
import * as pi from "@earendil-works/pi-durable";
const Note = pi.defineEntry<{ text: string }>("probe.note");
const Plan = pi.defineDoc({ kind: "probe.plan", version: 1, scope: "conversation", history: "rewindable", fork: "asOf",
	initial: (): any => ({ steps: [] as string[] }) });
const Limits = pi.defineDoc({ kind: "probe.limits", version: 1, scope: "session", initial: (): any => ({ limit: 1 }) });
const Page = pi.defineDocFamily({ kind: "probe.page", version: 1, scope: "session", initial: (text: string): any => ({ text }) });
` + extensionOf("probe", `
	const session = (): any => host.harness();
	const commit = (change: any) => session().commit(change, background);
	const tried = async (work: () => unknown) => { try { await work(); return "no error"; } catch (error: any) { return error.name + ": " + error.message; } };
`, tools...)
}

// engineProbe opens a world with one tool that works with the harness.
func engineProbe(t *testing.T, body string) *testHost {
	t.Helper()
	return newWorld(t, files{server("probe"): engineModule(tool("probe", body))}).open(inMemory)
}

// asText has a tool answer with the JSON of a value.
func asText(value string) string { return "return JSON.stringify(" + value + ");" }

func TestACommitIsRefusedByWhatFailsAfterItsChangeReturned(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		const count = async () => (await root.entries({}, 10, undefined, background)).items.length;
		const whys: string[] = [];
		for (const change of [
			(tx: any) => { tx.appendEntry(root.id, { kind: "probe.note" }); tx.appendEntry(99, { kind: "probe.note" }); },
			(tx: any) => { tx.appendEntry(99, { kind: "probe.note" }).catch(() => {}); tx.appendEntry(root.id, { kind: "probe.note" }); },
			async (tx: any) => { await tx.appendEntry(root.id, { kind: "probe.note" }); tx.createTask({}, {}, {}); },
			async (tx: any) => { await tx.appendEntry(root.id, { kind: "probe.note" }); tx.retireDoc(root); },
		]) whys.push((await tried(() => commit(change))).split(":")[0]);
		const before = await count();
		await commit(async (tx: any) => {
			await tx.appendEntry(99, { kind: "probe.note" }).catch(() => {});
			tx.appendEntry(root.id, { kind: "probe.note" });
		});
		`+asText(`[whys, before, await count()]`))
	same(t, h.call("probe"), `[["NotFound","NotFound","TypeError","TypeError"],0,1]`)
}

func TestAnExtensionCommitsEntriesAndDocumentsTogether(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		const made = await root.commit(async (tx: any) => {
			(await tx.doc(Plan, root.id)).steps.push("one");
			return tx.appendEntry(Note, root.id, { data: { text: "hello" } });
		}, background);
		const page = await root.entries({}, 10, undefined, background);
		`+asText(`[Note.is(made), made.data, page.items.map((e: any) => e.kind), await session().snapshot(Plan, root.id, background)]`))
	same(t, h.call("probe"), `[true,{"text":"hello"},["probe.note"],{"steps":["one"]}]`)
}

func TestWhatAChangeThrowsIsThrownAsItIsAndNothingIsStored(t *testing.T) {
	h := engineProbe(t, `
		class Mine extends Error {}
		const thrown = new Mine("no");
		let caught: unknown;
		try { await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 2; throw thrown; }); } catch (error) { caught = error; }
		`+asText(`[caught === thrown, await session().snapshot(Limits, background) === undefined]`))
	same(t, h.call("probe"), `[true,true]`)
}

func TestTablesAreReadBeforeTheyAreWritten(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		let caught: any;
		const kept = await commit(async (tx: any) => {
			await tx.conversation(root.id);
			await tx.appendEntry(root.id, { kind: "probe.note" });
			try { await tx.conversation(root.id); } catch (error) { caught = error; }
			(await tx.doc(Limits)).limit = 5;
			return (await tx.doc(Limits)).limit;
		});
		`+asText(`[caught instanceof pi.ReadAfterWrite, caught instanceof pi.ConversationBusy, kept]`))
	same(t, h.call("probe"), `[true,false,5]`)
}

func TestTransactionsAndDraftsEndWithTheirCallback(t *testing.T) {
	h := engineProbe(t, `
		let tx: any, draft: any, list: any;
		await commit(async (given: any) => { tx = given; draft = await tx.doc(Limits); list = draft.list = [1]; list = draft.list; });
		const tries = [() => tx.doc(Limits), () => tx.createConversation({ ownership: { kind: "ownerless" } }), () => draft.limit, () => { draft.limit = 1; }, () => list.push(2), () => Object.keys(draft)];
		const names = [];
		for (const attempt of tries) { try { await attempt(); names.push("none"); } catch (error: any) { names.push(error instanceof pi.TransactionEnded); } }
		`+asText(`names`))
	same(t, h.call("probe"), `[true,true,true,true,true,true]`)
}

func TestDraftsCopyWhatIsAssignedAndTakeStrictJSONOnly(t *testing.T) {
	h := engineProbe(t, `
		const mine: any = { deep: [1] };
		const refused: string[] = [];
		await commit(async (tx: any) => {
			const draft = await tx.doc(Limits);
			draft.mine = mine;
			mine.deep.push(2);
			draft.other = draft.mine;
			draft.other.deep.push(3);
			draft["__proto__"] = { own: true };
			const bad: Record<string, unknown> = { function: () => 1, symbol: Symbol("s"), bigint: 1n, nan: NaN, infinity: Infinity, date: new Date(), map: new Map(),
				undefined: { a: undefined }, hole: [1, , 2], listed: [undefined], accessor: { get a() { return 1; } } };
			for (const [name, value] of Object.entries(bad)) {
				try { draft.bad = value; } catch (error: any) { refused.push(error.name === "TypeError" ? name : error.name); }
			}
			try { draft.mine.deep[5] = 1; } catch { refused.push("index"); }
			try { delete draft.mine.deep[0]; } catch { refused.push("deleted"); }
		});
		const stored = await session().snapshot(Limits, background);
		`+asText(`[stored, Object.hasOwn(stored, "__proto__"), refused]`))
	same(t, h.call("probe"), `[{"limit":1,"mine":{"deep":[1]},"other":{"deep":[1,3]},"__proto__":{"own":true}},true,`+
		`["function","symbol","bigint","nan","infinity","date","map","undefined","hole","listed","accessor","index","deleted"]]`)
}

func TestListsOfDraftsAreEditedLikeLists(t *testing.T) {
	h := engineProbe(t, `
		const seen: unknown[] = [];
		await commit(async (tx: any) => {
			const draft = await tx.doc(Limits);
			draft.list = [3, 1, 2];
			const list = draft.list;
			seen.push(list.push(4, 5), list.shift(), list.unshift(0, 9), list.splice(1, 2, "a", "b", "c"), list.pop(), list.indexOf("b"), [...list], list.map((x: any) => x), Array.isArray(list), list.length);
			list.sort();
			list.reverse();
			list.length = 4;
			draft.objects = [{ n: 2 }, { n: 1 }];
			draft.objects.sort((a: any, b: any) => a.n - b.n);
			draft.objects.find((o: any) => o.n === 2).n = 7;
			draft.filled = [1, 2, 3];
			draft.filled.fill({ x: 1 }, 1);
			draft.filled[1].x = 2;
			delete draft.limit;
			draft.none = undefined;
		});
		`+asText(`[seen, await session().snapshot(Limits, background)]`))
	same(t, h.call("probe"), `[[5,3,6,[9,1],5,2,[0,"a","b","c",2,4],[0,"a","b","c",2,4],true,6],`+
		`{"list":["c","b","a",4],"objects":[{"n":1},{"n":7}],"filled":[1,{"x":2},{"x":1}]}]`)
}

func TestADraftThatEndsAsItBeganWritesNothing(t *testing.T) {
	h := engineProbe(t, `
		await commit(async (tx: any) => { await tx.doc(Limits); });
		const watch = await session().watchDoc(Limits, background);
		const values: unknown[] = [];
		watch.start((value: any) => { values.push(value.limit); });
		await commit(async (tx: any) => { const draft = await tx.doc(Limits); draft.limit = 2; draft.limit = 1; });
		await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 3; });
		while (values.length === 0) await new Promise((resume) => setTimeout(resume, 1));
		const end = await watch.stop();
		`+asText(`[values, end, watch.value]`))
	same(t, h.call("probe"), `[[3],{"reason":"stopped"},{"limit":3}]`)
}

func TestADocumentThatIsStillBeingAcquiredRefusesTheCommit(t *testing.T) {
	h := engineProbe(t, `return tried(() => commit((tx: any) => { tx.doc(Limits); }));`)
	contains(t, h.call("probe"), "Unsettled: ")
}

func TestWhatTheChangeDoesNotWaitForIsStoredWithIt(t *testing.T) {
	h := engineProbe(t, `
		const root = await session().root(background);
		await commit((tx: any) => { tx.appendEntry(root.id, { kind: "probe.note" }); });
		`+asText(`(await root.entries({}, 10, undefined, background)).items.length`))
	same(t, h.call("probe"), "1")
}

func TestACommitInsideACommitIsRefusedWhereverItComesFrom(t *testing.T) {
	w := newWorld(t, files{
		server("probe"): engineModule(tool("probe", `
			const inside = async (work: () => unknown) => commit(async () => tried(work));
			const root = await session().root(background);
			`+asText(`[
				await inside(() => commit(() => {})),
				await inside(() => session().waitForIdle(background)),
				await inside(async () => { await null; await new Promise((resume) => setTimeout(resume, 1)); return root.configure({ cwd: "/" }, background); }),
				await inside(() => host.need("other").store()),
				await inside(() => host.emit("told", {})),
			].map((text: string) => text.split(":")[0])`))),
		server("other"): extensionOf("other", `host.implement("other", { store: () => host.harness().commit(() => {}) });`),
	})
	same(t, w.open(inMemory).call("probe"), `["CommitInsideCommit","CommitInsideCommit","CommitInsideCommit","CommitInsideCommit","CommitInsideCommit"]`)
}

func TestACommitThatTakesTooLongIsRolledBackAndTheLineGoesOn(t *testing.T) {
	h := newWorld(t, files{server("probe"): engineModule(tool("probe", `
		let late: any;
		const why = await tried(() => commit(async (tx: any) => {
			const draft = await tx.doc(Limits);
			late = async () => { draft.limit = 9; };
			await new Promise(() => {});
		}));
		await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 2; });
		`+asText(`[why.split(":")[0], (await tried(late)).split(":")[0], await session().snapshot(Limits, background)]`)))}).open(inMemory, func(o *Options) {
		o.Limits.Change = bind.Limit{Running: 100 * time.Millisecond, Whole: 200 * time.Millisecond}
	})
	same(t, h.call("probe"), `["CommitTimeout","TransactionEnded",{"limit":2}]`)
}

func TestDocumentsAreMigratedByTheirToken(t *testing.T) {
	h := engineProbe(t, `
		await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 4; });
		const Newer = pi.defineDoc({ ...Limits.definition, version: 2, migrate: (old: any, from: number): any => ({ limits: [old.limit, from] }) });
		const read = await session().snapshot(Newer, background);
		const old = await session().snapshot(Limits, background);
		await commit(async (tx: any) => { await tx.doc(Newer); });
		const refused = await tried(() => session().snapshot(Limits, background));
		const lost = await tried(() => session().snapshot(pi.defineDoc({ ...Limits.definition, version: 3 }), background));
		`+asText(`[read, old, refused.split(":")[0], lost.split(":")[0]]`))
	same(t, h.call("probe"), `[{"limits":[4,1]},{"limit":4},"VersionMismatch","VersionMismatch"]`)
}

func TestACheckpointIsAskedForOnceForEachChange(t *testing.T) {
	h := engineProbe(t, `
		const asked: unknown[] = [];
		const Counted = pi.defineDoc({ kind: "probe.counted", version: 1, scope: "session", initial: (): any => ({ n: 0 }),
			checkpointWhen: (value: any, ops, info) => { asked.push([value.n, ops.length, info.deltasSinceBase]); if (value.n === 3) throw new Error("no checkpoint"); return false; } });
		for (let n = 0; n < 3; n++) await commit(async (tx: any) => { (await tx.doc(Counted)).n = n; });
		const why = await tried(() => commit(async (tx: any) => { (await tx.doc(Counted)).n = 3; }));
		`+asText(`[asked, why.includes("no checkpoint"), await session().snapshot(Counted, background)]`))
	same(t, h.call("probe"), `[[[1,1,0],[2,1,1],[3,1,2]],true,{"n":2}]`)
}

func TestTheFirstSeedOfAMemberCounts(t *testing.T) {
	h := engineProbe(t, `
		await commit(async (tx: any) => {
			const [a, b] = await Promise.all([tx.doc(Page, "first", "one"), tx.doc(Page, "first", "two")]);
			if (a !== b) throw new Error("two drafts of one document");
			a.more = true;
		});
		await commit(async (tx: any) => { await tx.doc(Page, "first", "three"); await tx.retireDoc(Page, "second"); });
		`+asText(`[await session().snapshot(Page, "first", background), await session().snapshot(Page, "second", background) === undefined]`))
	same(t, h.call("probe"), `[{"text":"one","more":true},true]`)
}

func TestARetiredDocumentIsMadeAnew(t *testing.T) {
	h := engineProbe(t, `
		await commit(async (tx: any) => { (await tx.doc(Limits)).limit = 2; });
		const watch = await session().watchDoc(Limits, background);
		const values: unknown[] = [];
		watch.start((value: any) => { values.push(value); });
		const again = await commit(async (tx: any) => {
			const old = await tx.doc(Limits);
			await tx.retireDoc(Limits);
			let ended = "no";
			try { old.limit = 3; } catch (error: any) { ended = error.name; }
			return [ended, (await tx.doc(Limits)).limit];
		});
		const end = await watch.closed;
		`+asText(`[again, values, end]`))
	same(t, h.call("probe"), `[["TransactionEnded",1],[null],{"reason":"retired"}]`)
}

func TestTheEngineIsNotThereWhileTheFirstGenerationLoads(t *testing.T) {
	w := newWorld(t, files{server("probe"): extensionOf("probe", `
		let why = "no error";
		try { host.harness(); } catch (error: any) { why = error.name + ": " + error.message; }
		let opened = "";
		host.onOpen(() => { opened = typeof host.harness().commit; });
	`, tool("probe", `return why + " " + opened;`))})
	h := w.open(inMemory)
	contains(t, h.call("probe"), "NotAvailable: ", "first generation", " function")
	h.live(w.commit(files{"README": "x"}))
	if got := h.call("probe"); !strings.HasPrefix(got, "no error") {
		t.Errorf("a later generation: %s", got)
	}
}

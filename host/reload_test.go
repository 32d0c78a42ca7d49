package host

import (
	"os"
	"strings"
	"testing"
)

func TestACommitGoesLiveAndABrokenOneChangesNothing(t *testing.T) {
	w := newWorld(t, files{server("greet"): answering("greet", "A")})
	h := w.open()
	same(t, h.call("greet"), "A")

	broken := w.commit(files{server("greet"): "export default ("})
	contains(t, h.refused(broken), "extensions/greet/server.ts:1:")
	same(t, h.call("greet"), "A")

	h.live(w.commit(files{server("greet"): answering("greet", "C")}))
	same(t, h.call("greet"), "C")
}

func TestACallAcrossAReloadEndsOnItsOldCode(t *testing.T) {
	waiting := func(answer string) string {
		return extensionOf("slow", "", tool("slow", `
			await host.fs.write("/tmp/started", "yes");
			await host.exec("until [ -e tmp/go ] || [ -e /tmp/go ]; do sleep 0.02; done", { cwd: "/" });
			return "`+answer+`";`), tool("quick", `return "`+answer+`";`))
	}
	w := newWorld(t, files{server("slow"): waiting("old")})
	h := w.open()
	ended := h.background("slow")
	h.inFlight("slow", 1)

	h.live(w.commit(files{server("slow"): waiting("new")}))
	same(t, h.call("quick"), "new")
	draining := h.Status().Draining
	if len(draining) != 1 || len(draining[0].Units) != 1 || !strings.Contains(draining[0].Units[0].Name, "slow") {
		t.Errorf("draining: %s", asJSON(draining))
	}
	if err := os.WriteFile(w.path("tmp/go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	same(t, await(t, "the old call", ended).Text(), "old")
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
}

func TestARetainedServiceHandleReachesTheCurrentProvider(t *testing.T) {
	provider := func(answer string) string {
		return extensionOf("provider", `host.implement("word", { get: (suffix: string) => "`+answer+`" + suffix });`)
	}
	w := newWorld(t, files{
		server("provider"): provider("one"),
		server("user"): extensionOf("user", `
			const word = host.need("word");
			const get = word.get;
			let retained = host.resource("handle", () => ({ get }));
		`, tool("proxy", `return await word.get("!");`), tool("reference", `return await retained.get("?");`)),
	})
	h := w.open()
	same(t, h.call("proxy"), "one!")
	same(t, h.call("reference"), "one?")
	h.live(w.commit(files{server("provider"): provider("two")}))
	same(t, h.call("proxy"), "two!")
}

func TestAnExtensionThatIsRemovedLeaves(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A"), server("b"): answering("b", "B")})
	h := w.open()
	same(t, h.call("b"), "B")
	h.live(w.commit(files{"extensions/b": ""}))
	contains(t, h.fails("b"), "not available")
	same(t, h.call("a"), "A")
}

func TestARestartServesTheLastGoodCommitWhenTheTipIsBroken(t *testing.T) {
	w := newWorld(t, files{server("greet"): answering("greet", "A")})
	good := w.git("rev-parse", "HEAD")
	h := w.open()
	broken := w.commit(files{server("greet"): `throw new Error("broken on purpose");`})
	h.refused(broken)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	h = w.open()
	same(t, h.call("greet"), "A")
	status := h.Status()
	if status.Good == nil || *status.Good != good || status.Current == nil || *status.Current != broken || status.Error == nil {
		t.Fatalf("status: %s", asJSON(status))
	}
	contains(t, *status.Error, "broken on purpose", "extensions/greet/server.ts:1:7")
	h.live(w.commit(files{server("greet"): answering("greet", "C")}))
	same(t, h.call("greet"), "C")
}

func TestEveryRefChangeCounts(t *testing.T) {
	w := newWorld(t, files{server("greet"): answering("greet", "1")})
	first := w.git("rev-parse", "HEAD")
	h := w.open(inMemory)
	second := w.commit(files{server("greet"): answering("greet", "2")})
	h.live(second)
	for _, step := range []struct {
		name string
		args []string
	}{
		{"reset", []string{"reset", "--quiet", "--hard", first}},
		{"update-ref", []string{"update-ref", "refs/heads/main", second}},
		{"update-ref back", []string{"update-ref", "refs/heads/main", first}},
		{"amend", []string{"commit", "--quiet", "--amend", "--allow-empty", "--message=amended"}},
		{"pack-refs, then reset", []string{"-c", "alias.x=!git pack-refs --all && git reset --quiet --hard " + second, "x"}},
	} {
		w.git(step.args...)
		h.live(w.git("rev-parse", "refs/heads/main"))
		t.Log(step.name)
	}
}

func TestATipEqualToTheLiveCommitIsNotEvaluatedAgain(t *testing.T) {
	w := newWorld(t, files{server("greet"): extensionOf("greet", `console.log("evaluated");`, tool("greet", `return "A";`))})
	first := w.git("rev-parse", "HEAD")
	h := w.open(inMemory)
	h.refused(w.commit(files{server("greet"): "export default 1"}))
	w.git("reset", "--quiet", "--hard", first)
	h.live(first)
	if count := strings.Count(h.log.String(), "evaluated"); count != 1 {
		t.Errorf("the live commit was evaluated %d times", count)
	}
}

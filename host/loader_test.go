package host

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// pair is two files that must agree.
func pair(version int) files {
	return files{
		server("a"): extensionOf("a", `const { version } = await import("../../shared/version.ts"); const own = `+fmt.Sprint(version)+`;
			if (own !== version) throw new Error("mixed");`,
			tool("pair", `return version + "=" + own;`)),
		"shared/version.ts": fmt.Sprintf("export const version: number = %d;\n", version),
	}
}

func TestCommitsFasterThanLoadsEndWithTheNewestAndNeverAMix(t *testing.T) {
	w := newWorld(t, pair(0))
	h := w.open(inMemory)
	stop := make(chan struct{})
	mixed := make(chan string, 1)
	go func() {
		defer close(mixed)
		for {
			select {
			case <-stop:
				return
			default:
			}
			text := h.CallTool(t.Context(), ToolCall{Tool: "pair"}).Text()
			if first, second, _ := strings.Cut(text, "="); first != second {
				mixed <- text
				return
			}
		}
	}()
	var last string
	for i := range 25 {
		last = w.commit(pair(i + 1))
	}
	h.live(last)
	close(stop)
	if text, ok := <-mixed; ok {
		t.Errorf("a call answered %q", text)
	}
	same(t, h.call("pair"), "25=25")
	for _, load := range h.Status().History {
		if load.Outcome == Refused {
			t.Errorf("commit %s was refused: %s", load.Commit, load.Error)
		}
	}
}

func TestALoadThatTakesLongIsCancelledForANewerTipButNeverTwoInARow(t *testing.T) {
	t.Parallel() // the second load takes its 3 s
	clock := newManualClock()
	hung := func(n int) files {
		return files{server("a"): extensionOf("a", fmt.Sprintf(`await host.fs.write("/tmp/began%d", ""); await new Promise(() => {});`, n))}
	}
	w := newWorld(t, files{server("a"): answering("a", "A")})
	h := w.open(inMemory, clock.in, loadsBriefly)
	began := func(n int) {
		h.until(fmt.Sprintf("factory %d began", n), func(Status) bool {
			_, err := h.Files().Stat(fmt.Sprintf("/tmp/began%d", n))
			return err == nil
		})
	}
	first := w.commit(hung(1))
	began(1)
	clock.awaited(t, patience)
	w.commit(hung(2))
	clock.advance(patience)
	began(2)
	status := h.until("the first load cancelled", func(s Status) bool {
		return len(s.History) > 1 && s.History[1].Outcome == Cancelled
	})
	same(t, status.History[1].Commit, first)
	same(t, h.call("a"), "A")

	// The second is not cancelled: it ends by its own limit.
	fix := w.commit(files{server("a"): answering("a", "fixed")})
	clock.advance(time.Minute)
	status = h.live(fix)
	if outcome := status.History[2].Outcome; outcome != Refused {
		t.Errorf("the second load ended as %s", outcome)
	}
	contains(t, status.History[2].Error, "did not finish within 3s")
	same(t, h.call("a"), "fixed")
}

func TestAFixGetsPastAFactoryThatHangs(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	h := w.open(inMemory)
	hung := w.commit(files{server("a"): extensionOf("a", `await host.fs.write("/tmp/began", ""); await new Promise(() => {});`)})
	h.until("the factory", func(Status) bool { _, err := h.Files().Stat("/tmp/began"); return err == nil })
	h.live(w.commit(files{server("a"): answering("a", "fixed")}))
	same(t, h.call("a"), "fixed")
	for _, load := range h.Status().History {
		if load.Commit == hung && load.Outcome != Cancelled {
			t.Errorf("the hung load ended as %s", load.Outcome)
		}
	}
}

func TestAFixGetsPastAnOnOpenThatHangs(t *testing.T) {
	t.Parallel() // closing waits for the callback that hangs
	w := newWorld(t, files{server("a"): extensionOf("a", `host.onOpen(() => new Promise(() => {}));`, tool("a", `return "A";`))})
	h := w.open(inMemory)
	same(t, h.call("a"), "A") // calls may arrive before it returns
	h.live(w.commit(files{server("a"): answering("a", "fixed")}))
	same(t, h.call("a"), "fixed")
}

func TestACandidateThatSpinsIsRefusedWhileTheLiveOneAnswers(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A"), server("b"): answering("b", "B")})
	h := w.open(inMemory, loadsBriefly)
	spins := w.commit(files{server("a"): "let n = 0;\nfor (;;) n++;\nexport default {};\n"})
	h.until("the load", func(s Status) bool { return s.Loading != nil && *s.Loading == spins })
	same(t, h.call("a"), "A")
	contains(t, h.refused(spins), "extensions/a/server.ts:2:", "without yielding", "modules")
	same(t, h.call("b"), "B")
}

func TestEveryCommitIsAGenerationAlsoOneThatChangesNoExtension(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "", tool("generation", "return host.generation;"))})
	h := w.open(inMemory)
	second := w.commit(files{"notes.txt": "x"})
	h.live(second)
	same(t, h.call("generation"), second)
}

func TestSnapshotsOfOldCommitsGo(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "0")})
	h := w.open(inMemory)
	first := w.git("rev-parse", "HEAD")
	h.result("a")
	w.listed(first)
	for i := range 3 {
		h.live(w.commit(files{server("a"): answering("a", fmt.Sprint(i+1))}))
	}
	h.refused(w.commit(files{server("a"): "export default ("}))
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	good := *h.Status().Good
	w.listed(good)
	entries, err := os.ReadDir(w.path(Snapshots))
	if err != nil || len(entries) != 1 || entries[0].Name() != good {
		t.Errorf("%s holds %v (%v)", Snapshots, entries, err)
	}
	if shown, err := h.Files().List(Snapshots); err != nil || len(shown) != 1 {
		t.Errorf("the world shows %v (%v)", shown, err)
	}
}

// listed waits until git lists the worktree of one commit and no other.
func (w *testWorld) listed(commit string) {
	w.Helper()
	limit := time.Now().Add(patient)
	for {
		list := w.git("worktree", "list", "--porcelain")
		if strings.Count(list, "worktree ") == 2 && strings.Contains(list, "HEAD "+commit) && strings.Contains(list, Snapshots+"/"+commit) {
			return
		}
		if time.Now().After(limit) {
			w.Fatalf("git lists\n%s\nand not only commit %s", list, commit)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestACommitThatComesBackWhileItsOldGenerationDrainsIsShown(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "",
		tool("wait", `await host.exec("until [ -e /tmp/go ]; do sleep 0.02; done"); return await host.fs.read("/run/sausage/extensions/" + host.generation + "/README");`),
		tool("read", `return await host.fs.read("/run/sausage/extensions/" + host.generation + "/README");`),
		tool("cat", `return (await host.exec(["cat", "/run/sausage/extensions/" + host.generation + "/README"])).stdout;`)),
		"README": "first"})
	first := w.git("rev-parse", "HEAD")
	h := w.open(inMemory)
	waits := h.background("wait")
	h.inFlight("a", 1)
	h.live(w.commit(files{"README": "second"}))
	same(t, h.call("read"), "second")
	w.git("reset", "--quiet", "--hard", first)
	h.live(first)
	same(t, h.call("read"), "first")
	if err := h.Files().Write("/tmp/go", nil); err != nil {
		t.Fatal(err)
	}
	same(t, await(t, "the old call", waits).Text(), "first")
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	same(t, h.call("read"), "first")
	same(t, h.call("cat"), "first")
	w.listed(first)
}

func TestReloadLoadsARefusedTipAgain(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `if (!(await host.fs.stat("/tmp/ready").catch(() => null))) throw new Error("not ready");`, tool("a", `return "A";`))})
	tip := w.git("rev-parse", "HEAD")
	h := w.open(inMemory)
	contains(t, h.refused(tip), "not ready")
	if err := h.Files().Write("/tmp/ready", nil); err != nil {
		t.Fatal(err)
	}
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, h.call("a"), "A")
}

func TestTheStatusIsAFileOfTheWorld(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "",
		tool("fs", `return JSON.parse(await host.fs.read("/proc/extensions")).good;`),
		tool("command", `return JSON.parse((await host.exec("cat /proc/extensions")).stdout).good;`))})
	h := w.open(inMemory)
	for range 2 {
		same(t, h.call("fs"), *h.Status().Good)
		same(t, h.call("command"), *h.Status().Good)
		h.live(w.commit(files{"README": "x"}))
	}
}

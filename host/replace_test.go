package host

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
)

// spinning is an extension whose tool spin never yields.
func spinning(name, body string) string {
	return extensionOf(name, body,
		tool(name+"_spin", "\nfor (let n = 0; ; ) n++;\n"),
		tool(name+"_wait", `await new Promise(() => {});`),
		tool(name+"_ok", `return "ok";`))
}

func TestAToolThatSpinsIsInterruptedAtItsPlaceAndTheNextCallWorks(t *testing.T) {
	w := newWorld(t, files{server("a"): spinning("a", ""), server("b"): spinning("b", "")})
	h := w.open(inMemory, callsBriefly)
	pending, others := h.background("a_wait"), h.background("b_wait")
	h.inFlight("a", 1)
	h.inFlight("b", 1)
	contains(t, h.fails("a_spin"), "extension a", "tool a_spin", "without yielding", "extensions/a/server.ts:4:")

	lost := await(t, "the pending call", pending)
	if lost.Code != registry.CodeInterrupted {
		t.Errorf("the pending call ended as %q: %s", lost.Code, lost.Text())
	}
	same(t, h.call("a_ok"), "ok")
	notice := h.Status().Notice
	if notice == nil || notice.Extension != "a" {
		t.Fatalf("notice: %s", asJSON(notice))
	}
	contains(t, notice.Message, "isolate was replaced", "extensions/a/server.ts:4:")

	h.inFlight("b", 1) // the other extension notices nothing
	select {
	case result := <-others:
		t.Errorf("a call of another extension ended: %s", result.Text())
	default:
	}
	if state := h.extensionStatus("a").State; state != StateLive {
		t.Errorf("state %s", state)
	}
}

func TestAnOverflowReplacesTheIsolateToo(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "const down = (n: number): number => 1 + down(n + 1);",
		tool("overflow", `return String(down(0));`), tool("ok", `return "ok";`))})
	h := w.open(inMemory)
	contains(t, h.fails("overflow"), "call stack", "extensions/a/server.ts:2:")
	same(t, h.call("ok"), "ok")
}

func TestAReplacementSkipsOnCloseAndRunsOnOpenAgain(t *testing.T) {
	w := newWorld(t, files{server("a"): spinning("a", `
		host.onOpen(() => console.log("first opened"));
		host.onOpen(() => console.log("second opened"));
		host.onClose(() => console.log("closed"));`)})
	h := w.open(inMemory, callsBriefly)
	h.fails("a_spin")
	same(t, h.call("a_ok"), "ok")
	h.until("onOpen again", func(Status) bool { return strings.Count(h.log.String(), "second opened") == 2 })
	log := h.log.String()
	if strings.Count(log, "first opened") != 2 || strings.Contains(log, "closed") {
		t.Errorf("log:\n%s", log)
	}
}

// However an isolate is lost, what would run in it at the end is skipped, and is no
// failure beside the loss.
func TestALostIsolateIsClosedWithoutFurtherFailures(t *testing.T) {
	for name, test := range map[string]struct {
		onClose string // the one that runs first
		spins   bool   // a call loses the isolate before the end
	}{
		"before": {`console.log("closing")`, true},
		"in one": {`for (;;) {}`, false},
		"not":    {`console.log("closing")`, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, files{server("a"): "export default (host: any) => {\n" +
				`host.onClose(() => console.log("closing")); host.onClose(() => console.log("closing")); host.onClose(() => { ` + test.onClose + ` });
				return { name: "a", tools: [` + tool("a_spin", "for (;;) {}") + `], shutdown() { console.log("closing"); } };
			};`})
			h := w.open(inMemory, callsBriefly)
			if test.spins {
				h.fails("a_spin")
			}
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			log := h.log.String()
			lost := name != "not"
			if strings.Contains(log, "without yielding") != lost || strings.Contains(log, "was replaced") || strings.Contains(log, "closing") == lost {
				t.Errorf("log:\n%s", log)
			}
		})
	}
}

func TestAReplacementThatIsLostInItsOnOpenDoesNotHang(t *testing.T) {
	w := newWorld(t, files{server("a"): spinning("a", `
		let spins = await host.fs.read("/tmp/spins").catch(() => "");
		host.onOpen(() => { if (spins) for (;;) {} });
		host.onOpen(() => console.log("second opened"));`)})
	h := w.open(inMemory, callsBriefly)
	if err := h.Files().Write("/tmp/spins", []byte("yes")); err != nil {
		t.Fatal(err)
	}
	h.fails("a_spin")
	h.result("a_ok") // which may find the isolate before its onOpen spins, or after
	if err := h.Files().Remove("/tmp/spins", false); err != nil {
		t.Fatal(err)
	}
	// One that began before may be lost yet.
	h.until("a replacement that opens", func(Status) bool { return h.result("a_ok").Text() == "ok" })
}

// What an extension does of its own accord goes on after its isolate was lost,
// however it was lost, and though nobody calls.
func TestAnExtensionThatLivesByItselfIsReplacedUnasked(t *testing.T) {
	beat := `setInterval(() => { host.fs.append("/tmp/beats", "x"); }, 5);`
	for kind, starts := range map[string]string{
		"onOpen":   `host.onOpen(() => { ` + beat + ` });`,
		"resource": `host.resource("heart", (host: any) => { ` + beat + ` return {}; });`,
	} {
		for loss, body := range map[string]string{
			"tool":     "",
			"timer":    `const once = await host.fs.stat("/tmp/lost").catch(() => undefined); if (!once) setTimeout(() => { for (;;) {} }, 50);`,
			"overflow": `const once = await host.fs.stat("/tmp/lost").catch(() => undefined); const down = (n: number): number => 1 + down(n + 1); if (!once) setTimeout(() => down(0), 50);`,
		} {
			t.Run(kind+" after a "+loss, func(t *testing.T) {
				w := newWorld(t, files{server("a"): spinning("a", body+starts)})
				h := w.open(inMemory, callsBriefly)
				if err := h.Files().Write("/tmp/lost", nil); err != nil {
					t.Fatal(err)
				}
				if loss == "tool" {
					h.fails("a_spin")
				}
				h.until("a replacement", func(s Status) bool { return strings.Contains(h.log.String(), "isolate was replaced") })
				if err := h.Files().Remove("/tmp/beats", false); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				h.until("a beat", func(Status) bool { _, err := h.Files().Stat("/tmp/beats"); return err == nil })
			})
		}
	}
}

func TestWhatIsLostBeforeItIsLiveIsReplacedAndOpenedOnce(t *testing.T) {
	for kind, starts := range map[string]string{
		"onOpen":   `host.onOpen(() => { console.log("begun"); }); host.onOpen(() => { console.log("done"); });`,
		"resource": `host.resource("heart", () => { if (lost) { console.log("begun"); console.log("done"); } return {}; });`,
	} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, files{server("a"): extensionOf("a", `
				const lost = await host.fs.stat("/tmp/lost").catch(() => undefined);
				if (!lost) setTimeout(() => { for (;;) {} }, 0);
				`+starts, tool("ok", `return "ok";`))})
			log := &logged{}
			h := w.open(inMemory, callsBriefly, func(o *Options) {
				o.Logger = slog.New(log)
				o.step = func(step string) {
					if step != "staged" {
						return
					}
					for limit := time.Now().Add(patient); !strings.Contains(log.String(), "without yielding") && time.Now().Before(limit); {
						runtime.Gosched()
					}
					if err := os.WriteFile(w.path("tmp/lost"), nil, 0o644); err != nil {
						t.Error(err)
					}
				}
			})
			h.until("the replacement", func(Status) bool {
				return strings.Contains(log.String(), "was replaced") && strings.Contains(log.String(), "done")
			})
			same(t, h.call("ok"), "ok")
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if strings.Count(log.String(), "begun") != 1 || strings.Count(log.String(), "done") != 1 {
				t.Errorf("log:\n%s", log)
			}
		})
	}
}

func TestAReplacementThatDeclaresSomethingElseIsAFailedExtension(t *testing.T) {
	w := newWorld(t, files{server("a"): `
		export default async (host: any) => {
			const again = await host.fs.stat("/tmp/again").then(() => true, () => false);
			return { name: "a", tools: [` + tool("a_spin", "for (;;) {}") + `, ...(again ? [` + tool("extra", "") + `] : [])] };
		};`, server("b"): answering("b", "b")})
	h := w.open(inMemory, callsBriefly)
	if err := h.Files().Write("/tmp/again", nil); err != nil {
		t.Fatal(err)
	}
	h.fails("a_spin")
	contains(t, h.fails("a_spin"), "declares something else")
	status := h.extensionStatus("a")
	if status.State != StateFailed {
		t.Errorf("state %s", status.State)
	}
	contains(t, status.Error, "declares something else")
	same(t, h.call("b"), "b")

	if err := h.Files().Remove("/tmp/again", false); err != nil {
		t.Fatal(err)
	}
	contains(t, h.fails("a_spin"), "without yielding") // replaced once more, and lost once more
}

func TestWantInAReplacementIsAnsweredAsWhenTheCommitLoaded(t *testing.T) {
	w := newWorld(t, files{
		server("a"): extensionOf("a", `
			const early = host.want("late"), tools = early ? [`+tool("extra", "")+`] : [];`,
			"...tools", tool("a_spin", "for (;;) {}"), tool("a_ok", `return "ok";`)),
		server("b"): extensionOf("b", `host.implement("late", { get: () => 1 });`),
	})
	h := w.open(inMemory, callsBriefly)
	h.fails("a_spin")
	same(t, h.call("a_ok"), "ok")
}

func TestMoreThanThreeReplacementsAMinuteWait(t *testing.T) {
	clock := newManualClock()
	w := newWorld(t, files{server("a"): spinning("a", "")})
	h := w.open(inMemory, callsBriefly, clock.in)
	for range freeReplacements + 1 {
		h.fails("a_spin")
	}
	waiting := h.background("a_ok")
	clock.awaited(t, time.Second)

	// Others that wait can give up.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *registry.Result, 1)
	go func() { ended <- h.CallTool(ctx, ToolCall{Tool: "a_ok"}) }()
	h.inFlight("a", 2)
	cancel()
	if result := await(t, "the cancelled call", ended); result.Code != registry.CodeAborted {
		t.Errorf("code %s: %s", result.Code, result.Text())
	}

	select {
	case result := <-waiting:
		t.Errorf("the call did not wait: %s", result.Text())
	default:
	}
	clock.advance(time.Second)
	same(t, await(t, "the waiting call", waiting).Text(), "ok")

	h.fails("a_spin")
	waiting = h.background("a_ok")
	clock.awaited(t, 2*time.Second)
	clock.advance(2 * time.Second)
	same(t, await(t, "the waiting call", waiting).Text(), "ok")
}

func TestClosingDoesNotWaitForAReplacementThatWaits(t *testing.T) {
	clock := newManualClock()
	w := newWorld(t, files{server("a"): spinning("a", "")})
	h, err := w.tryOpen(inMemory, callsBriefly, clock.in)
	if err != nil {
		t.Fatal(err)
	}
	for range freeReplacements + 1 {
		h.fails("a_spin")
	}
	waiting := h.background("a_ok")
	clock.awaited(t, time.Second)
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
	contains(t, await(t, "the waiting call", waiting).Text(), "stopping")
}

func TestADrainingGenerationIsNotReplaced(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "", tool("start", `
		await host.fs.write("/tmp/started", "");
		await host.exec("until [ -e /tmp/go ]; do sleep 0.02; done");
		for (;;) {}`), tool("wait", `await host.fs.write("/tmp/waits", ""); await new Promise(() => {});`), tool("ok", `return "v1";`))})
	h := w.open(inMemory, callsBriefly)
	spins, waits := h.background("start"), h.background("wait")
	for _, name := range []string{"/tmp/started", "/tmp/waits"} {
		h.until(name, func(Status) bool { _, err := h.Files().Stat(name); return err == nil })
	}
	h.live(w.commit(files{server("a"): extensionOf("a", `host.onOpen(() => console.log("opened v2"));`, tool("ok", `return "v2";`))}))
	if err := h.Files().Write("/tmp/go", nil); err != nil {
		t.Fatal(err)
	}
	contains(t, await(t, "the call that spins", spins).Text(), "without yielding")
	if result := await(t, "the call that waits", waits); result.Code != registry.CodeInterrupted {
		t.Errorf("code %s: %s", result.Code, result.Text())
	}
	h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
	same(t, h.call("ok"), "v2")
	if strings.Count(h.log.String(), "opened v2") != 1 || strings.Contains(h.log.String(), "was replaced:") {
		t.Errorf("log:\n%s", h.log)
	}
}

package host

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model/faux"
)

// guided opens a world of the examples of docs/host-api.md. The first line of an
// example names its file.
func guided(t *testing.T) *talking {
	t.Helper()
	page, err := os.ReadFile("../docs/host-api.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := files{}
	for _, block := range regexp.MustCompile("(?s)```ts\n// ([^\n]+)\n(.*?)```").FindAllSubmatch(page, -1) {
		examples[string(block[1])] = string(block[2])
	}
	h := newWorld(t, examples).talk(func(o *Options) {
		inMemory(o)
		o.Settings = func() agent.Settings {
			return agent.Settings{Model: &durable.ModelRef{Provider: "faux", Model: "faux-1"}}
		}
	})
	for path, text := range map[string]string{"home/list.txt": "a\nb\nc\nd\n", "home/diary.txt": "dear diary"} {
		if err := os.WriteFile(h.world.path(path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestTheExamplesOfTheGuideAreCalled(t *testing.T) {
	h := guided(t)
	same(t, h.call("note", map[string]any{"text": "buy milk"}), "Noted.")
	same(t, h.call("head", map[string]any{"path": " /home/list.txt "}), "a\nb\nc")
	contains(t, h.fails("head", map[string]any{"path": "/home/diary.txt"}), "the diary is private")
	same(t, h.call("weather", map[string]any{"place": "Ulm"}), "3 °C")
	same(t, h.call("welcome", map[string]any{"name": "Ada"}), "Welcome, Ada!")
	contains(t, h.call("bash", map[string]any{"command": "echo outside"}), "outside")
}

func TestTheExamplesOfTheGuideTakePartInConversations(t *testing.T) {
	h := guided(t)
	h.callThen("step_add", map[string]any{"step": "bake bread"}, "Noted.")
	h.say("Note a step.")
	inOrder(t, h.transcript(), "<style>\nBe brief.", "result: 1 steps", "system: <steps>\nbake bread", "assistant: Noted.")
	h.callThen("bash", map[string]any{"command": "echo found"}, "It is there.")
	h.say("Look for it.")
	inOrder(t, h.transcript(), "result: found", "assistant: It is there.")
	h.model.Set(faux.Answer(faux.Says("Forty-two.")))
	same(t, h.call("ask", map[string]any{"question": "What is it?"}), "Forty-two.")
}

func TestTheReactorOfTheGuideCountsWhatWasSold(t *testing.T) {
	h := guided(t)
	for range 2 {
		contains(t, h.call("sell", map[string]any{"what": "bread"}), "Event ")
	}
	h.eventually("sold", `{"bread":2}`)
}

func TestTheScriptOfTheTutorialAnswers(t *testing.T) {
	page, err := os.ReadFile("../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if script == nil {
		t.Fatal("the tutorial has no script")
	}
	w := exampleWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "state", ScriptFile), script[1], 0o600); err != nil {
		t.Fatal(err)
	}
	h := &talking{testHost: w.open(inMemory), world: w}
	h.say("Bake bread")
	inOrder(t, h.transcript(),
		"user: Bake bread", "assistant: I see <plan>\n[ ] knead\n</plan> and stop.", "user: Steps of the plan", "assistant: I rest now.")
}

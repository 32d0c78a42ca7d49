package host

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

const hugeText = `"x".repeat(4e6)`

// TestWhatARefusalSaysIsBounded refuses commits whose errors have no end: the status
// and the record stay small, and say how much was cut.
func TestWhatARefusalSaysIsBounded(t *testing.T) {
	for name, source := range map[string]string{
		"a throw in a factory": "export default () => { throw new Error(" + hugeText + "); };",
		"a throw in a module":  "throw new Error(" + hugeText + ");",
		"a thrown text":        "export default () => { throw " + hugeText + "; };",
		"a getter that throws": `export default { get name() { throw new Error(` + hugeText + `); } };`,
		"a name":               `export default { name: ` + hugeText + ` };`,
		"a long list":          `export default { name: "x", tools: Array.from({ length: 5000 }, () => null) };`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, files{server("live"): answering("live", "here")})
			kept := &disk{}
			h := w.open(over(kept))
			h.refused(w.commit(files{server("x"): source}))
			if size := len(asJSON(h.Status())); size > 2*maxRecorded+maxProblems*200 {
				t.Errorf("the status has %d bytes", size)
			}
			text, err := json.Marshal(stored(t, kept))
			if err != nil || len(text) > 2*maxRecorded+4096 {
				t.Errorf("the record has %d bytes, %v", len(text), err)
			}
		})
	}
}

func TestWhatIsLoggedIsBounded(t *testing.T) {
	w := newWorld(t, files{server("x"): extensionOf("x", `host.notice(`+hugeText+`); console.log(`+hugeText+`);
		host.onOpen(() => { throw new Error(`+hugeText+`); });`)})
	h := w.open(inMemory)
	h.until("the failure is logged", func(Status) bool { return strings.Contains(h.log.String(), "onOpen") })
	for line := range strings.Lines(h.log.String()) {
		if len(line) > 2*maxLogged {
			t.Errorf("a line of the log has %d bytes", len(line))
		}
	}
	if notice := h.Status().Notice; notice == nil || len(notice.Message) > maxLogged+64 || !strings.Contains(notice.Message, "bytes cut]") {
		t.Errorf("notice = %.100v", notice)
	}
}

func TestBoundedProblemsSayWhatIsMissing(t *testing.T) {
	problems := boundedProblems(make([]registry.Problem, maxProblems+3))
	if last := problems[len(problems)-1].Message; len(problems) != maxProblems+1 || last != "there are 3 more problems" {
		t.Errorf("%d problems, the last %q", len(problems), last)
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestTheStatusShowsAProblemThatIsNotOfTheNewestCommit(t *testing.T) {
	commit, failed := strings.Repeat("a", 40), "the newest commit is refused"
	problems := []registry.Problem{{Message: "the session has failed", Hint: "restart the harness"}}
	for name, c := range map[string]struct {
		status host.Status
		shows  string
	}{
		"it is live":     {host.Status{Good: &commit, Current: &commit, Problems: problems}, "problem  the session has failed (restart the harness)\n"},
		"it is not live": {host.Status{Current: &commit, Error: &failed, Problems: problems}, "newest   aaaaaaa, not live\n  the session has failed (restart the harness)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var shown bytes.Buffer
			printStatus(&program{out: &output{to: &shown}}, c.status, true)
			if !strings.Contains(shown.String(), c.shows) {
				t.Errorf("the status:\n%s", &shown)
			}
		})
	}
}

package agent_test

import (
	"testing"

	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(stopping{m}) }

// stopping stops the clock of regexp2 after the tests: it would run on for a moment
// after the last match with a limit.
type stopping struct{ *testing.M }

func (m stopping) Run() int {
	defer regexp2.StopTimeoutClock()
	return m.M.Run()
}

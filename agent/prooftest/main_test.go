package prooftest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"
)

// soak runs the tests that take minutes at their full size: make soak.
var soak = flag.Bool("soak", os.Getenv("HARNESS_SOAK") != "", "run long tests at full size")

// rounds returns how often a test does what it does.
func rounds(few, many int) int {
	if *soak {
		return many
	}
	return few
}

func TestMain(m *testing.M) {
	if life := os.Getenv(childVariable); life != "" {
		if err := child(life); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(stopping{m})
}

// stopping stops the clock of regexp2 after the tests: it would run on for a moment
// after the last match with a limit.
type stopping struct{ *testing.M }

func (m stopping) Run() int {
	defer regexp2.StopTimeoutClock()
	return m.M.Run()
}

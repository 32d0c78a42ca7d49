// Package prooftest proves what the engine promises as a whole: that a session over
// a disk outlasts the death of its process at any instant, that nothing is
// acknowledged before it is stored, and that a storage that fails anywhere leaves
// all of a commit or nothing.
package prooftest

import (
	"flag"
	"fmt"
	"os"
	"testing"

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
	if dir := os.Getenv(childVariable); dir != "" {
		if err := child(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

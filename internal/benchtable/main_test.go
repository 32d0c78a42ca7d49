package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const printed = `goos: linux
pkg: example.org/m/worktree
cpu: Some processor
BenchmarkSetRef-2           	     100	   2000000 ns/op	      1000 floor-µs/op	         2.000 ×floor	    4096 B/op	      12 allocs/op
BenchmarkIsolate/with_all-2 	  500000	       742 ns/op	       110 KB/isolate
PASS
ok  	example.org/m/worktree	1.200s
pkg: example.org/m/host
BenchmarkReload/20  	10	  90000000 ns/op	        30.00 floor-ms/op	  45.00 ms/op	         0.6923 x-budget	         1.500 x-floor
PASS
`

const table = `    time  floor  × floor  × budget  bytes  allocs  benchmark
    2 ms   1 ms     2.00             4096      12  worktree SetRef
  742 ns                                0       0  worktree Isolate/with_all (110 KB/isolate)
   45 ms  30 ms     1.50      0.69      0       0  host Reload/20
`

func TestTableOfResults(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader(printed), &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(table, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFailuresArePassedOn(t *testing.T) {
	for _, test := range []struct{ name, input, shown string }{
		{"a failed benchmark", "BenchmarkA-2 \t 10 \t 5 ns/op\n--- FAIL: BenchmarkB\n    b_test.go:3: broken\n", "b_test.go:3: broken"},
		{"results before a failure", "BenchmarkA-2 \t 10 \t 5 ns/op\nFAIL\n", "5 ns"},
		{"a package that does not build", "# example.org/m\n./a.go:1: undefined: x\nFAIL\texample.org/m [build failed]\n", "undefined: x"},
		{"nothing", "", ""},
		{"a value that is no number", "BenchmarkA-2 \t 10 \t five ns/op\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := run(strings.NewReader(test.input), &out); err == nil {
				t.Error("no error")
			}
			if !strings.Contains(out.String(), test.shown) {
				t.Errorf("%q does not show %q", out.String(), test.shown)
			}
		})
	}
}

// Command benchtable reads what `go test -bench` prints and writes one table: the
// time of each benchmark, beside the floor that it measured in the same run and
// the ratio of the two. A benchmark reports these with testing.B.ReportMetric:
//
//	floor-µs/op  the floor, in any unit of time
//	×floor       how many floors the work takes
//	×budget      how many budgets it takes: more than 1 is too slow
//
// Where a benchmark reports a time of its own (ms/op, say), that stands in place of
// ns/op. Lines that are no result, such as a failure, are passed on as they come.
// The exit code is 1 when a benchmark failed or there was none.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	results, failed := read(in, out)
	return errors.Join(write(out, results), failed)
}

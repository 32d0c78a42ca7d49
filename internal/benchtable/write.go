package main

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// write prints the table, in the order of the results; nothing when there are none.
func write(out io.Writer, results []result) error {
	if len(results) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "time\tfloor\t× floor\t× budget\tbytes\tallocs\t  benchmark")
	for _, r := range results {
		name := path.Base(r.pkg) + " " + r.name
		if len(r.others) > 0 {
			name += " (" + strings.Join(r.others, ", ") + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.0f\t%.0f\t  %s\n",
			short(r.took), short(r.floor), ratio(r.floors), ratio(r.budgets), r.bytes, r.allocs, name)
	}
	return table.Flush()
}

// short prints a duration with three digits, and nothing for one that is not known.
func short(d time.Duration) string {
	if d == 0 {
		return ""
	}
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"s", time.Second}, {"ms", time.Millisecond}, {"µs", time.Microsecond}} {
		if d >= unit.size {
			return strconv.FormatFloat(float64(d)/float64(unit.size), 'g', 3, 64) + " " + unit.name
		}
	}
	return strconv.FormatInt(d.Nanoseconds(), 10) + " ns"
}

// ratio prints a ratio, and nothing for one that is not known.
func ratio(r float64) string {
	if r == 0 {
		return ""
	}
	return strconv.FormatFloat(r, 'f', 2, 64)
}

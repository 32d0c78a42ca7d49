package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// result is one line of a benchmark.
type result struct {
	pkg, name     string
	took, floor   time.Duration // floor is zero when there is none
	floors        float64       // ratio to the floor, or zero
	budgets       float64       // ratio to the budget, or zero
	bytes, allocs float64       // per operation
	others        []string      // what else it reported, as "value unit"
}

// durations are the units of time that a metric can have.
var durations = map[string]time.Duration{
	"ns": time.Nanosecond, "µs": time.Microsecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
}

// timeUnit matches a metric that is a time: whose, and in which unit.
var timeUnit = regexp.MustCompile(`^(floor-|bare-)?(ns|µs|us|ms|s)(/\w+)?$`)

// line matches a result; the name's last part is GOMAXPROCS.
var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// read returns the results in the output of go test, and passes on to rest what is
// neither a result nor a heading.
func read(in io.Reader, rest io.Writer) ([]result, error) {
	var results []result
	var failed error
	var pkg string
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		text := scanner.Text()
		found := line.FindStringSubmatch(text)
		switch {
		case found != nil:
			parsed, err := parse(pkg, found[1], strings.Fields(found[2]))
			if err != nil {
				return results, err
			}
			results = append(results, parsed)
		case strings.HasPrefix(text, "pkg: "):
			pkg = strings.TrimPrefix(text, "pkg: ")
		case strings.HasPrefix(text, "goos: "), strings.HasPrefix(text, "goarch: "), strings.HasPrefix(text, "cpu: "),
			strings.HasPrefix(text, "ok "), strings.HasPrefix(text, "? "), text == "PASS", strings.HasSuffix(text, "[no test files]"):
		default:
			if strings.HasPrefix(text, "FAIL") || strings.HasPrefix(text, "--- FAIL") {
				failed = errors.New("a benchmark failed")
			}
			if _, err := fmt.Fprintln(rest, text); err != nil {
				return results, err
			}
		}
	}
	if err := scanner.Err(); err != nil {
		return results, err
	}
	if failed == nil && len(results) == 0 {
		failed = errors.New("no results of benchmarks to read")
	}
	return results, failed
}

// parse reads the metrics of a result: pairs of a value and its unit.
func parse(pkg, name string, fields []string) (result, error) {
	parsed := result{pkg: pkg, name: name}
	for i := 0; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return result{}, fmt.Errorf("result of Benchmark%s of %s: %w", name, pkg, err)
		}
		parsed.metric(value, fields[i+1])
	}
	return parsed, nil
}

func (r *result) metric(value float64, unit string) {
	switch ratio := strings.TrimLeft(unit, "×x-_"); {
	case unit == "B/op":
		r.bytes = value
	case unit == "allocs/op":
		r.allocs = value
	case ratio == "floor" || ratio == "bare":
		r.floors = value
	case ratio == "budget":
		r.budgets = value
	default:
		r.time(value, unit)
	}
}

func (r *result) time(value float64, unit string) {
	found := timeUnit.FindStringSubmatch(unit)
	if found == nil {
		r.others = append(r.others, strconv.FormatFloat(value, 'g', 4, 64)+" "+unit)
		return
	}
	took := time.Duration(value * float64(durations[found[2]]))
	if found[1] != "" || found[3] == "/bare" {
		r.floor = took
		return
	}
	r.took = took // go test prints ns/op first, so that a time of its own replaces it
}

package globals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestConformance runs every file of testdata: one assertion per line, a
// JavaScript expression that must be true, or a promise of true. Lines that
// begin with // are comments; a line that ends with \ goes on in the next; a
// line that begins with ! is a statement that sets up the lines below it. Each
// file runs in one runtime. When the loop is idle every promise must be settled.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conformance files: %v", err)
	}
	total := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".js"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			total += conform(t, filepath.Base(file), string(source))
		})
	}
	t.Logf("%d assertions", total)
}

func conform(t *testing.T, name, source string) (count int) {
	l := newLoop(t)
	if needsServer(source) {
		l.rt.Set("server", newServer(t))
	}
	for number, line := range lines(source) {
		if setup, ok := strings.CutPrefix(line, "!"); ok {
			if _, err := l.run(name, setup); err != nil {
				t.Errorf("%s:%d: %v\n\t%s", name, number, err, line)
			}
			continue
		}
		count++
		value, err := l.run(name, "("+line+"\n)")
		if err != nil {
			t.Errorf("%s:%d: %v\n\t%s", name, number, err, line)
			continue
		}
		if promise, ok := value.Export().(*goja.Promise); ok {
			if promise.State() == goja.PromiseStatePending {
				t.Errorf("%s:%d: still pending\n\t%s", name, number, line)
				continue
			}
			value = promise.Result()
		}
		if !value.StrictEquals(l.rt.ToValue(true)) {
			t.Errorf("%s:%d: %v\n\t%s", name, number, value, line)
		}
	}
	if reports := l.reports(); reports != "" && !strings.Contains(source, "// reports: ") {
		t.Errorf("%s: reported: %s", name, reports)
	}
	return count
}

// lines joins continued lines and leaves comments out; the key is the number of
// the line at which it begins.
func lines(source string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		whole, start := "", 0
		for i, line := range strings.Split(source, "\n") {
			if whole == "" {
				start = i + 1
			}
			if part, ok := strings.CutSuffix(line, `\`); ok {
				whole += part + "\n"
				continue
			}
			whole += line
			text := strings.TrimSpace(whole)
			whole = ""
			if text == "" || strings.HasPrefix(text, "//") {
				continue
			}
			if !yield(start, text) {
				return
			}
		}
	}
}

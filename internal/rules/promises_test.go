package rules

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// TestTestsInPagesExist looks up each test that a page names as the proof of what it
// says.
func TestTestsInPagesExist(t *testing.T) {
	known := make(map[string]bool)
	for _, file := range sources(t) {
		if !file.test() && !strings.Contains(file.path, "storagetest") {
			continue
		}
		for _, declaration := range file.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil {
				known[function.Name.Name] = true
			}
		}
	}
	named := regexp.MustCompile("`((?:Test|Benchmark|Fuzz|Example)[A-Za-z0-9_]*)[^`]*`")
	for _, page := range texts(t, ".md") {
		for _, found := range named.FindAllSubmatch(page.content, -1) {
			if name := string(found[1]); !known[name] {
				t.Errorf("%s names %s, and there is no such test", page.path, name)
			}
		}
	}
}

// TestEveryLineOfTheEngineHasARow counts the rows of docs/compatibility.md for the
// lines of the pi-durable engine that are built.
func TestEveryLineOfTheEngineHasARow(t *testing.T) {
	page := read(t, "docs/compatibility.md")
	row := func(line int) {
		rows := regexp.MustCompile(fmt.Sprintf(`(?m)^\| P%d \| .+ \| .+ \|$`, line)).FindAllString(page, -1)
		if len(rows) != 1 {
			t.Errorf("docs/compatibility.md has %d rows for P%d, and must have one", len(rows), line)
		}
	}
	for _, built := range [][2]int{{1, 171}, {175, 177}, {179, 183}} {
		for line := built[0]; line <= built[1]; line++ {
			row(line)
		}
	}
}

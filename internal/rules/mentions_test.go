package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

// TestAuthorsGuideNamesEverything keeps docs/host-api.md whole: a member or a module
// that it does not name is one that no author finds.
func TestAuthorsGuideNamesEverything(t *testing.T) {
	guide := read(t, "docs/host-api.md")
	for _, member := range hostMembers(t) {
		if !strings.Contains(guide, "`"+member) {
			t.Errorf("docs/host-api.md does not name the member %s of Host", member)
		}
	}
	for _, module := range modules.Names() {
		if !strings.Contains(guide, "`"+module+"`") {
			t.Errorf("docs/host-api.md does not name the module %s", module)
		}
	}
	for _, name := range errorNames(t) {
		if !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("docs/host-api.md does not name the error %s", name)
		}
	}
}

// hostMembers reads the members of interface Host from its declaration.
func hostMembers(t *testing.T) []string {
	t.Helper()
	return matches(t, between(t, read(t, "jsapi/modules/src/harness.ts"), "export interface Host {", "\n}"), `(?m)^  (?:readonly )?(\w+)[:(<]`)
}

// errorNames reads the names of the host's errors.
func errorNames(t *testing.T) []string {
	t.Helper()
	return matches(t, between(t, read(t, "jsapi/modules/src/harness.ts"), "export type HostErrorName =", ";"), `"(\w+)"`)
}

func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, begin)
	part, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("nothing between %q and %q", begin, end)
	}
	return part
}

func matches(t *testing.T, text, pattern string) []string {
	t.Helper()
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		t.Fatalf("nothing matches %s", pattern)
	}
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// link matches a link of Markdown to a file, without a fragment.
var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// TestLinksLeadSomewhere follows the links between pages and to files.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range texts(t, ".md") {
		for _, found := range link.FindAllSubmatch(page.content, -1) {
			target := filepath.Join("../..", filepath.FromSlash(page.folder()), filepath.FromSlash(string(found[1])))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page.path, found[1], err)
			}
		}
	}
}

// TestExamplesInPagesAreTested keeps the Go code in pages the same as code that
// tests run.
func TestExamplesInPagesAreTested(t *testing.T) {
	tested := strings.Join(strings.Fields(read(t, "host/example_test.go")+read(t, "registry/example_test.go")+read(t, "agent/example_test.go")), " ")
	fenced := regexp.MustCompile("(?s)```go\n(.*?)```")
	for _, page := range texts(t, ".md") {
		for _, block := range fenced.FindAllSubmatch(page.content, -1) {
			if code := strings.Join(strings.Fields(string(block[1])), " "); !strings.Contains(tested, code) {
				t.Errorf("%s shows Go code that is in no example_test.go of host, registry or agent:\n%s", page.path, block[1])
			}
		}
	}
}

// TestCommandsInPagesExist looks up what pages tell people to type.
func TestCommandsInPagesExist(t *testing.T) {
	known := map[string][]string{
		"harness": append(matches(t, strings.ToLower(read(t, "cmd/harness/main.go")), `(?m)^\s+(\w+)\s+\w+command\s+.cmd:""`), "--help"),
		"make":    matches(t, read(t, "Makefile"), `(?m)^([a-z]+):`),
	}
	typed := regexp.MustCompile("(?m)(?:`|^|go run ./cmd/|-- )(harness|make) ([a-z-]+)")
	for _, page := range texts(t, ".md") {
		for _, found := range typed.FindAllSubmatch(page.content, -1) {
			program, command := string(found[1]), string(found[2])
			if !slices.Contains(known[program], command) {
				t.Errorf("%s says %s %s, and there is no such command", page.path, program, command)
			}
		}
	}
}

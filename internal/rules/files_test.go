package rules

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"testing"
)

// TestFilesStayShort keeps a file at one idea that a person reads in one go.
func TestFilesStayShort(t *testing.T) {
	const most = 500
	for _, file := range texts(t, ".go", ".ts", ".js") {
		if lines := bytes.Count(file.content, []byte("\n")); lines > most && !file.generated() {
			t.Errorf("%s has %d lines of at most %d: split it by ideas", file.path, lines, most)
		}
	}
}

// TestNoPackageIsADrawer refuses names that say nothing, since everything fits into
// a package with such a name.
func TestNoPackageIsADrawer(t *testing.T) {
	drawers := []string{"util", "utils", "common", "helper", "helpers", "types", "manager", "misc", "shared", "base"}
	for folder, files := range packages(t) {
		for _, name := range []string{path.Base(folder), files[0].syntax.Name.Name} {
			if slices.Contains(drawers, name) {
				t.Errorf("%s: the name %q says nothing; name what the package does", folder, name)
			}
		}
	}
}

// unfinished are the marks of work that was put off.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// TestNothingIsPutOff refuses notes of unfinished work: the work is done, or planned
// in docs/compatibility.md.
func TestNothingIsPutOff(t *testing.T) {
	refuse(t, unfinished, "finish it, or plan it in docs/compatibility.md")
}

// workplace are traces of where and how a file was written: a developer's folders,
// and numbers that only a tracker can resolve.
var workplace = regexp.MustCompile(`(?i)(^|[\s"'(=:])/(work|root|Users)/[a-z]|\bissues? #?[0-9]|[\s(]#[0-9]+\b`)

// TestFilesDoNotKnowTheirWorkplace keeps the repository readable for someone who has
// nothing else: no path of one machine, no number of one tracker.
func TestFilesDoNotKnowTheirWorkplace(t *testing.T) {
	refuse(t, workplace, "say it in words that hold anywhere")
}

// refuse reports where a pattern occurs in the texts that people read.
func refuse(t *testing.T, pattern *regexp.Regexp, advice string) {
	t.Helper()
	read := []string{".go", ".ts", ".js", ".md", ".sh", ".txtar", ".txt", ".json", ".mod"}
	for _, file := range texts(t, read...) {
		if within(file.path, "internal/rules") || path.Base(file.path) == "package-lock.json" {
			continue
		}
		for _, found := range pattern.FindAllIndex(file.content, -1) {
			t.Errorf("%s:%d: %q: %s", file.path, file.line(found[0]), bytes.TrimSpace(file.content[found[0]:found[1]]), advice)
		}
	}
}

package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-d579e5eb/harness/agent/tools"
)

func TestWriteMakesAndReplacesFiles(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.expect("Made a/b/f with 5 bytes.", "write", "path", "a/b/f", "content", "é\r\n\t")
	w.expect("Replaced /a/b/f with 1 byte.", "write", "path", "/a/b/f", "content", "x")
	w.expect("error|[error tool_error] cannot write a/b: it is a directory", "write", "path", "a/b", "content", "x")
	w.expect("error|[error tool_error] cannot write a/b/f/g: a part of the path is not a directory", "write", "path", "a/b/f/g", "content", "x")
	w.expect("error|[error tool_error] cannot write /proc/f: permission denied", "write", "path", "/proc/f", "content", "x")
	if got := w.read("a/b/f"); got != "x" {
		t.Errorf("the file has %q", got)
	}
}

// pairs are edits: old, new, old, new.
func pairs(texts ...string) []map[string]string {
	var edits []map[string]string
	for i := 0; i < len(texts); i += 2 {
		edits = append(edits, map[string]string{"oldText": texts[i], "newText": texts[i+1]})
	}
	return edits
}

func TestEditsReplaceTextsOfTheFileAsItWas(t *testing.T) {
	for _, test := range []struct{ before, after, lines string }{
		{"a b c", "1 b 3", "[1,1]"},
		{"c\nb\na\n", "3\nb\n1\n", "[1,3]"},
	} {
		w := newWorld(t, tools.Options{})
		w.write("f", test.before)
		result := w.call("edit", "path", "f", "edits", pairs("a", "1", "c", "3"))
		if got := summary(result); got != "Made 2 changes in f." {
			t.Fatal(got)
		}
		if got := w.read("f"); got != test.after {
			t.Errorf("%q became %q, want %q", test.before, got, test.after)
		}
		if want := `{"path":"/f","lines":` + test.lines + `}`; string(result.Details) != want {
			t.Errorf("details %s, want %s", result.Details, want)
		}
	}
}

func TestAnEditThatIsNotClearChangesNothing(t *testing.T) {
	w := newWorld(t, tools.Options{})
	const text = "one\ntwo\none more\n\nthree\n"
	for _, test := range []struct {
		edits []map[string]string
		why   string
	}{
		{pairs("four", "4"), "oldText does not occur in it; it must be the same to the last space and line break, so read the file again"},
		{pairs("two", "2", "One", "1"), "edit 2 of 2: oldText does not occur in it; it must be the same to the last space and line break, so read the file again"},
		{pairs("one", "1"), "oldText occurs 2 times in it, in the lines 1, 3; take in more of what is around the right one"},
		{pairs("", "1"), "oldText is empty"},
		{pairs("two\none", "2", "more\n", "3", "one more", "1"), "edits 1 and 3 overlap; make them one"},
		{pairs("two", "two"), "the edits leave it as it is"},
	} {
		w.write("f", text)
		w.expect("error|[error tool_error] cannot edit f: "+test.why, "edit", "path", "f", "edits", test.edits)
		if got := w.read("f"); got != text {
			t.Errorf("%v changed the file to %q", test.edits, got)
		}
	}
	w.write("many", strings.Repeat("x\n", 12))
	w.expect("error|[error tool_error] cannot edit many: oldText occurs 12 times in it, in the lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...; take in more of what is around the right one",
		"edit", "path", "many", "edits", pairs("x", "y"))
	w.write("binary", "a\xffb")
	w.expect("error|[error tool_error] cannot edit binary: it is not a text in UTF-8", "edit", "path", "binary", "edits", pairs("a", "b"))
	w.expect("error|[error tool_error] cannot edit none: it does not exist", "edit", "path", "none", "edits", pairs("a", "b"))
}

func TestEditKeepsLineBreaksAndTheByteOrderMark(t *testing.T) {
	for _, test := range []struct{ before, old, put, after string }{
		{"a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"},
		{"a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"},
		{"a\r\nb\r\n", "a\r\n", "x\r\n", "x\r\nb\r\n"},
		{"a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"},
		{"a\nb\nc\r\nd\r\n", "a\nb", "x\ny", "x\ny\nc\r\nd\r\n"},
		{"a\nb\nc\r\nd\r\n", "c\nd", "x\ny", "a\nb\nx\r\ny\r\n"},
		{"\uFEFFa\nb\n", "a", "x", "\uFEFFx\nb\n"},
		{"\uFEFFa\nb\n", "\uFEFFa", "\uFEFFx", "\uFEFFx\nb\n"},
		{"a b", "a b", "a\r\nb", "a\r\nb"},
	} {
		w := newWorld(t, tools.Options{})
		w.write("f", test.before)
		w.expect("Made 1 change in f.", "edit", "path", "f", "edits", pairs(test.old, test.put))
		if got := w.read("f"); got != test.after {
			t.Errorf("%q with %q for %q became %q, want %q", test.before, test.put, test.old, got, test.after)
		}
	}
}

func TestEditsInAnotherFormAreUnderstood(t *testing.T) {
	edits := pairs("a", "1")
	text, err := json.Marshal(edits)
	if err != nil {
		t.Fatal(err)
	}
	one, err := json.Marshal(edits[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]any{
		{"path", "f", "edits", string(text)}, {"path", "f", "edits", string(one)}, {"path", "f", "edits", edits[0]},
		{"path", "f", "oldText", "a", "newText", "1"},
	} {
		w := newWorld(t, tools.Options{})
		w.write("f", "a")
		w.expect("Made 1 change in f.", "edit", arguments...)
	}
	w := newWorld(t, tools.Options{})
	if got := w.call("edit", "path", "f", "edits", "a to b"); got.Code != "invalid_arguments" {
		t.Errorf("%+v", got)
	}
}

// Every writer of a file sees what the one before wrote, by whatever path it came.
func TestWritersOfAFileTakeTurns(t *testing.T) {
	w := newWorld(t, tools.Options{})
	const writers = 40
	var before strings.Builder
	for i := range writers {
		fmt.Fprintf(&before, "<%d>\n", i)
	}
	w.write("d/f", before.String())
	if err := os.Symlink("/d/f", filepath.Join(w.dir, "link")); err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	for i := range writers {
		work.Go(func() {
			path := []string{"/d/f", "link", "d/../d/f"}[i%3]
			w.expect("Made 1 change in "+path+".", "edit", "path", path, "edits", pairs(fmt.Sprintf("<%d>", i), fmt.Sprintf("done %d", i)))
		})
	}
	work.Wait()
	if got := w.read("d/f"); strings.Count(got, "done") != writers {
		t.Errorf("%d of %d edits are in the file", strings.Count(got, "done"), writers)
	}
}

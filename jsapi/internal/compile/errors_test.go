package compile_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

var update = flag.Bool("update", false, "write what is printed into the files under testdata")

// TestErrors compiles extensions/todo/server.ts of each archive under testdata/errors and compares
// the printed problems with its last file, "want". The first line of an archive is the rule.
func TestErrors(t *testing.T) {
	names, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tree, want := fstest.MapFS{}, ""
			files := archive.Files[:0:0]
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files = append(files, f)
				tree[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			c := compile.New(compile.Options{Synthetic: standard()})
			_, err = c.Compile(context.Background(), tree, "extensions/todo/server.ts")
			var problems *compile.Errors
			if !errors.As(err, &problems) {
				t.Fatalf("error is %v, want *Errors", err)
			}
			got := problems.Error() + "\n"
			if *update {
				archive.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			_, again := c.Compile(context.Background(), tree, "extensions/todo/server.ts")
			if again == nil || again.Error() != err.Error() {
				t.Errorf("with a warm cache the error is\n%v", again)
			}
		})
	}
}

package modules_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

const repository = "../.."

// typescript returns the path of tsc, and skips the test without it.
func typescript(t *testing.T) string {
	t.Helper()
	tsc, err := filepath.Abs(filepath.Join(repository, "node_modules", ".bin", "tsc"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tsc); err != nil {
		t.Skipf("skipped: %v; run npm ci at the root of the repository", err)
	}
	return tsc
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, output)
	}
}

func TestDeclarationsAreWhatTheSourcesSay(t *testing.T) {
	typescript(t)
	fresh := t.TempDir()
	run(t, "./generate.sh", fresh)
	kept, err := fs.Sub(modules.Declarations(), "types")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, os.DirFS(fresh)), contents(t, kept)); diff != "" {
		t.Errorf("run go generate ./jsapi/modules (-fresh +kept):\n%s", diff)
	}
}

func contents(t *testing.T, tree fs.FS) map[string]string {
	t.Helper()
	files := make(map[string]string)
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, path)
		files[path] = string(content)
		return err
	}
	if err := fs.WalkDir(tree, ".", walk); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestDeclarationsNameWhatIsImportable(t *testing.T) {
	for _, name := range modules.Names() {
		file := "types/" + strings.Replace(name, "node:", "node/", 1) + ".d.ts"
		if _, err := fs.Stat(modules.Declarations(), file); err != nil {
			t.Errorf("%s has no declaration: %v", name, err)
		}
	}
}

// TestTypesLetThroughWhatIsRight checks trees of TypeScript as an author's
// editor would: with the declarations in place and the compiler's strict mode.
// Lines marked @ts-expect-error must be errors.
func TestTypesLetThroughWhatIsRight(t *testing.T) {
	tsc := typescript(t)
	for _, test := range []struct{ name, from, to string }{
		{"declarations", "testdata/types", "extensions"},
		{"example world", filepath.Join(repository, "testdata/world/root/src/sausage"), "."},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, modules.Declarations()); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(filepath.Join(dir, test.to), os.DirFS(test.from)); err != nil {
				t.Fatal(err)
			}
			run(t, tsc, "-p", dir)
			run(t, tsc, "-p", dir, "--skipLibCheck", "false", "--exactOptionalPropertyTypes", "--noImplicitOverride", "--noUnusedLocals")
		})
	}
}

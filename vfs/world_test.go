package vfs_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eachConfinement runs a test once for every way of keeping paths inside.
func eachConfinement(t *testing.T, test func(t *testing.T, w *vfs.World)) {
	for _, way := range []vfs.Confinement{vfs.InRoot, vfs.Stepwise} {
		t.Run(string(way), func(t *testing.T) {
			w, err := vfs.Open(t.TempDir(), vfs.Options{Confinement: way})
			if err != nil {
				if way == vfs.InRoot {
					t.Skipf("SKIPPED %s: %v", way, err)
				}
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, w)
		})
	}
}

func write(t *testing.T, w *vfs.World, p, text string) {
	t.Helper()
	if err := w.Mkdir(filepath.Dir(p), true); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(p, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestFSPassesTheStandardTest(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/a/b/c.txt", "c")
		write(t, w, "/top", "top")
		if err := os.Symlink("/a/b", filepath.Join(w.HostRoot(), "link")); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Mount("/run/tree", fstest.MapFS{"x/y.ts": {Data: []byte("y")}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Synthetic("/proc/extensions", func() ([]byte, error) { return []byte("{}"), nil }); err != nil {
			t.Fatal(err)
		}
		if err := fstest.TestFS(w.FS(), "a/b/c.txt", "top", "run/tree/x/y.ts", "proc/extensions"); err != nil {
			t.Fatal(err)
		}
	})
}

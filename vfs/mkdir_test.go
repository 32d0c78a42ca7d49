package vfs_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-d579e5eb/harness/vfs"
)

func TestMkdirMakesWhatIsMissing(t *testing.T) {
	for _, test := range []struct{ rule, path, code, made string }{
		{"nothing is there", "/a/b/c", "", "a/b/c"},
		{"some of it is there", "/dir/b/c", "", "dir/b/c"},
		{"all of it is there", "/dir/sub", "", "dir/sub"},
		{"the root", "/", "", "."},
		{"through a link", "/link/x/y", "", "dir/sub/x/y"},
		{"through a link to the root", "/top/x/y", "", "x/y"},
		{"a link to a directory", "/link", "", "dir/sub"},
		{"through a link out of the root", "/out/x", "", "etc/x"},
		{"a file", "/dir/file", "EEXIST", ""},
		{"below a file", "/dir/file/x/y", "ENOTDIR", ""},
		{"a link that leads nowhere", "/dangling/x", "EEXIST", ""},
		{"links in a circle", "/circle/x", "ELOOP", ""},
		{"a mount", "/run/tree", "", ""},
		{"a directory of a mount", "/run/tree/x", "", ""},
		{"in a mount", "/run/tree/new", "EROFS", ""},
		{"in a mount, through a link", "/mounted/new", "EROFS", ""},
		{"beside a mount", "/run/other/x", "", "run/other/x"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			eachConfinement(t, func(t *testing.T, w *vfs.World) {
				write(t, w, "/dir/sub/file", "")
				write(t, w, "/dir/file", "")
				write(t, w, "/etc/file", "")
				for name, target := range map[string]string{
					"link": "dir/sub", "top": "/", "out": "../../etc", "dangling": "/none", "circle": "circle", "mounted": "/run/tree",
				} {
					if err := os.Symlink(target, filepath.Join(w.HostRoot(), name)); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := w.Mount("/run/tree", fstest.MapFS{"x/y": {}}); err != nil {
					t.Fatal(err)
				}
				err := w.Mkdir(test.path, true)
				if got := vfs.Code(err); got != test.code {
					t.Fatalf("Mkdir(%s) = %v, want code %q", test.path, err, test.code)
				}
				if test.code != "" && !strings.Contains(err.Error(), test.path) {
					t.Errorf("the error %q does not name %s", err, test.path)
				}
				if info, err := os.Stat(filepath.Join(w.HostRoot(), test.made)); test.made != "" && (err != nil || !info.IsDir()) {
					t.Errorf("%s was not made: %v", test.made, err)
				}
			})
		})
	}
}

// TestMkdirOfADeepPathIsLinear counts what it allocates, which grows with every path
// that is resolved.
func TestMkdirOfADeepPathIsLinear(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		allocated := func(top string, depth int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := w.Mkdir(top+strings.Repeat("/d", depth), true); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		shallow, deep := allocated("/shallow", 100), allocated("/deep", 900)
		if deep > 20*shallow {
			t.Errorf("a path that is 9 times as deep allocated %d times, not %d", deep, shallow)
		}
	})
}

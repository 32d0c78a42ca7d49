package vfs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

func openDir(t *testing.T, w *vfs.World, p string) *vfs.Dir {
	t.Helper()
	if err := w.Mkdir(p, true); err != nil {
		t.Fatal(err)
	}
	dir, err := w.OpenDir(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

func TestDirWritesBelowItselfWhereverItIsMoved(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		dir := openDir(t, w, "/staging")
		if err := w.Rename("/staging", "/moved"); err != nil {
			t.Fatal(err)
		}
		for _, step := range []error{
			dir.Mkdir("a", 0o755),
			dir.Mkdir("a/b", 0o700),
			dir.Symlink("../x", "a/link"),
			dir.Sync(),
		} {
			if step != nil {
				t.Fatal(step)
			}
		}
		about, err := dir.CreateFile("a/b/run.sh", []byte("text"), vfs.FileOptions{Mode: 0o755, Sync: true})
		if err != nil {
			t.Fatal(err)
		}
		again, err := dir.Lstat("a/b/run.sh")
		if err != nil {
			t.Fatal(err)
		}
		made, seen := about.Sys().(*unix.Stat_t), again.Sys().(*unix.Stat_t)
		if *made != *seen || made.Ino == 0 || made.Ctim.Sec == 0 || about.Mode() != 0o755 || about.Size() != 4 {
			t.Errorf("%+v and %+v", made, seen)
		}
		if got, err := w.Read("/moved/a/b/run.sh"); err != nil || string(got) != "text" {
			t.Errorf("%q %v", got, err)
		}
		if target, err := dir.Readlink("a/link"); err != nil || target != "../x" {
			t.Errorf("%q %v", target, err)
		}
		to := openDir(t, w, "/to")
		if err := dir.Rename("a/b", to, "c"); err != nil {
			t.Fatal(err)
		}
		if got, err := to.Read("c/run.sh"); err != nil || string(got) != "text" {
			t.Errorf("%q %v", got, err)
		}
		if err := dir.RemoveAll("a"); err != nil {
			t.Fatal(err)
		}
		if err := dir.RemoveAll("a"); err != nil {
			t.Errorf("removing what is gone: %v", err)
		}
		if entries, err := dir.List(); err != nil || len(entries) != 0 {
			t.Errorf("%v %v", entries, err)
		}
	})
}

func TestDirFollowsNoLinks(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		outside := t.TempDir()
		if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		dir := openDir(t, w, "/dir")
		for name, target := range map[string]string{"out": outside, "up": "..", "file": filepath.Join(outside, "kept")} {
			if err := dir.Symlink(target, name); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"out/new", "up/new", "file"} {
			if _, err := dir.CreateFile(name, nil, vfs.FileOptions{}); vfs.Code(err) != "ENOTDIR" && vfs.Code(err) != "EEXIST" {
				t.Errorf("create %s: %v", name, err)
			}
		}
		if _, err := dir.Read("file"); vfs.Code(err) != "ELOOP" {
			t.Errorf("read a link: %v", err)
		}
		for _, name := range []string{"../x", "/x", "a/../x", "", "a//b", "a\x00b"} {
			if _, err := dir.CreateFile(name, nil, vfs.FileOptions{}); vfs.Code(err) != "EINVAL" {
				t.Errorf("create %q: %v", name, err)
			}
		}
		if err := w.Remove("/dir", true); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
			t.Errorf("removing followed a link: %v %v", entries, err)
		}
	})
}

func TestMountsAreReadOnlyLongestFirstAndListed(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/run/disk", "disk")
		tree := func(text string) fstest.MapFS {
			return fstest.MapFS{"f": {Data: []byte(text)}, "sub/g": {Data: []byte(text)}}
		}
		mount := func(p, text string) func() {
			t.Helper()
			unmount, err := w.Mount(p, tree(text))
			if err != nil {
				t.Fatal(err)
			}
			return unmount
		}
		mount("/run/a", "outer")
		mount("/run/a/sub", "inner")
		mount("/run/x/y/z", "deep")
		older := mount("/run/same", "older")
		newer := mount("/run/same", "newer")
		read := func(p string) string {
			got, err := w.Read(p)
			return string(got) + vfs.Code(err)
		}
		if err := w.Symlink("/run/x/y", "/link"); err != nil {
			t.Fatal(err)
		}
		for p, want := range map[string]string{
			"/run/a/f": "outer", "/run/a/sub/f": "inner", "/run/x/y/z/f": "deep", "/run/same/f": "newer",
			"/link/z/f": "deep", "/run/disk": "disk", "/link/z/none": "ENOENT",
		} {
			if got := read(p); got != want {
				t.Errorf("%s: %q, want %q", p, got, want)
			}
		}
		for p, want := range map[string][]vfs.Entry{
			"/run":   {{"a", vfs.KindDirectory}, {"disk", vfs.KindFile}, {"same", vfs.KindDirectory}, {"x", vfs.KindDirectory}},
			"/run/a": {{"f", vfs.KindFile}, {"sub", vfs.KindDirectory}},
			"/link":  {{"z", vfs.KindDirectory}},
			"/proc":  {},
			"/":      {{"link", vfs.KindSymlink}, {"proc", vfs.KindDirectory}, {"run", vfs.KindDirectory}},
		} {
			if got, err := w.List(p); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v %v", p, got, err)
			}
		}
		if err := w.Write("/link/z/f", nil); vfs.Code(err) != "EROFS" {
			t.Errorf("writing through a link: %v", err)
		}
		older()
		if got := read("/run/same/f"); got != "newer" {
			t.Errorf("%q", got)
		}
		newer()
		newer()
		if got := read("/run/same/f"); got != "ENOENT" {
			t.Errorf("%q", got)
		}
	})
}

package vfs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-d579e5eb/harness/vfs"
)

// open opens a file that the test closes at its end.
func openFile(t *testing.T, w *vfs.World, p string) *vfs.File {
	t.Helper()
	file, err := w.OpenFile(p, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return file
}

func TestAnOpenFileIsReadAtAnyPlace(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/a/file", "0123456789")
		if _, err := w.Synthetic("/proc/numbers", func() ([]byte, error) { return []byte("0123456789"), nil }); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"/a/file", "/proc/numbers"} {
			file := openFile(t, w, p)
			for _, test := range []struct {
				offset int64
				want   string
				err    error
			}{{0, "0123", nil}, {3, "3456", nil}, {8, "89", io.EOF}, {10, "", io.EOF}, {99, "", io.EOF}} {
				data := make([]byte, 4)
				n, err := file.ReadAt(data, test.offset)
				if string(data[:n]) != test.want || err != test.err {
					t.Errorf("%s at %d: %q, %v; want %q, %v", p, test.offset, data[:n], err, test.want, test.err)
				}
			}
			if about, err := file.Stat(); err != nil || about.Size() != 10 || about.Name() != filepath.Base(p) {
				t.Errorf("%s: %v, %v", p, about, err)
			}
		}
	})
}

func TestAnOpenFileStaysTheFileThatWasOpened(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/file", "old")
		file := openFile(t, w, "/file")
		write(t, w, "/file", "new and longer")
		data := make([]byte, 3)
		if _, err := file.ReadAt(data, 0); err != nil || string(data) != "old" {
			t.Errorf("%q, %v", data, err)
		}
		if about, err := file.Stat(); err != nil || about.Size() != 3 {
			t.Errorf("%v, %v", about, err)
		}
	})
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/a/file", "x")
		if err := w.Symlink("/a/file", "/link"); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(w.HostRoot(), "fifo"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			path     string
			noFollow bool
			want     error
		}{
			{"/a", false, syscall.EISDIR}, {"/proc", false, syscall.EISDIR}, {"/fifo", false, syscall.EINVAL},
			{"/missing", false, fs.ErrNotExist}, {"/link", true, syscall.ELOOP}, {"/a/file", true, nil},
		} {
			file, err := w.OpenFile(test.path, test.noFollow)
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", test.path, err, test.want)
			}
			if file != nil {
				_ = file.Close()
			}
		}
	})
}

func TestATemporaryNameWasFree(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		seen := map[string]bool{}
		for range 50 {
			file, err := w.CreateTemporary("out-", ".log")
			if err != nil {
				t.Fatal(err)
			}
			dir, err := w.CreateTemporaryDirectory("work-")
			if err != nil {
				t.Fatal(err)
			}
			if seen[file] || seen[dir] || !strings.HasPrefix(file, "/tmp/out-") || !strings.HasSuffix(file, ".log") || !strings.HasPrefix(dir, "/tmp/work-") {
				t.Fatal(file, dir)
			}
			seen[file], seen[dir] = true, true
			if about, err := w.Lstat(file); err != nil || about.Size() != 0 || about.Mode() != 0o600 {
				t.Errorf("%v, %v", about, err)
			}
			if about, err := w.Lstat(dir); err != nil || about.Mode() != fs.ModeDir|0o700 {
				t.Errorf("%v, %v", about, err)
			}
		}
		if _, err := w.CreateTemporary("../x", ""); vfs.Code(err) != "EINVAL" {
			t.Errorf("a prefix with a slash: %v", err)
		}
	})
}

func TestSyncIsOfFilesOfTheDisk(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/file", "x")
		if err := w.Sync("/file"); err != nil {
			t.Error(err)
		}
		if err := w.Sync("/missing"); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
}

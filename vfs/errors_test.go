package vfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

func TestEveryErrorHasItsCodePathAndSyscall(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/file", "text")
		write(t, w, "/dir/inner", "text")
		for _, link := range [][2]string{{"loop2", "/loop1"}, {"loop1", "/loop2"}} {
			if err := w.Symlink(link[0], link[1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Mkfifo(filepath.Join(w.HostRoot(), "fifo"), 0o666); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", filepath.Join(w.HostRoot(), "socket"))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if _, err := w.Mount("/run/tree", fstest.MapFS{"a.ts": {Data: []byte("a")}, "d/b.ts": {Data: []byte("b")}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Synthetic("/proc/extensions", func() ([]byte, error) { return []byte("{}"), nil }); err != nil {
			t.Fatal(err)
		}
		long := "/" + strings.Repeat("n", 256)
		read := func(p string) func() error { return func() error { _, err := w.Read(p); return err } }
		list := func(p string) func() error { return func() error { _, err := w.List(p); return err } }
		put := func(p string) func() error { return func() error { return w.Write(p, []byte("x")) } }
		for _, c := range []struct {
			do                  func() error
			code, path, syscall string
			is                  error
		}{
			{read("/none"), "ENOENT", "/none", "open", fs.ErrNotExist},
			{read("/none/deeper"), "ENOENT", "/none/deeper", "open", fs.ErrNotExist},
			{read("/file/deeper"), "ENOTDIR", "/file/deeper", "open", unix.ENOTDIR},
			{read("/dir"), "EISDIR", "/dir", "open", unix.EISDIR},
			{read("/fifo"), "EINVAL", "/fifo", "open", fs.ErrInvalid},
			{read("/socket"), "EINVAL", "/socket", "open", fs.ErrInvalid},
			{read("/loop1"), "ELOOP", "/loop1", "open", unix.ELOOP},
			{read("relative"), "EINVAL", "relative", "open", fs.ErrInvalid},
			{read(""), "EINVAL", "", "open", fs.ErrInvalid},
			{read("/a\x00b"), "EINVAL", `/a\x00b`, "open", fs.ErrInvalid},
			{read(long), "ENAMETOOLONG", long, "open", unix.ENAMETOOLONG},
			{read("/run/tree"), "EISDIR", "/run/tree", "open", unix.EISDIR},
			{read("/run"), "EISDIR", "/run", "open", unix.EISDIR},
			{read("/run/tree/none"), "ENOENT", "/run/tree/none", "open", fs.ErrNotExist},
			{read("/proc/none"), "ENOENT", "/proc/none", "open", fs.ErrNotExist},
			{read("/proc/extensions/x"), "ENOTDIR", "/proc/extensions/x", "open", unix.ENOTDIR},
			{list("/file"), "ENOTDIR", "/file", "scandir", unix.ENOTDIR},
			{list("/none"), "ENOENT", "/none", "scandir", fs.ErrNotExist},
			{list("/proc/extensions"), "ENOTDIR", "/proc/extensions", "scandir", unix.ENOTDIR},
			{list("/run/tree/a.ts"), "ENOTDIR", "/run/tree/a.ts", "scandir", unix.ENOTDIR},
			{put("/dir"), "EISDIR", "/dir", "open", unix.EISDIR},
			{put("/none/file"), "ENOENT", "/none/file", "open", fs.ErrNotExist},
			{put("/file/x"), "ENOTDIR", "/file/x", "open", unix.ENOTDIR},
			{put("/fifo"), "EINVAL", "/fifo", "open", fs.ErrInvalid},
			{put("/proc/extensions"), "EROFS", "/proc/extensions", "open", unix.EROFS},
			{put("/proc/new"), "EROFS", "/proc/new", "open", unix.EROFS},
			{put("/run/tree/new"), "EROFS", "/run/tree/new", "open", unix.EROFS},
			{put("/"), "EBUSY", "/", "open", unix.EBUSY},
			{put(long), "ENAMETOOLONG", long, "open", unix.ENAMETOOLONG},
			{func() error { return w.Append("/fifo", []byte("x")) }, "EINVAL", "/fifo", "open", fs.ErrInvalid},
			{func() error { return w.Append("/dir", []byte("x")) }, "EISDIR", "/dir", "open", unix.EISDIR},
			{func() error { return w.Mkdir("/dir", false) }, "EEXIST", "/dir", "mkdir", fs.ErrExist},
			{func() error { return w.Mkdir("/", false) }, "EEXIST", "/", "mkdir", fs.ErrExist},
			{func() error { return w.Mkdir("/file", true) }, "EEXIST", "/file", "mkdir", fs.ErrExist},
			{func() error { return w.Mkdir("/file/x/y", true) }, "ENOTDIR", "/file/x/y", "mkdir", unix.ENOTDIR},
			{func() error { return w.Mkdir("/x/y", false) }, "ENOENT", "/x/y", "mkdir", fs.ErrNotExist},
			{func() error { return w.Mkdir("/proc/x", true) }, "EROFS", "/proc/x", "mkdir", unix.EROFS},
			{func() error { return w.Remove("/dir", false) }, "ENOTEMPTY", "/dir", "rm", unix.ENOTEMPTY},
			{func() error { return w.Remove("/none", true) }, "ENOENT", "/none", "rm", fs.ErrNotExist},
			{func() error { return w.Remove("/run", true) }, "EBUSY", "/run", "rm", unix.EBUSY},
			{func() error { return w.Remove("/run/tree", true) }, "EROFS", "/run/tree", "rm", unix.EROFS},
			{func() error { return w.Remove("/", true) }, "EBUSY", "/", "rm", unix.EBUSY},
			{func() error { return w.Rename("/none", "/x") }, "ENOENT", "/none", "rename", fs.ErrNotExist},
			{func() error { return w.Rename("/file", "/proc/x") }, "EROFS", "/proc/x", "rename", unix.EROFS},
			{func() error { return w.Rename("/dir", "/dir/x") }, "EINVAL", "/dir", "rename", fs.ErrInvalid},
			{func() error { return w.Rename("/file", "/dir") }, "EISDIR", "/file", "rename", unix.EISDIR},
			{func() error { _, err := w.Readlink("/file"); return err }, "EINVAL", "/file", "readlink", fs.ErrInvalid},
			{func() error { return w.Symlink("x", "/file") }, "EEXIST", "/file", "symlink", fs.ErrExist},
			{func() error { return w.Truncate("/none", 0) }, "ENOENT", "/none", "truncate", fs.ErrNotExist},
			{func() error { _, err := w.Stat("/none"); return err }, "ENOENT", "/none", "stat", fs.ErrNotExist},
			{func() error { _, err := w.Stat("/a\x00b"); return err }, "EINVAL", `/a\x00b`, "stat", fs.ErrInvalid},
			{func() error { _, err := w.OpenDir("/file"); return err }, "ENOTDIR", "/file", "open", unix.ENOTDIR},
			{func() error { _, err := w.Watch("x", func() {}); return err }, "EINVAL", "x", "watch", fs.ErrInvalid},
			{func() error { _, err := w.Mount("/", fstest.MapFS{}); return err }, "EBUSY", "/", "mount", unix.EBUSY},
		} {
			name := fmt.Sprintf("%s %.20s %s", c.syscall, c.path, c.code)
			err := c.do()
			failed, ok := errors.AsType[*vfs.Error](err)
			if !ok {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if failed.Code != c.code || failed.Path != c.path || failed.Syscall != c.syscall {
				t.Errorf("%s: got %s %s %s", name, failed.Syscall, failed.Path, failed.Code)
			}
			if c.is == fs.ErrInvalid {
				c.is = unix.EINVAL
			}
			if !errors.Is(err, c.is) {
				t.Errorf("%s: %v is not %v", name, err, c.is)
			}
			if strings.Contains(err.Error(), w.HostRoot()) {
				t.Errorf("%s: %v names a host path", name, err)
			}
		}
	})
}

func TestReadingIsBounded(t *testing.T) {
	for _, way := range []vfs.Confinement{vfs.InRoot, vfs.Stepwise} {
		w, err := vfs.Open(t.TempDir(), vfs.Options{Confinement: way, MaxRead: 10})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		write(t, w, "/exact", "0123456789")
		write(t, w, "/large", "0123456789a")
		if _, err := w.Mount("/tree", fstest.MapFS{"large": {Data: []byte("0123456789a")}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Read("/exact"); err != nil {
			t.Error(err)
		}
		for _, p := range []string{"/large", "/tree/large"} {
			_, err := w.Read(p)
			if vfs.Code(err) != "EFBIG" || !strings.Contains(err.Error(), "10 bytes") {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
}

func TestClosedWorldFailsWithEBADF(t *testing.T) {
	for _, way := range []vfs.Confinement{vfs.InRoot, vfs.Stepwise} {
		w, err := vfs.Open(t.TempDir(), vfs.Options{Confinement: way})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Read("/x"); vfs.Code(err) != "EBADF" {
			t.Errorf("read: %v", err)
		}
		if err := w.Write("/x", nil); vfs.Code(err) != "EBADF" {
			t.Errorf("write: %v", err)
		}
		if _, err := w.Watch("/x", func() {}); vfs.Code(err) != "EBADF" {
			t.Errorf("watch: %v", err)
		}
	}
}

// needsRoot skips what only root can set up.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root")
	}
}

// mountTmpfs mounts a small file system in the world, outside its sight of mounts.
func mountTmpfs(t *testing.T, w *vfs.World, p, size string) {
	t.Helper()
	needsRoot(t)
	if err := w.Mkdir(p, true); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(w.HostRoot(), p)
	if err := unix.Mount("tmpfs", at, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED: no tmpfs can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func TestFullDiskIsToldAndLeavesTheOldContent(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		mountTmpfs(t, w, "/small", "64k")
		write(t, w, "/small/file", "old")
		free, err := vfs.FreeSpace(filepath.Join(w.HostRoot(), "small"))
		if err != nil || free == 0 || free > 64<<10 {
			t.Errorf("free space %d %v", free, err)
		}
		large := make([]byte, 128<<10)
		dir, err := w.OpenDir("/small")
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		for name, do := range map[string]func() error{
			"write":  func() error { return w.Write("/small/file", large) },
			"create": func() error { _, err := dir.CreateFile("new", large, vfs.FileOptions{}); return err },
			"append": func() error { return w.Append("/small/log", large) },
		} {
			err := do()
			if vfs.Code(err) != "ENOSPC" || !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "full") {
				t.Errorf("%s: %v", name, err)
			}
			_ = w.Remove("/small/log", false)
		}
		if got, err := w.Read("/small/file"); err != nil || string(got) != "old" {
			t.Errorf("%q %v", got, err)
		}
		if entries, err := w.List("/small"); err != nil || len(entries) != 1 {
			t.Errorf("left behind: %v %v", entries, err)
		}
	})
}

func TestRenameAcrossFileSystemsIsEXDEV(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		mountTmpfs(t, w, "/other", "64k")
		write(t, w, "/file", "x")
		if err := w.Rename("/file", "/other/file"); vfs.Code(err) != "EXDEV" {
			t.Errorf("%v", err)
		}
	})
}

// TestMissingPermissionIsEACCES runs itself again as a user who is not root.
func TestMissingPermissionIsEACCES(t *testing.T) {
	if root := os.Getenv("VFS_TEST_EACCES"); root != "" {
		for _, way := range []vfs.Confinement{vfs.InRoot, vfs.Stepwise} {
			w, err := vfs.Open(root, vfs.Options{Confinement: way})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for name, do := range map[string]func() error{
				"read":  func() error { _, err := w.Read("/secret"); return err },
				"write": func() error { return w.Write("/secret", nil) },
				"make":  func() error { return w.Write("/new", nil) },
				"mkdir": func() error { return w.Mkdir("/newdir", false) },
				"below": func() error { _, err := w.Read("/closed/x"); return err },
				"list":  func() error { _, err := w.List("/closed"); return err },
			} {
				if err := do(); vfs.Code(err) != "EACCES" || !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%s %s: %v", way, name, err)
				}
			}
		}
		return
	}
	needsRoot(t)
	root, err := os.MkdirTemp("/tmp", "eacces")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	program := filepath.Join(root, "test")
	for _, step := range []error{
		os.Chmod(root, 0o755),
		os.WriteFile(filepath.Join(root, "secret"), nil, 0o600),
		os.Mkdir(filepath.Join(root, "closed"), 0o700),
		exec.Command("cp", os.Args[0], program).Run(),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	again := exec.Command(program, "-test.run", "^TestMissingPermissionIsEACCES$", "-test.v")
	again.Env = append(os.Environ(), "VFS_TEST_EACCES="+root)
	again.Dir = "/"
	again.SysProcAttr = asNobody()
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

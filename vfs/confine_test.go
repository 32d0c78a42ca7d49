package vfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

func asNobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func TestLinksResolveAsIfTheWorldWereTheRoot(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		outside := filepath.Dir(w.HostRoot())
		secret := filepath.Join(outside, "secret")
		if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		write(t, w, "/etc/name", "world")
		write(t, w, "/a/b/file", "file")
		for at, target := range map[string]string{
			"/abs":         "/etc/name",
			"/rel":         "a/b/file",
			"/up":          "../../../../etc/name",
			"/a/b/up":      "../../../etc/name",
			"/dir":         "/a/b",
			"/chain":       "/dir/../../abs",
			"/host":        secret,
			"/hostrel":     "../secret",
			"/hostdir":     outside,
			"/a/dangling":  "/nothing",
			"/self/dir":    "/",
			"/a/b/hostdir": "../../..",
		} {
			if err := w.Mkdir(filepath.Dir(at), true); err != nil {
				t.Fatal(err)
			}
			if err := w.Symlink(target, at); err != nil {
				t.Fatal(err)
			}
		}
		for p, want := range map[string]string{
			"/abs": "world", "/rel": "file", "/up": "world", "/a/b/up": "world", "/dir/file": "file",
			"/../../etc/name": "world", "/a/../../etc/name": "world", "/self/dir/self/dir/abs": "world",
			"/a/b/hostdir/etc/name": "world", "/chain": "world",
			"/host": "", "/hostrel": "", "/hostdir/secret": "", "/a/dangling": "", "/../secret": "",
		} {
			got, err := w.Read(p)
			if want == "" && vfs.Code(err) != "ENOENT" || want != "" && (err != nil || string(got) != want) {
				t.Errorf("read %s: %q %v, want %q", p, got, err, want)
			}
		}
		for _, p := range []string{"/host", "/hostrel", "/hostdir/new", "/hostdir/secret", "/../secret"} {
			_ = w.Write(p, []byte("changed"))
			_ = w.Append(p, []byte("changed"))
			_ = w.Remove(p, true)
			_ = w.Rename("/rel", p)
		}
		if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
			t.Errorf("outside: %q %v", got, err)
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 2 {
			t.Errorf("outside: %v %v", entries, err)
		}
	})
}

func TestWriteThroughALinkReplacesWhatItLeadsTo(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/a/file", "old")
		for at, target := range map[string]string{"/link": "/a/file", "/new": "/a/made"} {
			if err := w.Symlink(target, at); err != nil {
				t.Fatal(err)
			}
		}
		write(t, w, "/link", "changed")
		write(t, w, "/new", "made")
		for p, want := range map[string]string{"/a/file": "changed", "/a/made": "made"} {
			if got, err := w.Read(p); err != nil || string(got) != want {
				t.Errorf("%s: %q %v", p, got, err)
			}
		}
		if target, err := w.Readlink("/link"); err != nil || target != "/a/file" {
			t.Errorf("the link: %q %v", target, err)
		}
	})
}

// TestRaceBetweenCheckAndUseDoesNotEscape exchanges a directory for a link to one
// outside while files in it are read, made and removed.
func TestRaceBetweenCheckAndUseDoesNotEscape(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		outside := filepath.Join(filepath.Dir(w.HostRoot()), "outside")
		if err := os.Mkdir(outside, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(outside, "file"), []byte("outside"), 0o644); err != nil {
			t.Fatal(err)
		}
		write(t, w, "/dir/file", "inside")
		dir, link := filepath.Join(w.HostRoot(), "dir"), filepath.Join(w.HostRoot(), "exchange")
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		var exchanging sync.WaitGroup
		exchanging.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
				}
			}
		})
		inside := 0
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			if got, err := w.Read("/dir/file"); err == nil {
				if string(got) == "outside" {
					t.Fatal("read a file outside")
				}
				inside++
			}
			_ = w.Write("/dir/made", []byte("x"))
			_ = w.Append("/dir/appended", []byte("x"))
			_ = w.Mkdir("/dir/sub/deep", true)
			_ = w.Remove("/dir/sub", true)
			_ = w.Remove("/dir/made", false)
		}
		close(stop)
		exchanging.Wait()
		entries, err := os.ReadDir(outside)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 1 || inside == 0 {
			t.Errorf("outside: %v; %d reads inside", entries, inside)
		}
	})
}

func TestWriteReplacesAtomicallyAndKeepsTheMode(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		write(t, w, "/script", strings.Repeat("a", 10_000))
		if err := w.Chmod("/script", 0o750); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		var writing sync.WaitGroup
		writing.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					if err := w.Write("/script", []byte(strings.Repeat(string(rune('a'+i%2)), 10_000))); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
		for range 500 {
			got, err := w.Read("/script")
			if err != nil || len(got) != 10_000 || strings.Count(string(got), string(got[:1])) != 10_000 {
				t.Errorf("a torn read: %d bytes, %v", len(got), err)
				break
			}
		}
		close(stop)
		writing.Wait()
		about, err := w.Stat("/script")
		if err != nil || about.Mode().Perm() != 0o750 {
			t.Errorf("%v %v", about.Mode(), err)
		}
		if entries, err := w.List("/"); err != nil || len(entries) != 2 {
			t.Errorf("left behind: %v %v", entries, err)
		}
	})
}

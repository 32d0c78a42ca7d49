package vfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

// deepTree makes nested directories, each beside an empty one. A path may be too
// short for them.
func deepTree(t *testing.T, at string, depth int) {
	t.Helper()
	dirfd, err := unix.Open(at, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		onHost(t, unix.Mkdirat(dirfd, "d", 0o755))
		onHost(t, unix.Mkdirat(dirfd, "e", 0o755))
		next, err := unix.Openat(dirfd, "d", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(dirfd)
		dirfd = next
	}
	_ = unix.Close(dirfd)
}

func TestATreeOfAnyDepthIsRemovedWithFewDescriptors(t *testing.T) {
	eachConfinement(t, func(t *testing.T, w *vfs.World) {
		for _, depth := range []int{1, 31, 32, 33, 34, 65, 5000} {
			onHost(t, w.Mkdir("/run/top", true))
			deepTree(t, filepath.Join(w.HostRoot(), "run/top"), depth)
			withFewDescriptors(t, func() {
				if err := w.Remove("/run/top", true); err != nil {
					t.Errorf("depth %d: %v", depth, err)
				}
			})
			if left, err := os.ReadDir(filepath.Join(w.HostRoot(), "run")); err != nil || len(left) != 0 {
				t.Fatalf("depth %d: %v is left, %v", depth, left, err)
			}
		}
	})
}

// withFewDescriptors lets this process have a hundred more than it has.
func withFewDescriptors(t *testing.T, work func()) {
	t.Helper()
	var before unix.Rlimit
	onHost(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	open, err := os.ReadDir("/proc/self/fd")
	onHost(t, err)
	few := before
	few.Cur = uint64(len(open)) + 100
	onHost(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer func() { onHost(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &before)) }()
	work()
}

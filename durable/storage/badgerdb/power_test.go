package badgerdb

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// disk is a file system of its own whose power can be cut.
type disk struct {
	*testing.T
	image, at string
}

// newDisk makes a file system, or skips the test where that cannot be made.
func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{T: t, image: filepath.Join(t.TempDir(), "image"), at: t.TempDir()}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, 1<<30); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: cutting the power of a file system needs root")
	}
	if output, err := exec.Command("mkfs.ext4", "-q", "-E", "lazy_itable_init=1,lazy_journal_init=1", d.image).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no file system can be made: %v %s", err, output)
	}
	if output, err := d.mount(); err != nil {
		t.Skipf("SKIPPED: no file system can be mounted: %v %s", err, output)
	}
	t.Cleanup(func() { _ = unix.Unmount(d.at, unix.MNT_DETACH) })
	return d
}

func (d *disk) mount() ([]byte, error) {
	return exec.Command("mount", "-o", "loop", d.image, d.at).CombinedOutput()
}

// cut stops the file system at once: what is in memory only does not reach it, nor
// what its journal has not written.
func (d *disk) cut() {
	d.Helper()
	root, err := os.Open(d.at)
	if err != nil {
		d.Fatal(err)
	}
	defer root.Close()
	const (
		shutdown = 0x8004587d // EXT4_IOC_SHUTDOWN
		noFlush  = 2          // EXT4_GOING_FLAGS_NOLOGFLUSH
	)
	if err := unix.IoctlSetPointerInt(int(root.Fd()), shutdown, noFlush); err != nil {
		d.Skipf("SKIPPED: the power of a file system cannot be cut: %v", err)
	}
}

// restore mounts the file system as it is after the cut.
func (d *disk) restore() {
	d.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Unmount(d.at, 0)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			d.Fatalf("unmount: %v", err)
		}
	}
	if output, err := d.mount(); err != nil {
		d.Fatalf("mount again: %v %s", err, output)
	}
}

// cutPower lets a child commit, cuts the power after some acknowledgements, and
// returns the last one. The child ends because it cannot commit any more; what it
// acknowledges until then counts.
func (d *disk) cutPower(dir string, after int, environment ...string) (acknowledged int) {
	d.Helper()
	c := child(d, "commit", dir, environment...)
	for {
		line := c.line()
		n, err := strconv.Atoi(line)
		if err != nil {
			d.Logf("after the cut: %.100s", line)
			break
		}
		acknowledged = n
		if after--; after == 0 {
			d.cut()
			if len(environment) > 0 {
				_ = c.Process.Kill() // it may go on for ever
			}
		}
	}
	if after > 0 {
		d.Fatal("the child ended before the cut")
	}
	_, _ = c.wait()
	d.restore()
	return acknowledged
}

// TestAPowerCutKeepsWhatWasAcknowledged stops the file system under a process that
// commits.
func TestAPowerCutKeepsWhatWasAcknowledged(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	d, model := newDisk(t), newHistory()
	dir := filepath.Join(d.at, "db")
	for range rounds(3, 40) {
		acknowledged := d.cutPower(dir, 1+random.IntN(60))
		db := opened(t, dir)
		n := model.whole(t, db, acknowledged, acknowledged+1)
		t.Logf("%d acknowledged, %d there", acknowledged, n)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAPowerCutLosesWhatIsNotSynced shows that the test above can fail.
func TestAPowerCutLosesWhatIsNotSynced(t *testing.T) {
	d := newDisk(t)
	dir := filepath.Join(d.at, "db")
	acknowledged := d.cutPower(dir, 60, childUnsynced+"=1")
	db, err := Open(dir, Options{})
	if err != nil {
		t.Logf("it does not even open: %v", err)
		return
	}
	defer db.Close()
	n, err := newest(db)
	if err == nil && n >= acknowledged {
		t.Errorf("%d commits were acknowledged and not synced, and %d outlast the power", acknowledged, n)
	}
}

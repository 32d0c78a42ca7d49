package run

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

// openDescriptors counts those of this process.
func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestABadMessageDoesNotEndTheHelperNorLeaveDescriptors(t *testing.T) {
	// The first time also opens what the runtime keeps.
	serveBadMessages(t)
	before := openDescriptors(t)
	serveBadMessages(t)
	if after := openDescriptors(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// serveBadMessages has a helper served that gets messages no client sends, and a
// command after each.
func serveBadMessages(t *testing.T) {
	t.Helper()
	world, err := vfs.Open(t.TempDir(), vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	mine, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(theirs.Fd()))
	if err := errors.Join(err, theirs.Close()); err != nil {
		t.Fatal(err)
	}
	control, err := unixConn(fd)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		serve(control, &plain{world: world})
		_ = control.Close()
	}()
	client := &helper{turn: make(chan struct{}, 1), current: &helperProcess{control: mine}}
	p := process{Argv: []string{"/bin/sh", "-c", "exit 7"}, Dir: "/", files: [3]*os.File{null, null, null}}
	works := func(after string) {
		t.Helper()
		started, err := client.start(t.Context(), p)
		if err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		ended, err := started.wait()
		started.end()
		if err != nil || ended.Code != 7 {
			t.Errorf("after %s: %+v %v", after, ended, err)
		}
	}
	works("nothing")
	for name, rights := range map[string][]byte{
		"a message without descriptors": nil,
		"one descriptor, no socket":     unix.UnixRights(int(null.Fd())),
		"four descriptors, no socket":   unix.UnixRights(int(null.Fd()), int(null.Fd()), int(null.Fd()), int(null.Fd())),
	} {
		if _, _, err := mine.WriteMsgUnix([]byte{0}, rights, nil); err != nil {
			t.Fatal(err)
		}
		works(name)
	}
	said, socket, err := socketPair(unix.SOCK_STREAM)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := mine.WriteMsgUnix([]byte{0}, unix.UnixRights(int(socket.Fd()), int(null.Fd())), nil); err != nil {
		t.Fatal(err)
	}
	_ = socket.Close()
	var refused answer
	if err := json.NewDecoder(said).Decode(&refused); err != nil || refused.Code != "EMFILE" {
		t.Errorf("the client is told %+v, %v", refused, err)
	}
	_ = said.Close()
	works("a command without all of its streams")
	_ = mine.Close()
	<-over
}

package vfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/vfs"
)

// patience bounds what should take moments; never is a poll interval that no test reaches.
const (
	patience = 30 * time.Second
	never    = time.Hour
)

func watched(t *testing.T, poll time.Duration) *vfs.World {
	t.Helper()
	w, err := vfs.Open(t.TempDir(), vfs.Options{PollInterval: poll})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func onHost(t *testing.T, step error) {
	t.Helper()
	if step != nil {
		t.Fatal(step)
	}
}

// await fails the test when nothing is told in time.
func await[T any](t *testing.T, told <-chan T, what string) (got T) {
	t.Helper()
	select {
	case got = <-told:
	case <-time.After(patience):
		t.Fatalf("not told of %s", what)
	}
	return got
}

func TestWatchSeesEveryWayOfSaving(t *testing.T) {
	for _, c := range []struct {
		name string
		save func(t *testing.T, at string)
	}{
		{"written in place", func(t *testing.T, at string) { onHost(t, os.WriteFile(at, []byte("new"), 0o644)) }},
		{"written beside and renamed", func(t *testing.T, at string) {
			onHost(t, os.WriteFile(at+".tmp", []byte("new"), 0o644))
			onHost(t, os.Rename(at+".tmp", at))
		}},
		{"kept as a backup and made anew", func(t *testing.T, at string) {
			onHost(t, os.Rename(at, at+"~"))
			onHost(t, os.WriteFile(at, []byte("new"), 0o644))
		}},
		{"removed and made anew", func(t *testing.T, at string) {
			onHost(t, os.Remove(at))
			onHost(t, os.WriteFile(at, []byte("new"), 0o644))
		}},
		{"its directory exchanged for another", func(t *testing.T, at string) {
			dir := filepath.Dir(at)
			onHost(t, os.Mkdir(dir+".new", 0o755))
			onHost(t, os.WriteFile(filepath.Join(dir+".new", filepath.Base(at)), []byte("new"), 0o644))
			onHost(t, os.Rename(dir, dir+".old"))
			onHost(t, os.Rename(dir+".new", dir))
		}},
		{"all of it removed and made anew", func(t *testing.T, at string) {
			onHost(t, os.RemoveAll(filepath.Dir(filepath.Dir(at))))
			onHost(t, os.MkdirAll(filepath.Dir(at), 0o755))
			onHost(t, os.WriteFile(at, []byte("new"), 0o644))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watched(t, never)
			write(t, w, "/src/repo/settings.json", "old")
			read := make(chan string, 1000)
			stop, err := w.Watch("/src/repo/settings.json", func() {
				data, err := w.Read("/src/repo/settings.json")
				read <- fmt.Sprint(string(data), vfs.Code(err))
			})
			onHost(t, err)
			defer stop()
			// Twice: the watch must survive the first.
			for range 2 {
				c.save(t, filepath.Join(w.HostRoot(), "src/repo/settings.json"))
				for await(t, read, c.name) != "new" {
				}
				write(t, w, "/src/repo/settings.json", "old")
				for await(t, read, "the old content") != "old" {
				}
				for _, rest := range []string{"src/repo.old", "src/repo/settings.json~"} {
					onHost(t, os.RemoveAll(filepath.Join(w.HostRoot(), rest)))
				}
			}
		})
	}
}

func TestWatchOfWhatIsMissingSeesItAppear(t *testing.T) {
	w := watched(t, never)
	told := make(chan bool, 1000)
	stop, err := w.Watch("/a/b/c/file", func() {
		_, err := w.Stat("/a/b/c/file")
		told <- err == nil
	})
	onHost(t, err)
	defer stop()
	write(t, w, "/a/b/c/file", "x")
	for !await(t, told, "a file that appears") {
	}
	onHost(t, w.Remove("/a", true))
	for await(t, told, "a file that goes") {
	}
}

func TestWatchFollowsALinkThatIsExchanged(t *testing.T) {
	w := watched(t, never)
	write(t, w, "/one/file", "one")
	write(t, w, "/two/file", "two")
	onHost(t, w.Symlink("/one/file", "/link"))
	read := make(chan string, 1000)
	stop, err := w.Watch("/link", func() {
		data, _ := w.Read("/link")
		read <- string(data)
	})
	onHost(t, err)
	defer stop()
	onHost(t, os.Symlink("/two/file", filepath.Join(w.HostRoot(), "next")))
	onHost(t, w.Rename("/next", "/link"))
	for await(t, read, "the exchanged link") != "two" {
	}
	write(t, w, "/two/file", "changed")
	for await(t, read, "a change behind the link") != "changed" {
	}
}

func TestWatchPollsWhereNothingIsReported(t *testing.T) {
	w := watched(t, 10*time.Millisecond)
	content := make(chan string, 1)
	content <- "one"
	if _, err := w.Synthetic("/proc/state", func() ([]byte, error) {
		text := <-content
		content <- text
		return []byte(text), nil
	}); err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{}, 1000)
	stop, err := w.Watch("/proc/state", func() { told <- struct{}{} })
	onHost(t, err)
	defer stop()
	<-content
	content <- "two"
	await(t, told, "a synthetic file that changed")
}

// watchKinds subscribes in each of the three ways, with a callback that is only told
// that it was called.
func watchKinds() map[string]func(w *vfs.World, p string, called func()) (func(), error) {
	return map[string]func(w *vfs.World, p string, called func()) (func(), error){
		"Watch": func(w *vfs.World, p string, called func()) (func(), error) { return w.Watch(p, called) },
		"WatchDir": func(w *vfs.World, p string, called func()) (func(), error) {
			return w.WatchDir(p, func(vfs.Event) { called() })
		},
		"WatchChanges": func(w *vfs.World, p string, called func()) (func(), error) {
			return w.WatchChanges(p, func(vfs.Change) { called() })
		},
	}
}

// blocked has the callback goroutine wait until release is called.
func blocked(t *testing.T, w *vfs.World) (release func()) {
	t.Helper()
	waits, over := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(waits) })
	stop, err := w.Watch("/blocked", func() { once(); <-over })
	onHost(t, err)
	write(t, w, "/blocked", "x")
	await(t, waits, "the change that blocks")
	return func() { stop(); close(over) }
}

func TestNoCallbackFollowsStop(t *testing.T) {
	for name, watch := range watchKinds() {
		t.Run(name+" stopped by its callback", func(t *testing.T) {
			w := watched(t, never)
			onHost(t, w.Mkdir("/dir", true))
			calls := make(chan struct{}, 1000)
			var stop func()
			// While the goroutine is blocked nothing is called, so stop is set in time.
			release := blocked(t, w)
			stop, err := watch(w, "/dir", func() { calls <- struct{}{}; stop() })
			onHost(t, err)
			for i := range 5 {
				write(t, w, fmt.Sprint("/dir/", i), "x")
			}
			release()
			await(t, calls, "the changes")
			passed(t, w)
			if more := len(calls); more != 0 {
				t.Errorf("%d more calls", more)
			}
		})
		t.Run(name+" stopped with changes waiting", func(t *testing.T) {
			w := watched(t, never)
			onHost(t, w.Mkdir("/dir", true))
			release := blocked(t, w)
			calls := make(chan struct{}, 1000)
			stop, err := watch(w, "/dir", func() { calls <- struct{}{} })
			onHost(t, err)
			write(t, w, "/dir/file", "x")
			stop()
			release()
			passed(t, w)
			if len(calls) != 0 {
				t.Error("called after stop")
			}
		})
	}
}

// passed returns when all changes made before have been told to all watches: twice a
// change made later was.
func passed(t *testing.T, w *vfs.World) {
	t.Helper()
	told := make(chan string, 1000)
	stop, err := w.Watch("/passed", func() {
		data, _ := w.Read("/passed")
		told <- string(data)
	})
	onHost(t, err)
	defer stop()
	for i := range 2 {
		text := fmt.Sprint(i)
		write(t, w, "/passed", text)
		for await(t, told, "a later change") != text {
		}
	}
}

func TestOfTooManyWaitingEventsOnlyARescanIsTold(t *testing.T) {
	w := watched(t, never)
	onHost(t, w.Mkdir("/dir", true))
	release := blocked(t, w)
	events := make(chan vfs.Event, 100_000)
	stop, err := w.WatchDir("/dir", func(event vfs.Event) { events <- event })
	onHost(t, err)
	defer stop()
	const many = 20_000
	host := filepath.Join(w.HostRoot(), "dir")
	for i := range many {
		onHost(t, os.WriteFile(filepath.Join(host, fmt.Sprint(i)), nil, 0o644))
	}
	release()
	told := 0
	for await(t, events, "a rescan").Op != vfs.Rescan {
		told++
	}
	passed(t, w)
	if told += len(events); told >= many {
		t.Errorf("%d events were kept", told)
	}
	onHost(t, os.WriteFile(filepath.Join(host, "last"), nil, 0o644))
	for await(t, events, "what happens later").Name != "last" {
	}
}

func TestWatchDirTellsNamesInOrder(t *testing.T) {
	w := watched(t, never)
	onHost(t, w.Mkdir("/repo/.git", true))
	events := make(chan vfs.Event, 1000)
	stop, err := w.WatchDir("/repo/.git", func(event vfs.Event) { events <- event })
	onHost(t, err)
	defer stop()
	host := filepath.Join(w.HostRoot(), "repo/.git")
	next := func() vfs.Event {
		for {
			if event := await(t, events, "an event"); event.Op != vfs.Rescan && event.Op != vfs.Written {
				return event
			}
		}
	}
	onHost(t, os.WriteFile(filepath.Join(host, "main.lock"), []byte("x"), 0o644))
	onHost(t, os.Rename(filepath.Join(host, "main.lock"), filepath.Join(host, "main")))
	onHost(t, os.Remove(filepath.Join(host, "main")))
	for _, want := range []vfs.Event{{"main.lock", vfs.Created}, {"main.lock", vfs.Removed}, {"main", vfs.Created}, {"main", vfs.Removed}} {
		if got := next(); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	onHost(t, os.RemoveAll(filepath.Dir(host)))
	for await(t, events, "the directory going").Op != vfs.Rescan {
	}
	onHost(t, os.MkdirAll(host, 0o755))
	for _, err := w.Stat("/repo/.git"); err != nil; _, err = w.Stat("/repo/.git") {
	}
	for await(t, events, "the directory coming back").Op != vfs.Rescan {
	}
	// The event tells that the new directory is watched, or about to be: at the latest
	// the write after the next Rescan is seen.
	for i := 0; ; i++ {
		onHost(t, os.WriteFile(filepath.Join(host, fmt.Sprint("again", i)), nil, 0o644))
		select {
		case event := <-events:
			if strings.HasPrefix(event.Name, "again") && event.Op == vfs.Created {
				return
			}
		case <-time.After(20 * time.Millisecond):
		}
		if i > 1000 {
			t.Fatal("the new directory is not watched")
		}
	}
}

func TestWatchDirLosesNothingInABurst(t *testing.T) {
	w := watched(t, never)
	onHost(t, w.Mkdir("/refs", true))
	last := make(chan struct{}, 1)
	stop, err := w.WatchDir("/refs", func(event vfs.Event) {
		_, err := w.Stat("/refs/last")
		if event.Name == "last" || event.Op == vfs.Rescan && err == nil {
			select {
			case last <- struct{}{}:
			default:
			}
		}
	})
	onHost(t, err)
	defer stop()
	for i := range 3000 {
		onHost(t, os.WriteFile(filepath.Join(w.HostRoot(), "refs", fmt.Sprint(i)), nil, 0o644))
	}
	onHost(t, os.WriteFile(filepath.Join(w.HostRoot(), "refs/last"), nil, 0o644))
	await(t, last, "the last of many")
}

func TestWatchChangesTellsKindAndName(t *testing.T) {
	w := watched(t, never)
	write(t, w, "/dir/kept", "x")
	write(t, w, "/dir/gone", "x")
	changes := make(chan vfs.Change, 1000)
	stop, err := w.WatchChanges("/dir", func(change vfs.Change) { changes <- change })
	onHost(t, err)
	defer stop()
	for _, c := range []struct {
		do   func() error
		want []vfs.Change
	}{
		{func() error { return w.Write("/dir/new", []byte("1")) }, []vfs.Change{{"create", "new"}}},
		{func() error { return w.Write("/dir/kept", []byte("y")) }, []vfs.Change{{"change", "kept"}}},
		{func() error { return w.Remove("/dir/gone", false) }, []vfs.Change{{"remove", "gone"}}},
		{func() error { return w.Rename("/dir/new", "/dir/other") }, []vfs.Change{{"remove", "new"}, {"create", "other"}}},
	} {
		onHost(t, c.do())
		for want := slices.Clone(c.want); len(want) > 0; {
			got := await(t, changes, fmt.Sprint(want))
			i := slices.Index(want, got)
			if i < 0 {
				// Of one save a second change may be told.
				if got.Kind != "change" {
					t.Fatalf("got %v, want %v", got, want)
				}
				continue
			}
			want = slices.Delete(want, i, i+1)
		}
	}
}

func TestManyWatchesShareOneWatcher(t *testing.T) {
	w := watched(t, never)
	for i := range 300 {
		stop, err := w.Watch(fmt.Sprint("/dir/", i), func() {})
		onHost(t, err)
		defer stop()
	}
	told := make(chan struct{}, 1000)
	stop, err := w.Watch("/dir/last", func() { told <- struct{}{} })
	onHost(t, err)
	defer stop()
	write(t, w, "/dir/last", "x")
	await(t, told, "the last of many watches")
}

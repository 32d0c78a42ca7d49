package run_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// harnessWord has the test program be a harness that is going to be killed.
const harnessWord = "be-a-harness"

func beHarness(dir string, way run.Name, seconds string) {
	world, err := vfs.Open(filepath.Join(dir, "root"), vfs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	runner, err := run.New(context.Background(), world, run.Options{
		Private: filepath.Join(dir, "private2"),
		Way:     way,
		Helper:  []string{os.Args[0], helperWord},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = runner.Run(context.Background(), run.Command{
		Shell:    "(setsid sleep " + seconds + " &); echo up; sleep " + seconds,
		OnOutput: func(text string, _ run.Stream) { fmt.Print(text) },
	})
	fmt.Println(err)
}

func TestAKilledHarnessLeavesNoCommands(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		if !f.confined() {
			t.Skip("SKIPPED: without a PID namespace commands outlive a killed harness")
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		seconds := lasting()
		harness := exec.Command(self, harnessWord, f.host, string(f.runner.Way().Name), seconds)
		said, err := harness.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := harness.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(said).ReadString('\n')
		if line != "up\n" {
			t.Fatalf("the command did not start: %q", line)
		}
		for end := time.Now().Add(patience); !alive(t, "sleep\x00"+seconds); {
			if time.Now().After(end) {
				t.Fatal("the command did not start")
			}
		}
		if err := harness.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = harness.Wait()
		for end := time.Now().Add(patience); alive(t, "sleep\x00"+seconds); {
			if time.Now().After(end) {
				t.Fatal("a command is still there")
			}
		}
	})
}

func TestAProcess1ThatIsKilledIsReplaced(t *testing.T) {
	f := open(t, run.Chroot, nil)
	for range 5 {
		// As many at once as slots wait: all of them are dead for the next command.
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				if _, err := f.runner.Run(t.Context(), run.Command{Shell: "sleep 0.2"}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		// Between commands the only children are the processes 1 of waiting slots.
		for end := time.Now().Add(patience); ; {
			alive := children(t)
			if len(alive) == 0 {
				break
			}
			for _, process1 := range alive {
				_ = process1.Kill()
			}
			if time.Now().After(end) {
				t.Fatal("process 1 does not die")
			}
		}
		if got := f.shell(t, "echo still"); got.Stdout != "still\n" {
			t.Fatalf("%+v", got)
		}
	}
}

// More commands than slots wait, so that every one that is handed out again was killed.
func TestCommandsThatWereKilledDoNotHarmTheNext(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		for range 3 {
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() {
					got, err := f.runner.Run(t.Context(), run.Command{Shell: "trap '' TERM; while :; do sleep 9000; done", Timeout: 200 * time.Millisecond})
					if err != nil || !got.TimedOut {
						t.Errorf("%+v %v", got, err)
					}
				})
			}
			all.Wait()
			for range 8 {
				if got := f.shell(t, "echo innocent"); got.Stdout != "innocent\n" {
					t.Errorf("%+v", got)
				}
			}
		}
	})
}

func TestAWorldWithItsOwnDirectoryKeepsIt(t *testing.T) {
	for _, way := range []run.Name{run.Chroot, run.UserNS, run.Bubblewrap} {
		t.Run(string(way), func(t *testing.T) {
			f := open(t, way, func(o *run.Options) {
				root := filepath.Join(filepath.Dir(o.Private), "root")
				if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, "etc", "own"), []byte("own"), 0o644); err != nil {
					t.Fatal(err)
				}
			})
			if got := f.shell(t, "cat /etc/own; ls /etc"); got.Stdout != "ownown\n" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestWaysSayWhyNotAndWhatIsUnconfined(t *testing.T) {
	f := open(t, run.Plain, func(o *run.Options) { o.Helper = nil })
	ways := f.runner.Ways(t.Context())
	if len(ways) != 4 || ways[0].Name != run.Chroot || ways[3].Name != run.Plain {
		t.Fatalf("%+v", ways)
	}
	if ways[1].Reason == "" || ways[3].Reason != "" || len(ways[3].Unconfined) < 2 {
		t.Errorf("%+v", ways)
	}
	if f.runner.Way().Name != run.Plain {
		t.Errorf("%+v", f.runner.Way())
	}
	_, err := run.New(t.Context(), f.world, run.Options{Private: t.TempDir(), Way: "magic"})
	if err == nil {
		t.Error("an unknown way was accepted")
	}
}

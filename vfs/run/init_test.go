package run_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/vfs/run"
)

// privileged are the programs that process 1 of a command is made of.
func privileged() []string { return []string{"sh", "mount", "env", "cat"} }

// A program of the world that could mount could leave the world.
func TestNoProgramOfTheWorldRunsPrivileged(t *testing.T) {
	for _, way := range []run.Name{run.Chroot, run.UserNS} {
		for _, c := range []struct{ taken, host string }{{"/bin", "/usr/bin"}, {"/usr/bin", "/bin"}, {"/usr/local/sbin", ""}} {
			t.Run(string(way)+c.taken, func(t *testing.T) {
				f := open(t, way, func(o *run.Options) {
					root := filepath.Join(filepath.Dir(o.Private), "root")
					mine := filepath.Join(root, c.taken)
					if err := errors.Join(os.MkdirAll(mine, 0o755), os.MkdirAll(filepath.Join(root, "home/place"), 0o755)); err != nil {
						t.Fatal(err)
					}
					if c.host == "" {
						c.host = "/bin"
					}
					for _, name := range privileged() {
						script := "#!" + c.host + "/sh\n" + c.host + "/mount -t tmpfs none /home/place 2>/dev/null && echo $0 >> /home/privileged\nexec " + c.host + "/" + name + " \"$@\"\n"
						if err := os.WriteFile(filepath.Join(mine, name), []byte(script), 0o755); err != nil {
							t.Fatal(err)
						}
					}
				})
				if got := f.shell(t, "echo works"); got.Stdout != "works\n" {
					t.Errorf("%+v", got)
				}
				if ran, err := f.world.Read("/home/privileged"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("with the right to mount there ran %s (%v)", ran, err)
				}
			})
		}
	}
}

func TestWhatProcess1RunsFromIsHidden(t *testing.T) {
	for _, way := range []run.Name{run.Chroot, run.UserNS} {
		t.Run(string(way), func(t *testing.T) {
			f := open(t, way, nil)
			if got := f.shell(t, "ls -A /proc/.init; grep -c '/proc/[.]init' /proc/self/mounts; ls /proc/1/root/ 2>/dev/null"); got.Stdout != "0\n" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The world cannot have the harness mount over something else.
func TestALinkInPlaceOfAMountIsRefused(t *testing.T) {
	for _, way := range []run.Name{run.Chroot, run.UserNS} {
		for _, name := range []string{"proc", "dev"} {
			t.Run(string(way)+name, func(t *testing.T) {
				f := open(t, run.Plain, func(o *run.Options) {
					if err := os.Symlink("/home", filepath.Join(filepath.Dir(o.Private), "root", name)); err != nil {
						t.Fatal(err)
					}
				})
				for _, found := range f.runner.Ways(t.Context()) {
					if found.Name == way && !strings.Contains(found.Reason, "ENOTDIR") {
						t.Errorf("%+v", found)
					}
				}
			})
		}
	}
}

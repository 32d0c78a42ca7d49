package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// TestMain makes the test binary the program, for the scripts: it is built once. No
// script tests what takes too long, so that its extensions may take long on a machine
// that has much to do.
func TestMain(m *testing.M) {
	slow := bind.Limit{Running: time.Minute, Whole: 2 * time.Minute}
	patient := func() {
		start(bind.Limits{Modules: slow, Factory: slow, Commit: slow.Whole, Hook: slow, Tool: slow, Callback: slow, Queue: slow.Whole})
	}
	testscript.Main(leakChecked{m}, map[string]func(){"harness": patient, revertName: patient})
}

// leakChecked fails when a goroutine is left after the tests.
type leakChecked struct{ tests *testing.M }

func (l leakChecked) Run() int {
	code := l.tests.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func TestScripts(t *testing.T) { runScripts(t, "testdata/script", "") }

// TestScriptsWithCommands runs the scripts that run commands in the world once for
// each way that this machine has.
func TestScriptsWithCommands(t *testing.T) {
	ways := waysHere(t)
	for _, way := range ways {
		t.Run(string(way.Name), func(t *testing.T) {
			if way.Reason != "" {
				t.Skipf("commands cannot be run by %s here: %s", way.Name, way.Reason)
			}
			runScripts(t, "testdata/script/ways", way.Name)
		})
	}
}

// waysHere tries the ways with the program that the scripts run.
func waysHere(t *testing.T) []run.Way {
	t.Helper()
	world, err := vfs.Open(t.TempDir(), vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	program := programFile()
	commands, err := run.New(context.Background(), world, run.Options{
		Private: t.TempDir(), Helper: []string{program, helperCommand},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	return commands.Ways(context.Background())
}

func runScripts(t *testing.T, dir string, way run.Name) {
	testscript.Run(t, testscript.Params{
		Dir:                dir,
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") != "",
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "confined":
				return way != run.Plain, nil
			case "tsc":
				_, err := os.Stat(compiler())
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("HARNESS_WORLD", filepath.Join(env.WorkDir, "world"))
			env.Setenv("HARNESS_WAY", string(way))
			env.Setenv("REPO", filepath.Join(env.WorkDir, "world/root/src/sausage"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("TSC", compiler())
			env.Setenv("HARNESS", programFile())
			env.Values[servingKey{}] = &serving{}
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\nname = Test\nemail = test@example.com\n[init]\ndefaultBranch = main\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": serve, "stop": stop, "signal": signalHarness, "gone": gone, "apply": apply, "await": await, "replace": replace, "makebig": makeBig, "damage": damage,
		},
	})
}

// programFile is the binary that the scripts run: the folder with it is the first
// in PATH.
func programFile() string {
	return filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], "harness")
}

// compiler is where npm puts tsc.
func compiler() string { return absolute("../../node_modules/.bin/tsc") }

func absolute(path string) string {
	found, err := filepath.Abs(path)
	return cmp.Or(found, fmt.Sprint(err))
}

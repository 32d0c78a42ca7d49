package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// helperWord has the test program be the helper of a Runner.
const helperWord = "be-the-helper"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == helperWord {
		if err := run.Serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 5 && os.Args[1] == harnessWord {
		beHarness(os.Args[2], run.Name(os.Args[3]), os.Args[4])
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds what should take moments.
const patience = 30 * time.Second

type fixture struct {
	world  *vfs.World
	runner *run.Runner
	host   string // directory that holds root, private and state
}

func (f *fixture) run(t *testing.T, command run.Command) run.Result {
	t.Helper()
	result, err := f.runner.Run(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func (f *fixture) shell(t *testing.T, line string) run.Result {
	t.Helper()
	return f.run(t, run.Command{Shell: line})
}

func (f *fixture) confined() bool { return f.runner.Way().Name != run.Plain }

// open makes a world and a runner of one way; the test is skipped where the way is
// not to be had.
func open(t testing.TB, way run.Name, change func(*run.Options)) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"root", "state"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "state", "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	world, err := vfs.Open(filepath.Join(dir, "root"), vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := world.Close(); err != nil {
			t.Error(err)
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := run.Options{
		Private:  filepath.Join(dir, "private"),
		Way:      way,
		Helper:   []string{self, helperWord},
		Programs: map[string]string{"greet": "/bin/echo"},
	}
	if change != nil {
		change(&options)
	}
	runner, err := run.New(context.Background(), world, options)
	if err != nil {
		t.Skipf("SKIPPED way %s: %v", way, err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fixture{world: world, runner: runner, host: dir}
}

// eachWay runs a test once for every way this machine has.
func eachWay(t *testing.T, test func(t *testing.T, f *fixture)) {
	for _, way := range []run.Name{run.Chroot, run.UserNS, run.Bubblewrap, run.Plain} {
		t.Run(string(way), func(t *testing.T) { test(t, open(t, way, nil)) })
	}
}

func TestStreamsAndCodeAreKept(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		got := f.shell(t, "echo out; echo err >&2; exit 3")
		if got != (run.Result{Code: 3, Stdout: "out\n", Stderr: "err\n"}) {
			t.Fatalf("%+v", got)
		}
	})
}

func TestArgvRunsWithoutAShell(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		got := f.run(t, run.Command{Argv: []string{"printf", "%s", "$HOME; a b"}})
		if got.Stdout != "$HOME; a b" {
			t.Fatalf("%+v", got)
		}
	})
}

func TestProgramsComeFirstInPath(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		if got := f.shell(t, "greet hello"); got.Stdout != "hello\n" {
			t.Fatalf("%+v", got)
		}
	})
}

func TestSignalIsReported(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		for name, code := range map[string]int{"TERM": 143, "KILL": 137, "SEGV": 139} {
			got := f.shell(t, "kill -"+name+" $$; sleep 10; echo not reached")
			if got.Code != code || got.Signal != "SIG"+name || got.Stdout != "" {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

func TestWhatCannotStartIsAnError(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		write(t, f, "/plain.txt", "text")
		for _, c := range []struct {
			name    string
			command run.Command
			code    string
		}{
			{"missing program", run.Command{Argv: []string{"no-such-program"}}, "ENOENT"},
			{"missing path", run.Command{Argv: []string{"./nothing"}}, "ENOENT"},
			{"not executable", run.Command{Argv: []string{"./plain.txt"}}, "EACCES"},
			{"missing directory", run.Command{Shell: "true", Dir: "/nowhere"}, "ENOENT"},
			{"directory is a file", run.Command{Shell: "true", Dir: "/plain.txt"}, "ENOTDIR"},
			{"relative directory", run.Command{Shell: "true", Dir: "x"}, "EINVAL"},
			{"no command", run.Command{}, "EINVAL"},
			{"two commands", run.Command{Shell: "true", Argv: []string{"true"}}, "EINVAL"},
			{"negative timeout", run.Command{Shell: "true", Timeout: -1}, "EINVAL"},
			{"negative limit of output", run.Command{Shell: "true", MaxBytes: -1}, "EINVAL"},
			{"NUL in an argument", run.Command{Argv: []string{"echo", "a\x00b"}}, "EINVAL"},
			{"bad variable", run.Command{Shell: "true", Env: []run.EnvVar{{Name: "A=B"}}}, "EINVAL"},
		} {
			_, err := f.runner.Run(t.Context(), c.command)
			failed, ok := errors.AsType[*run.StartError](err)
			if !ok || failed.Code != c.code {
				t.Errorf("%s: %v, want code %s", c.name, err, c.code)
			} else if strings.Contains(err.Error(), f.host) {
				t.Errorf("%s: %v names a host path", c.name, err)
			} else if strings.Count(err.Error(), c.code) != 1 {
				t.Errorf("%s: %v has its code twice", c.name, err)
			}
		}
		_, err := f.runner.Run(t.Context(), run.Command{Argv: []string{"no-such-program"}})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is not fs.ErrNotExist", err)
		}
	})
}

func TestDirIsAWorldPath(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		write(t, f, "/a/b/file", "here")
		if err := f.world.Symlink("/a/b", "/link"); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"/a/b", "/a/x/../b", "/link"} {
			if got := f.run(t, run.Command{Shell: "cat file", Dir: dir}); got.Stdout != "here" {
				t.Errorf("%s: %+v", dir, got)
			}
		}
		want := "/a/b\n"
		if !f.confined() {
			want = filepath.Join(f.world.HostRoot(), "a/b") + "\n"
		}
		if got := f.run(t, run.Command{Shell: "pwd", Dir: "/a/b"}); got.Stdout != want {
			t.Errorf("pwd: %+v, want %q", got, want)
		}
	})
}

func TestWritesOfCommandsAreWritesInTheWorld(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		f.run(t, run.Command{Shell: "echo text > made", Dir: "/home"})
		if got, err := f.world.Read("/home/made"); err != nil || string(got) != "text\n" {
			t.Fatalf("%q %v", got, err)
		}
	})
}

func TestStdinIsGivenAndIsEmptyOtherwise(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		large := strings.Repeat("0123456789", 30_000)
		if got := f.run(t, run.Command{Shell: "cat", Stdin: []byte(large)}); got.Stdout != large {
			t.Errorf("%d bytes came back of %d", len(got.Stdout), len(large))
		}
		if got := f.shell(t, "cat; echo end"); got.Stdout != "end\n" {
			t.Errorf("%+v", got)
		}
		if got := f.run(t, run.Command{Shell: "exit 0", Stdin: []byte(large)}); got.Code != 0 {
			t.Errorf("input that is not read: %+v", got)
		}
	})
}

func TestEnvironmentIsMadeNotInherited(t *testing.T) {
	t.Setenv("SECRET_KEY", "leaked")
	t.Setenv("GIT_DIR", "/nowhere")
	eachWay(t, func(t *testing.T, f *fixture) {
		got := f.run(t, run.Command{Argv: []string{"env"}, Env: []run.EnvVar{{"EXTRA", "1"}, {"LANG", "C"}, {"EXTRA", "2"}}})
		vars := map[string]string{}
		for line := range strings.SplitSeq(strings.TrimSpace(got.Stdout), "\n") {
			name, value, _ := strings.Cut(line, "=")
			vars[name] = value
		}
		for _, leaked := range []string{"SECRET_KEY", "GIT_DIR", "USER", "SHELL"} {
			if value, set := vars[leaked]; set {
				t.Errorf("%s=%s", leaked, value)
			}
		}
		if vars["EXTRA"] != "2" || vars["LANG"] != "C" {
			t.Errorf("%v", vars)
		}
		if f.confined() && (vars["HOME"] != "/home" || vars["TMPDIR"] != "/tmp" || !strings.HasSuffix(vars["PATH"], ":/bin")) {
			t.Errorf("%v", vars)
		}
		if !f.confined() && vars["HARNESS_ROOT"] != f.world.HostRoot() {
			t.Errorf("%v", vars)
		}
	})
}

func TestAnEnvironmentCanBeTheCommandsOwn(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		got := f.run(t, run.Command{Argv: []string{"env"}, Env: []run.EnvVar{{"EXTRA", "1"}}, OnlyEnv: true})
		for line := range strings.SplitSeq(strings.TrimSpace(got.Stdout), "\n") {
			if name, _, _ := strings.Cut(line, "="); !slices.Contains([]string{"EXTRA", "PATH", "PWD", "HARNESS_ROOT", "HARNESS_COMMAND"}, name) {
				t.Errorf("%s", line)
			}
		}
		if !strings.Contains("\n"+got.Stdout, "\nEXTRA=1\n") {
			t.Errorf("%q", got.Stdout)
		}
	})
}

func TestGitWorksAndTheHomeConfigurationWins(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		if err := f.world.Mkdir("/src/repo", true); err != nil {
			t.Fatal(err)
		}
		git := func(args ...string) string {
			t.Helper()
			out, err := f.runner.Git(t.Context(), "/src/repo", args...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		git("init")
		write(t, f, "/src/repo/a", "a")
		git("add", "a")
		git("commit", "-m", "first")
		if got := git("log", "--format=%an %s"); got != "harness first" {
			t.Errorf("%q", got)
		}
		if got := git("rev-parse", "--abbrev-ref", "HEAD"); got != "main" {
			t.Errorf("%q", got)
		}
		write(t, f, "/home/.gitconfig", "[user]\n\tname = somebody\n")
		if got := git("config", "user.name"); got != "somebody" {
			t.Errorf("%q", got)
		}
		_, err := f.runner.Git(t.Context(), "/src/repo", "rev-parse", "--verify", "nothing")
		failed, ok := errors.AsType[*run.GitError](err)
		if !ok || failed.Code != 128 || failed.Args[0] != "rev-parse" || !strings.Contains(failed.Stderr, "fatal") {
			t.Errorf("%v", err)
		}
	})
}

func TestPublishedFilesAreInProc(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		if !f.confined() {
			t.Skip("SKIPPED: this way has no /proc of the world")
		}
		for _, text := range []string{"one", "two"} {
			if err := f.runner.PublishProc("extensions", []byte(text)); err != nil {
				t.Fatal(err)
			}
			if got := f.shell(t, "cat /proc/extensions"); got.Stdout != text {
				t.Errorf("%+v, want %s", got, text)
			}
		}
		got := f.shell(t, "cat /proc/self/comm && test -s /proc/meminfo && echo x > /dev/null; cat /proc/self/mounts > /dev/stderr")
		if !strings.HasPrefix(got.Stdout, "cat\n") {
			t.Errorf("%+v", got)
		}
		if got := f.shell(t, "echo x > /proc/extensions"); got.Code == 0 {
			t.Error("a command wrote /proc/extensions")
		}
		for _, name := range []string{"self", ".kernel", "a/b", "..", ""} {
			if err := f.runner.PublishProc(name, nil); err == nil {
				t.Errorf("published %q", name)
			}
		}
	})
}

func TestHostAndStateAreInvisible(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		if !f.confined() {
			t.Skip("SKIPPED: this way confines nothing")
		}
		for _, at := range []string{
			filepath.Join(f.host, "state", "secret"), "/../state/secret", "/etc/shadow", "/root", "/sys",
			"/proc/1/root" + f.host, fmt.Sprintf("/proc/.kernel/%d", os.Getpid()) + "/environ",
		} {
			if got := f.shell(t, "ls -d "+at); got.Code == 0 {
				t.Errorf("a command sees %s: %+v", at, got)
			}
		}
		if got := f.shell(t, "for p in /proc/.kernel/[0-9]*/environ; do tr '\\0' '\\n' < $p; done 2>/dev/null | grep -c GOFLAGS=; ls /"); strings.Contains(got.Stdout, "state") {
			t.Errorf("%+v", got)
		}
		for _, at := range []string{"/usr/x", "/etc/passwd", "/proc/x", "/dev/x"} {
			if got := f.shell(t, "echo x > "+at); got.Code == 0 {
				t.Errorf("a command wrote %s", at)
			}
		}
		if got := f.shell(t, "umount /usr || mount -o remount,rw /usr || mount -t tmpfs none /home"); got.Code == 0 {
			t.Error("a command changed mounts")
		}
	})
}

func TestMountsAreNotInTheHarnessItself(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		f.shell(t, "true")
		mounts, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(mounts), f.host) {
			t.Error("this process has mounts of the world")
		}
	})
}

func TestOutputComesInWholeCharactersInOrder(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		var all strings.Builder
		got := f.run(t, run.Command{
			Shell: `i=0; while [ $i -lt 40 ]; do printf '\342\202'; printf '\254\360\237'; printf '\230\200'; i=$((i+1)); done`,
			OnOutput: func(text string, stream run.Stream) {
				if !utf8.ValidString(text) {
					t.Errorf("a part of a character: %q", text)
				}
				if stream != run.Stdout {
					t.Errorf("stream %s", stream)
				}
				all.WriteString(text)
			},
		})
		if want := strings.Repeat("€😀", 40); all.String() != want || got.Stdout != want {
			t.Errorf("%q", all.String())
		}
		if got := f.shell(t, `printf 'a\377\342\202'`); got.Stdout != "a\xff\xe2\x82" {
			t.Errorf("bytes that are no text: %q", got.Stdout)
		}
	})
}

func TestTheMiddleOfTooMuchOutputIsDropped(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		seen := 0
		got := f.run(t, run.Command{
			Shell:    "echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end",
			MaxBytes: 1000,
			OnOutput: func(text string, _ run.Stream) { seen += len(text) },
		})
		if !strings.HasPrefix(got.Stdout, "begin\n") || !strings.HasSuffix(got.Stdout, "\nend\n") {
			t.Errorf("ends: %q ... %q", got.Stdout[:10], got.Stdout[len(got.Stdout)-10:])
		}
		if !strings.Contains(got.Stdout, "[2999011 of 3000011 bytes dropped here]") || len(got.Stdout) > 1100 {
			t.Errorf("%d bytes: %q", len(got.Stdout), got.Stdout)
		}
		if seen != 3_000_011 {
			t.Errorf("OnOutput saw %d bytes", seen)
		}
	})
}

func write(t *testing.T, f *fixture, at, text string) {
	t.Helper()
	if err := f.world.Mkdir(filepath.Dir(at), true); err != nil {
		t.Fatal(err)
	}
	if err := f.world.Write(at, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// bareTrue is the floor: the same program by os/exec, its streams kept.
func bareTrue(b *testing.B) time.Duration {
	before := time.Now()
	var stdout, stderr bytes.Buffer
	command := exec.Command("/bin/true")
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(before)
}

// BenchmarkTrue prints how much longer a command takes than bare exec does.
func BenchmarkTrue(b *testing.B) {
	for _, way := range []run.Name{run.Chroot, run.UserNS, run.Bubblewrap, run.Plain} {
		b.Run(string(way), func(b *testing.B) {
			f := open(b, way, nil)
			var bare time.Duration
			for b.Loop() {
				// Beside each other, so that both see the same machine.
				bare += bareTrue(b)
				if _, err := f.runner.Run(b.Context(), run.Command{Argv: []string{"/bin/true"}}); err != nil {
					b.Fatal(err)
				}
			}
			own := b.Elapsed() - bare
			b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "µs/bare")
			b.ReportMetric(float64(own.Microseconds())/float64(b.N), "µs/run")
			b.ReportMetric(float64(own)/float64(bare), "x_bare")
		})
	}
}

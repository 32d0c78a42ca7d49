package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/agent/tools"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(stopping{m}) }

// stopping stops the clock of regexp2 after the tests: it would run on for a moment.
type stopping struct{ *testing.M }

func (m stopping) Run() int {
	defer regexp2.StopTimeoutClock()
	return m.M.Run()
}

// world is a world on the disk with the coding tools.
type world struct {
	testing.TB
	dir   string
	env   bind.Env
	tools *registry.Registry
}

func newWorld(t testing.TB, options tools.Options) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := vfs.Open(root, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	commands, err := run.New(context.Background(), files, run.Options{Private: filepath.Join(dir, "private")})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: root, env: bind.Env{World: &bind.World{Files: files, Commands: commands}}, tools: registry.New(registry.Options{})}
	w.install(tools.Coding(options))
	t.Cleanup(func() {
		for _, closed := range []error{w.tools.Retire().Close(context.Background()), commands.Close(), files.Close()} {
			if closed != nil {
				t.Error(closed)
			}
		}
	})
	return w
}

func (w *world) install(extension registry.Extension) {
	w.Helper()
	candidate := w.tools.Stage("built in")
	defer func() { _ = candidate.Discard(context.Background()) }()
	instance, err := extension.Instantiate(context.Background(), registry.ScopeContext{})
	if err != nil {
		w.Fatal(err)
	}
	candidate.Add(extension, instance)
	generation, problems := candidate.Validate()
	if generation == nil {
		w.Fatal(problems)
	}
	previous, err := w.tools.Promote(generation)
	if err != nil {
		w.Fatal(err)
	}
	if err := previous.Close(context.Background()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.Helper()
	at := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// call calls a tool with the arguments key, value, key, value.
func (w *world) call(tool string, arguments ...any) *registry.Result {
	w.Helper()
	args := map[string]any{}
	for i := 0; i < len(arguments); i += 2 {
		args[arguments[i].(string)] = arguments[i+1]
	}
	text, err := json.Marshal(args)
	if err != nil {
		w.Fatal(err)
	}
	return w.tools.CallTool(context.Background(), registry.Call{ID: "c1", Tool: tool, Arguments: text, Env: w.env})
}

// summary is all that a result says, for people and models.
func summary(result *registry.Result) string {
	var parts []string
	if result.IsError {
		parts = append(parts, "error")
	}
	for _, c := range result.Content {
		if c.Type == registry.ContentText {
			parts = append(parts, c.Text)
		} else {
			parts = append(parts, "<"+c.MIMEType+">")
		}
	}
	for _, d := range result.Diagnostics {
		parts = append(parts, "["+d.Severity+" "+d.Code+"] "+d.Message)
	}
	return strings.Join(parts, "|")
}

func (w *world) expect(want string, tool string, arguments ...any) {
	w.Helper()
	if got := summary(w.call(tool, arguments...)); got != want {
		w.Errorf("%s %v:\n got %q\nwant %q", tool, arguments, got, want)
	}
}

package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestMain(m *testing.M) {
	child(os.Getenv(childVariable))
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// patient is how long a test waits for what must happen.
const patient = 60 * time.Second

// files are the contents of files by their path in the repository; an empty one
// is removed.
type files map[string]string

// testWorld is a world on the disk with a repository that real git works in.
type testWorld struct {
	testing.TB
	dir string
}

// newWorld makes a world whose branch has one commit of the files, or none when
// they are nil.
func newWorld(t testing.TB, first files) *testWorld {
	t.Helper()
	w := &testWorld{TB: t, dir: t.TempDir()}
	for _, folder := range []string{"root/src/sausage", "root/home", "root/tmp", "state"} {
		if err := os.MkdirAll(filepath.Join(w.dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.git("init", "--quiet", "--initial-branch=main")
	if first != nil {
		w.commit(first)
	}
	return w
}

// path is the host path of a world path.
func (w *testWorld) path(name string) string { return filepath.Join(w.dir, "root", name) }

func (w *testWorld) git(args ...string) string {
	w.Helper()
	return git(w, w.dir, args...)
}

// git runs git in the repository of the world in dir and returns its output.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = filepath.Join(dir, "root", Repository)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, output)
	}
	return strings.TrimSpace(string(output))
}

// write changes files of the checkout.
func (w *testWorld) write(changed files) {
	w.Helper()
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		at := w.path(filepath.Join(Repository, name))
		if changed[name] == "" {
			if err := os.RemoveAll(at); err != nil {
				w.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(changed[name]), 0o644); err != nil {
			w.Fatal(err)
		}
	}
}

// commit changes files and commits them; it returns the sha.
func (w *testWorld) commit(changed files) string {
	w.Helper()
	w.write(changed)
	w.git("add", "--all", ".")
	w.git("commit", "--quiet", "--allow-empty", "--message=change")
	return w.git("rev-parse", "HEAD")
}

// testHost is an open host of a test world.
type testHost struct {
	*Host
	testing.TB
	changed chan struct{} // holds a token after each change of the status
	log     *logged
}

// open opens the world over the machine's clock and badger.
func (w *testWorld) open(edits ...func(*Options)) *testHost {
	w.Helper()
	h, err := w.tryOpen(edits...)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			w.Errorf("close: %v", err)
		}
	})
	return h
}

// options are those that tests open a world with.
func (w *testWorld) options(edits ...func(*Options)) (Options, *logged) {
	log := &logged{}
	options := Options{Dir: w.dir, Logger: slog.New(log), Limits: patientLimits()}
	for _, edit := range edits {
		edit(&options)
	}
	return options, log
}

func (w *testWorld) tryOpen(edits ...func(*Options)) (*testHost, error) {
	options, log := w.options(edits...)
	opened, err := Open(context.Background(), options)
	if err != nil {
		return nil, err
	}
	h := &testHost{Host: opened, TB: w, changed: make(chan struct{}, 1), log: log}
	opened.Watch(func() {
		select {
		case h.changed <- struct{}{}:
		default:
		}
	})
	return h, nil
}

// inMemory keeps the session in memory: no test of the database needs a disk.
func inMemory(options *Options) { options.Storage = new(memory.Storage) }

// until waits for a state of the status and returns it.
func (h *testHost) until(what string, reached func(Status) bool) Status {
	h.Helper()
	limit := time.After(patient)
	for {
		status := h.Status()
		if reached(status) {
			return status
		}
		select {
		case <-h.changed:
		case <-time.After(20 * time.Millisecond): // calls in flight are no change of the status
		case <-limit:
			h.Fatalf("%s was not reached; the status is %s\nlog:\n%s", what, asJSON(status), h.log)
		}
	}
}

func asJSON(value any) string {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// live waits until a commit is live.
func (h *testHost) live(commit string) Status {
	h.Helper()
	return h.until("commit "+commit+" live", func(s Status) bool {
		return s.Loading == nil && s.Good != nil && *s.Good == commit && s.Current != nil && *s.Current == commit && s.Error == nil
	})
}

// refused waits until a commit is refused and returns why.
func (h *testHost) refused(commit string) string {
	h.Helper()
	status := h.until("commit "+commit+" refused", func(s Status) bool {
		return s.Loading == nil && s.Current != nil && *s.Current == commit && s.Error != nil
	})
	return *status.Error
}

// result calls a tool.
func (h *testHost) result(tool string, arguments ...any) *registry.Result {
	h.Helper()
	call := ToolCall{Tool: tool}
	if len(arguments) > 0 {
		call.Arguments = json.RawMessage(asJSON(arguments[0]))
	}
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	return h.CallTool(ctx, call)
}

// call calls a tool that must succeed and returns its text.
func (h *testHost) call(tool string, arguments ...any) string {
	h.Helper()
	result := h.result(tool, arguments...)
	if result.IsError {
		h.Fatalf("tool %s: %s\nlog:\n%s", tool, result.Text(), h.log)
	}
	return result.Text()
}

// fails calls a tool that must fail and returns its message.
func (h *testHost) fails(tool string, arguments ...any) string {
	h.Helper()
	result := h.result(tool, arguments...)
	if !result.IsError {
		h.Fatalf("tool %s gave %q; it must fail", tool, result.Text())
	}
	return result.Text()
}

// background calls a tool and returns what receives its result. The call is given
// up when the test ends.
func (h *testHost) background(tool string) <-chan *registry.Result {
	ended := make(chan *registry.Result, 1)
	ctx, cancel := context.WithCancel(context.Background())
	h.Cleanup(cancel)
	go func() { ended <- h.CallTool(ctx, ToolCall{Tool: tool}) }()
	return ended
}

// await receives what must come.
func await[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patient):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// inFlight waits until an extension has a number of calls in flight.
func (h *testHost) inFlight(extension string, calls int) {
	h.Helper()
	h.until(fmt.Sprintf("%d calls of %s", calls, extension), func(s Status) bool {
		return slices.ContainsFunc(s.Extensions, func(e ExtensionStatus) bool { return e.Name == extension && e.Calls == calls })
	})
}

// extensionStatus is what the status says of one extension.
func (h *testHost) extensionStatus(name string) ExtensionStatus {
	h.Helper()
	for _, extension := range h.Status().Extensions {
		if extension.Name == name {
			return extension
		}
	}
	h.Fatalf("there is no extension %s", name)
	return ExtensionStatus{}
}

// contains fails unless text has every part.
func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not contain %q", text, part)
		}
	}
}

func same(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// server is the path of an extension's module.
func server(extension string) string { return "extensions/" + extension + "/server.ts" }

// tool declares a tool whose body is the body of an async function of args, api and
// context.
func tool(name, body string) string {
	return fmt.Sprintf(`{ name: %q, description: "a tool", parameters: { type: "object" }, async execute(args: any, api: any, context: any) { %s } }`, name, body)
}

// extensionOf is a module whose factory runs body and declares tools.
func extensionOf(name, body string, tools ...string) string {
	return fmt.Sprintf("export default async (host: any) => {\n%s\nreturn { name: %q, tools: [%s] };\n};\n", body, name, strings.Join(tools, ",\n"))
}

// answering is an extension with a tool of its name that answers with a text.
func answering(name, answer string) string {
	return extensionOf(name, "", tool(name, fmt.Sprintf("return %q;", answer)))
}

// patientLimits are limits that nothing runs into on a machine however slow.
func patientLimits() bind.Limits {
	limits := bind.DefaultLimits()
	for _, limit := range []*bind.Limit{&limits.Modules, &limits.Factory, &limits.Hook, &limits.Tool, &limits.Change, &limits.Callback} {
		limit.Running = patient
		if limit.Whole > 0 {
			limit.Whole = 2 * patient
		}
	}
	limits.Commit = 2 * patient
	return limits
}

// callsBriefly gives calls little time, so that tests of those that spin are short.
// Those that do not spin must be trivial.
func callsBriefly(options *Options) {
	for _, limit := range []*bind.Limit{&options.Limits.Hook, &options.Limits.Tool, &options.Limits.Callback} {
		limit.Running = 300 * time.Millisecond
	}
}

// loadsBriefly gives modules and factories little time, so that tests of those that
// spin or hang are short. The others have more to do than a call.
func loadsBriefly(options *Options) {
	options.Limits.Modules = bind.Limit{Running: time.Second, Whole: 3 * time.Second}
	options.Limits.Factory = options.Limits.Modules
}

// read returns a file below the world's root.
func (w *testWorld) read(name string) string {
	w.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		w.Fatal(err)
	}
	return string(data)
}

// inOrder asks for texts one after another.
func inOrder(t testing.TB, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", part, text)
		}
		rest = after
	}
}

package control

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is an extension with a tool that publishes and one that waits to be
// aborted.
const source = `
const none = { type: "object", properties: {} };
const text = (text) => ({ content: [{ type: "text", text }] });
let aborted = Promise.withResolvers();
export default {
  name: "tools",
  tools: [
    { name: "report", description: "Publishes.", parameters: none, async execute(_, api) {
      api.output("one\n");
      api.details({ step: 2 });
      return text("done");
    } },
    { name: "wait", description: "Waits.", parameters: none, async execute(_, api, context) {
      context.abortSignal.addEventListener("abort", () => aborted.resolve("it was aborted"));
      api.output("waiting\n");
      await aborted.promise;
    } },
    { name: "aborted", description: "Waits for the abort.", parameters: none, execute: async () => text(await aborted.promise) },
  ],
};
`

// world is a host with its server.
type world struct {
	dir, socket string
	storage     *memory.Storage
	host        *host.Host
	server      *Server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{dir: filepath.Join(t.TempDir(), "world"), storage: new(memory.Storage)}
	if err := host.Init(ctx, w.dir, nil); err != nil {
		t.Fatal(err)
	}
	w.commit(t, source)
	slow := bind.Limit{Running: time.Minute, Whole: 2 * time.Minute} // on a machine that has much to do
	patient := bind.Limits{Modules: slow, Factory: slow, Commit: slow.Whole, Hook: slow, Tool: slow, Callback: slow, Queue: slow.Whole}
	var err error
	if w.host, err = host.Open(ctx, host.Options{Dir: w.dir, Storage: w.storage, Limits: patient}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.host.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	w.socket = host.Layout{Dir: w.dir}.Socket()
	if w.server, err = Serve(ctx, w.host, w.socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if w.server != nil {
			w.shutdown(t)
		}
	})
	return w
}

func (w *world) shutdown(t *testing.T) {
	t.Helper()
	if err := w.server.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	w.server = nil
}

// commit makes the source the only extension and returns the commit.
func (w *world) commit(t *testing.T, source string) string {
	t.Helper()
	repository := filepath.Join(host.Layout{Dir: w.dir}.Root(), filepath.FromSlash(host.Repository))
	file := filepath.Join(repository, "extensions/tools/server.ts")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	var output []byte
	for _, arguments := range [][]string{
		{"add", "."}, {"-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=change"}, {"rev-parse", "HEAD"},
	} {
		var err error
		if output, err = exec.Command("git", append([]string{"-C", repository}, arguments...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, output)
		}
	}
	return strings.TrimSpace(string(output))
}

func (w *world) dial(t *testing.T) *Client {
	t.Helper()
	client, err := Dial(context.Background(), w.socket)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestCallStreamsWhatTheToolPublishesInOrder(t *testing.T) {
	var published []registry.Progress
	result, err := newWorld(t).dial(t).Call(context.Background(), CallRequest{Tool: "report"}, func(p registry.Progress) {
		published = append(published, p)
	})
	if err != nil || result.IsError || result.Text() != "done" {
		t.Fatalf("result %+v, error %v", result, err)
	}
	if len(published) != 2 || published[0].Output != "one\n" || string(published[1].Details) != `{"step":2}` {
		t.Errorf("published: %+v", published)
	}
}

func TestClientThatGoesAwayAbortsItsCall(t *testing.T) {
	client := newWorld(t).dial(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := client.Call(ctx, CallRequest{Tool: "wait"}, func(registry.Progress) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	result, err := client.Call(context.Background(), CallRequest{Tool: "aborted"}, func(registry.Progress) {})
	if err != nil || result.Text() != "it was aborted" {
		t.Errorf("result %+v, error %v", result, err)
	}
}

func TestExecStreamsAndKeepsBytes(t *testing.T) {
	var stdout, stderr bytes.Buffer
	result, err := newWorld(t).dial(t).Exec(context.Background(), ExecRequest{
		Argv: []string{"sh", "-c", `cat; printf '\351' >&2; exit $CODE`}, Stdin: []byte("in"),
		Env: []run.EnvVar{{Name: "CODE", Value: "3"}},
	}, &stdout, &stderr)
	if err != nil || result.Code != 3 || stdout.String() != "in" || stderr.String() != "\xe9" {
		t.Errorf("result %+v, error %v, stdout %q, stderr %q", result, err, &stdout, &stderr)
	}
}

func TestExecSaysWhyACommandDoesNotStart(t *testing.T) {
	_, err := newWorld(t).dial(t).Exec(context.Background(), ExecRequest{Argv: []string{"no-such-program"}, Dir: "/home"}, nil, nil)
	var failed *run.StartError
	if !errors.As(err, &failed) || failed.Code != "ENOENT" || failed.Program != "no-such-program" || failed.Dir != "/home" {
		t.Errorf("error %#v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestExecGivesTheErrorOfItsWriter(t *testing.T) {
	_, err := newWorld(t).dial(t).Exec(context.Background(), ExecRequest{Argv: []string{"yes"}}, broken{}, broken{})
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestSettledWaitsForTheNewestCommit(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	for _, source := range []string{"export default {", source + "// more", "export default nothing;"} {
		w.commit(t, source+"// skipped, perhaps")
		commit := w.commit(t, source)
		status, err := client.Settled(context.Background())
		if err != nil || status.Loading != nil || status.Current == nil || *status.Current != commit {
			t.Fatalf("status %+v, error %v", status, err)
		}
		live := status.Good != nil && *status.Good == commit
		if live != (status.Error == nil) || live != strings.Contains(source, "more") {
			t.Errorf("of %q: good %v, error %v", source, status.Good, status.Error)
		}
	}
}

func TestShutdownDoesNotWaitForThoseWhoWait(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	// A commit whose factory does not end holds the load up.
	w.commit(t, "export default () => new Promise(() => {});")
	stopped := make(chan error, 1)
	go func() {
		_, err := client.Settled(context.Background())
		stopped <- err
	}()
	for !w.server.status.awaited() {
		time.Sleep(time.Millisecond)
	}
	w.shutdown(t)
	if err := <-stopped; err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("error %v", err)
	}
}

// awaited reports whether somebody waits for the next change.
func (c *changes) awaited() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wake != nil
}

func TestReloadLoadsARefusedCommitAgain(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	commit := w.commit(t, "export default nothing;")
	if _, err := client.Settled(context.Background()); err != nil {
		t.Fatal(err)
	}
	status, err := client.Reload(context.Background())
	if err != nil || status.Error == nil || *status.Current != commit {
		t.Fatalf("status %+v, error %v", status, err)
	}
	refusals := 0
	for _, load := range status.History {
		if load.Commit == commit && load.Outcome == host.Refused {
			refusals++
		}
	}
	if refusals != 2 {
		t.Errorf("the commit was refused %d times, want 2", refusals)
	}
}

func TestToolsAreListedWithTheirSchemas(t *testing.T) {
	tools, err := newWorld(t).dial(t).Tools(context.Background())
	if err != nil || len(tools) != 3 || tools[0].Name != "report" || tools[0].Extension != "tools" || len(tools[0].Parameters) == 0 {
		t.Errorf("tools %+v, error %v", tools, err)
	}
}

func TestBrokenRequestIsRefusedWithAReason(t *testing.T) {
	client := newWorld(t).dial(t)
	for _, body := range []string{"", "{", `{"tool":1}`, `{"tool":"report"} {}`} {
		_, err := client.send(context.Background(), http.MethodPost, pathCall, []byte(body))
		if err == nil || !strings.Contains(err.Error(), "read the request") {
			t.Errorf("of %q: error %v", body, err)
		}
	}
	if _, err := client.send(context.Background(), http.MethodGet, "/v1/nothing", nil); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("of an unknown path: error %v", err)
	}
}

func TestSocketBelongsToItsUserAndReplacesADeadOne(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	for _, folder := range []string{t.TempDir(), long} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		socket := filepath.Join(folder, "socket")
		dead, err := listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		if err := dead.Close(); err != nil {
			t.Fatal(err)
		}
		var none *NotRunningError
		if _, err := Dial(context.Background(), socket); !errors.As(err, &none) {
			t.Errorf("dial a dead socket: %v", err)
		}
		listener, err := listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(socket)
		if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
			t.Errorf("the socket is %v (%v)", info.Mode(), err)
		}
		if _, err := Dial(context.Background(), socket); err != nil {
			t.Error(err)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHarnessThatDiesIsTold(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	listener, err := listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		for range 2 { // one connection of Dial, one of the request
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			_ = conn.Close()
		}
	}()
	client, err := Dial(context.Background(), socket)
	if err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if _, err := client.Reload(context.Background()); !errors.As(err, &lost) {
		t.Errorf("error %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	<-served
}

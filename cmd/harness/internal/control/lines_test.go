package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
)

// flooding is an extension with a tool that publishes until it is aborted, more
// than any buffer holds, and one that waits for that.
const flooding = `
const none = { type: "object", properties: {} };
const text = (text) => ({ content: [{ type: "text", text }] });
const aborted = Promise.withResolvers();
export default {
  name: "tools",
  tools: [
    { name: "flood", description: "Publishes until it is aborted.", parameters: none, async execute(_, api, context) {
      const large = "x".repeat(256 << 10);
      for (let n = 0; n < 10000 && !context.abortSignal.aborted; n++) {
        api.details({ n, large });
        await null;
        if (n % 8 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
      aborted.resolve(context.abortSignal.aborted);
    } },
    { name: "aborted", description: "Waits for the abort.", parameters: none, execute: async () => text(String(await aborted.promise)) },
  ],
};
`

// sendUnread sends a request whose answer is never read.
func (w *world) sendUnread(t *testing.T, path string, request any) {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", w.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: harness\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body); err != nil {
		t.Fatal(err)
	}
}

func TestClientThatDoesNotReadHoldsNoExtensionUp(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	w.commit(t, flooding)
	if _, err := client.Settled(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.sendUnread(t, pathCall, CallRequest{Tool: "flood"})
	result, err := client.Call(context.Background(), CallRequest{Tool: "aborted"}, func(registry.Progress) {})
	if err != nil || result.Text() != "true" {
		t.Errorf("result %+v, error %v; the call was not given up", result, err)
	}
}

func TestCommandWhoseOutputNobodyReadsHoldsNoStopUp(t *testing.T) {
	w := newWorld(t)
	w.sendUnread(t, pathExec, ExecRequest{Argv: []string{"yes"}})
	for !outputWaits() {
		time.Sleep(time.Millisecond)
	}
	last, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	stopped := make(chan error, 1)
	server := w.server
	w.server = nil
	go func() { stopped <- server.Shutdown(last) }()
	if err := w.host.Close(context.Background()); err != nil {
		t.Error(err)
	}
	giveUp()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// outputWaits reports whether the output of a command waits for its reader.
func outputWaits() bool {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for goroutine := range strings.SplitSeq(string(stacks), "\n\n") {
		state, frames, _ := strings.Cut(goroutine, "\n")
		if strings.Contains(state, "[select") && strings.Contains(frames, "(*lines).await") {
			return true
		}
	}
	return false
}

func TestCommandIsAsFastAsWhoReadsItsOutput(t *testing.T) {
	var stdout counter
	// Three times what may be unread.
	command := ExecRequest{Argv: []string{"head", "--bytes", fmt.Sprint(3 * maxUnread), "/dev/zero"}}
	result, err := newWorld(t).dial(t).Exec(context.Background(), command, &stdout, io.Discard)
	if err != nil || result.Code != 0 || stdout != 3*maxUnread {
		t.Errorf("result %+v, error %v, %d bytes", result, err, stdout)
	}
}

type counter int

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

func TestServerThatHasStoppedIsToldOfNoChange(t *testing.T) {
	w := newWorld(t)
	server := w.server
	w.shutdown(t)
	changed := server.status.next()
	w.host.Notice("", "a change")
	select {
	case <-changed:
		t.Error("it was told of a change")
	default:
	}
}

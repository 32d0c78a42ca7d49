package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"

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

func TestClientThatDoesNotReadHoldsNoStopUp(t *testing.T) {
	for _, request := range []struct {
		path string
		body any
	}{
		{pathCall, CallRequest{Tool: "flood"}},
		{pathExec, ExecRequest{Argv: []string{"sh", "-c", "touch /home/began; exec yes"}}},
	} {
		t.Run(request.path, func(t *testing.T) {
			w := newWorld(t)
			client := w.dial(t)
			w.commit(t, flooding)
			if _, err := client.Settled(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.sendUnread(t, request.path, request.body)
			if request.path == pathExec {
				// Wait until the command has been started, of a client that does read.
				wait := ExecRequest{Argv: []string{"sh", "-c", "until test -e /home/began; do sleep 0.01; done"}}
				if _, err := client.Exec(context.Background(), wait, io.Discard, io.Discard); err != nil {
					t.Fatal(err)
				}
			}
			last, giveUp := context.WithCancel(context.Background())
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
		})
	}
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

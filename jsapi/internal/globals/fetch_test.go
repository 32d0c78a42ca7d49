package globals

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// settledText runs an expression that gives a promise of a text.
func settledText(t *testing.T, l *loop, expression string) string {
	t.Helper()
	value, err := l.run("fetch.js", expression)
	if err != nil {
		t.Fatal(err)
	}
	promise, ok := value.Export().(*goja.Promise)
	if !ok || promise.State() == goja.PromiseStatePending {
		t.Fatalf("%s: %v is no settled promise", expression, value)
	}
	return promise.Result().String()
}

func TestABodyAboveTheLimitIsRefusedAndItsConnectionEnded(t *testing.T) {
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	l := newLoop(t)
	l.rt.Set("server", server.URL)
	got := settledText(t, l, `fetch(server).then((r) => r.text()).catch((e) => e.name + " " + e.code + " " + e.message)`)
	if want := "TypeError ERR_BODY_TOO_LARGE text: the body has more than 67108864 bytes; read response.body in a loop instead"; got != want {
		t.Errorf("got %q", got)
	}
	<-ended
}

// TestAnUnreadBodyDoesNotHoldItsConnection drops a response without reading it.
func TestAnUnreadBodyDoesNotHoldItsConnection(t *testing.T) {
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		io.WriteString(w, "begin")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	l := newLoop(t)
	l.rt.Set("server", server.URL)
	if got := settledText(t, l, `fetch(server).then((r) => "got " + r.status)`); got != "got 200" {
		t.Fatal(got)
	}
	deadline := time.After(time.Minute)
	for {
		runtime.GC()
		select {
		case <-ended:
			return
		case <-deadline:
			t.Fatal("the connection was still open after a minute of collections")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestTheEndOfTheOwnerEndsItsFetch(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	l := newLoop(t)
	l.rt.Set("server", server.URL)
	if _, err := l.rt.RunString(`fetch(server)`); err != nil {
		t.Fatal(err)
	}
	<-started
	l.cancel()
	<-ended
}

func TestTheHostsRedirectPolicyHolds(t *testing.T) {
	l := newLoop(t)
	l.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	l.rt.Set("server", newServer(t))
	if got := settledText(t, l, `fetch(server + "/redirect").then((r) => "" + r.status)`); got != "302" {
		t.Errorf("got %s", got)
	}
}

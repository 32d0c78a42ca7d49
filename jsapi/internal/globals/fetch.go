package globals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/dop251/goja"
)

const (
	// maxBody is how many bytes text(), json() and the other whole-body readers
	// of a Response collect. Reading response.body in a loop has no limit.
	maxBody = 64 << 20
	// maxRedirects is what Fetch section 4.4 allows.
	maxRedirects = 20
	// readSize is the most that one step of a streamed body gives.
	readSize = 64 << 10
)

// lendFetch lends send(method, url, [name, value, ...], body or undefined,
// redirect) → [promise of an outcome, abort()], read(body) → promise of
// {chunk} or {error}, close(body), and percentDecode(text). An outcome is {error} or
// {status, statusText, url, redirected, headers, body}. Promises are rejected
// only by the host: what the network does is an outcome.
func (e *environment) lendFetch(natives *goja.Object) {
	e.lend(natives, "percentDecode", func(call goja.FunctionCall) goja.Value {
		return e.uint8Array(percentDecode(call.Argument(0).String()))
	})
	e.lend(natives, "send", func(call goja.FunctionCall) goja.Value {
		exchange := &exchange{
			client:   e.host.HTTPClient(),
			method:   call.Argument(0).String(),
			url:      call.Argument(1).String(),
			headers:  e.strings(call.Argument(2)),
			redirect: call.Argument(4).String(),
		}
		if body := call.Argument(3); !goja.IsUndefined(body) {
			exchange.body = bytes.Clone(e.bytesOf(body, "fetch: the body"))
			exchange.hasBody = true
		}
		stop, abort := context.WithCancel(context.Background())
		promise := e.host.Async(func(ctx context.Context) (any, error) {
			return exchange.send(ctx, stop), nil
		}, e.outcome)
		return e.rt.NewArray(promise, func(goja.FunctionCall) goja.Value {
			abort()
			return goja.Undefined()
		})
	})
	e.lend(natives, "read", func(call goja.FunctionCall) goja.Value {
		body := call.Argument(0).Export().(*responseBody)
		return e.host.Async(func(context.Context) (any, error) { return body.read(), nil }, e.chunk)
	})
	e.lend(natives, "close", func(call goja.FunctionCall) goja.Value {
		call.Argument(0).Export().(*responseBody).open.close()
		return goja.Undefined()
	})
}

func (e *environment) strings(list goja.Value) []string {
	var texts []string
	e.rt.ForOf(list, func(item goja.Value) bool {
		texts = append(texts, item.String())
		return true
	})
	return texts
}

// exchange is one request and its redirects.
type exchange struct {
	client   *http.Client
	method   string
	url      string
	headers  []string // name, value, name, value
	body     []byte
	hasBody  bool
	redirect string // "follow", "manual" or "error"
}

// outcome is what became of an exchange.
type outcome struct {
	err        error
	response   *http.Response
	redirected bool
	body       *responseBody
}

// send runs off the loop. The response's body lives until it is closed, ctx
// ends (the owner of the fetch), or stop does (its signal).
func (x *exchange) send(ctx, stop context.Context) outcome {
	ctx, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(stop, cancel)
	end := func() {
		forget()
		cancel()
	}
	request, err := x.request(ctx)
	if err != nil {
		end()
		return outcome{err: err}
	}
	client := *x.client
	redirects := 0
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		redirects++
		switch {
		case x.redirect == "manual":
			return http.ErrUseLastResponse
		case x.redirect == "error":
			return fmt.Errorf("redirected to %s, and redirect is \"error\"", next.URL.Redacted())
		case redirects > maxRedirects:
			return fmt.Errorf("stopped after %d redirects", maxRedirects)
		case x.client.CheckRedirect != nil:
			return x.client.CheckRedirect(next, via)
		}
		return nil
	}
	response, err := client.Do(request)
	if err != nil {
		end()
		return outcome{err: err}
	}
	return outcome{response: response, redirected: redirects > 0 && x.redirect == "follow", body: newResponseBody(response.Body, end)}
}

func (x *exchange) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if x.hasBody {
		body = bytes.NewReader(x.body)
	}
	request, err := http.NewRequestWithContext(ctx, x.method, x.url, body)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(x.headers); i += 2 {
		switch name, value := strings.ToLower(x.headers[i]), x.headers[i+1]; name {
		case "host":
			request.Host = value
		case "accept-encoding":
			// The transport asks for gzip itself and decodes what it asked for;
			// were the header set here, the body would stay encoded.
		default:
			request.Header.Add(name, value)
		}
	}
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "*/*")
	}
	return request, nil
}

// responseBody is a body that JavaScript reads step by step. It has no
// exported members, so that JavaScript sees none. When it is collected unread,
// the connection is closed.
type responseBody struct {
	open *openBody
}

type openBody struct {
	reader io.ReadCloser
	end    func()
}

func newResponseBody(reader io.ReadCloser, end func()) *responseBody {
	body := &responseBody{open: &openBody{reader: reader, end: end}}
	runtime.AddCleanup(body, (*openBody).close, body.open)
	return body
}

// close may be called again, and on any goroutine. Ending the context first
// frees a read that waits, which Close would wait for.
func (b *openBody) close() {
	b.end()
	b.reader.Close()
}

// step is one piece of a body: bytes, an error, or neither at the end.
type step struct {
	chunk []byte
	err   error
}

// read runs off the loop, one call at a time.
func (b *responseBody) read() step {
	buffer := make([]byte, readSize)
	n, err := b.open.reader.Read(buffer)
	if n > 0 {
		return step{chunk: buffer[:n:n]}
	}
	if err == nil {
		return step{chunk: []byte{}}
	}
	b.open.close()
	if err == io.EOF {
		return step{}
	}
	return step{err: err}
}

// outcome converts an outcome for JavaScript.
func (e *environment) outcome(result any) goja.Value {
	o := result.(outcome)
	object := e.rt.NewObject()
	if o.err != nil {
		define(object, "error", e.networkError(o.err))
		return object
	}
	var headers []any
	for _, name := range slices.Sorted(maps.Keys(o.response.Header)) {
		for _, value := range o.response.Header[name] {
			headers = append(headers, strings.ToLower(name), value)
		}
	}
	_, text, _ := strings.Cut(o.response.Status, " ")
	set := func(name string, value any) { define(object, name, e.rt.ToValue(value)) }
	set("status", o.response.StatusCode)
	set("statusText", text)
	set("url", o.response.Request.URL.String())
	set("redirected", o.redirected)
	set("headers", e.rt.NewArray(headers...))
	set("body", o.body)
	return object
}

func (e *environment) chunk(result any) goja.Value {
	s := result.(step)
	object := e.rt.NewObject()
	switch {
	case s.err != nil:
		define(object, "error", e.networkError(s.err))
	case s.chunk == nil:
		define(object, "chunk", goja.Null())
	default:
		define(object, "chunk", e.uint8Array(s.chunk))
	}
	return object
}

// networkError is the cause of a failed fetch: an Error with Node's code.
func (e *environment) networkError(err error) goja.Value {
	cause, failed := e.rt.New(e.rt.Get("Error"), e.rt.ToValue(err.Error()))
	if failed != nil {
		panic(failed)
	}
	if code := errorCode(err); code != "" {
		if failed := cause.Set("code", code); failed != nil {
			panic(failed)
		}
	}
	return cause
}

func errorCode(err error) string {
	var lookup *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &lookup):
		return "ENOTFOUND"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "ECONNREFUSED"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "ECONNRESET"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "ETIMEDOUT"
	}
	return ""
}

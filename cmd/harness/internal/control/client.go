package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// NotRunningError says that no harness answers at a socket.
type NotRunningError struct{ Socket string }

func (e *NotRunningError) Error() string { return "no harness answers at " + e.Socket }

// LostError says that the harness went away in the middle of an answer.
type LostError struct{ Err error }

func (e *LostError) Error() string {
	return fmt.Sprintf("the harness went away before it had answered: %v", e.Err)
}

// Unwrap gives the reason.
func (e *LostError) Unwrap() error { return e.Err }

// Client sends commands to a running harness. Its methods may be called from any
// goroutine. A method whose ctx ends gives its cause, and the harness ends what it
// was doing for it.
type Client struct{ client *http.Client }

// Dial connects to the harness that answers at a socket. Error: a
// [*NotRunningError] when there is none.
func Dial(ctx context.Context, socket string) (*Client, error) {
	dial := func(ctx context.Context) (conn net.Conn, err error) {
		err = shortened(socket, func(path string) (err error) {
			conn, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
			return err
		})
		return conn, err
	}
	conn, err := dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &NotRunningError{Socket: socket}
	}
	_ = conn.Close()
	return &Client{client: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}}}, nil
}

// Status returns the document of /proc/extensions.
func (c *Client) Status(ctx context.Context) (host.Status, error) {
	var status host.Status
	return status, c.document(ctx, http.MethodGet, pathStatus, nil, &status)
}

// Settled returns it once the newest commit of the branch has been loaded or
// refused. A branch without a commit is an error.
func (c *Client) Settled(ctx context.Context) (host.Status, error) {
	var status host.Status
	return status, c.document(ctx, http.MethodGet, pathStatus+"?settled", nil, &status)
}

// Tools lists the tools that can be called.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var tools []Tool
	return tools, c.document(ctx, http.MethodGet, pathTools, nil, &tools)
}

// Reload loads the tip of the branch again; see [host.Host.Reload].
func (c *Client) Reload(ctx context.Context) (host.Status, error) {
	var status host.Status
	return status, c.document(ctx, http.MethodPost, pathReload, nil, &status)
}

// Call calls a tool; see [host.Host.CallTool]. Progress is called on the goroutine
// of the caller.
func (c *Client) Call(ctx context.Context, request CallRequest, progress func(registry.Progress)) (*registry.Result, error) {
	var result *registry.Result
	err := readLines(ctx, c, pathCall, request, func(line callLine) (last bool, err error) {
		if line.Result != nil {
			result = line.Result
			return true, nil
		}
		progress(registry.Progress{Output: line.Output, Details: line.Details, Diagnostic: line.Diagnostic})
		return false, nil
	})
	return result, err
}

// Exec runs a command in the world; see [host.Host.Exec]. Its output goes to the
// writers as it comes and not into the result; an error of theirs ends the command.
// An error of starting it is a [*run.StartError].
func (c *Client) Exec(ctx context.Context, request ExecRequest, stdout, stderr io.Writer) (run.Result, error) {
	var result run.Result
	err := readLines(ctx, c, pathExec, request, func(line execLine) (last bool, err error) {
		switch {
		case line.Exit != nil:
			result = *line.Exit
			return true, nil
		case line.Error != nil && line.Error.Code != "":
			return true, &run.StartError{
				Code: line.Error.Code, Program: request.Argv[0], Dir: line.Error.Dir, Err: errors.New(line.Error.Message),
			}
		case line.Error != nil:
			return true, errors.New(line.Error.Message)
		}
		_, outErr := stdout.Write(line.Stdout)
		_, errErr := stderr.Write(line.Stderr)
		return false, errors.Join(outErr, errErr)
	})
	return result, err
}

// document sends a request, without a body when it is nil, and reads one document.
func (c *Client) document(ctx context.Context, method, path string, request, document any) error {
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			return err
		}
	}
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(document); err != nil {
		return lost(ctx, err)
	}
	return nil
}

// readLines sends a request and hands the lines of the answer to each, until that
// says that a line was the last or has an error.
func readLines[T any](ctx context.Context, c *Client, path string, request any, each func(T) (last bool, err error)) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	response, err := c.send(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	for {
		var line T
		if err := decoder.Decode(&line); err != nil {
			return lost(ctx, err)
		}
		if last, err := each(line); last || err != nil {
			return err
		}
	}
}

func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://harness"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, lost(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	var said failure
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil || said.Error == "" {
		return nil, fmt.Errorf("the harness answers %s", response.Status)
	}
	return nil, errors.New(said.Error)
}

// lost tells a client that gave up from a harness that went away.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &LostError{Err: err}
}

package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// maxRequest bounds the body of a request, in bytes.
const maxRequest = 64 << 20

// MaxInput bounds what a request carries of standard input, in bytes: as base64 it
// grows by a third, and the rest of the request has its room.
const MaxInput = maxRequest/4*3 - 1<<20

// Server answers commands for a host.
type Server struct {
	host    *host.Host
	socket  string
	server  *http.Server
	done    sync.WaitGroup
	served  error // why serving ended, once done
	status  changes
	unwatch func()

	stopping chan struct{} // closed by Shutdown
}

// Serve begins to answer commands at a socket, until Shutdown. A socket that is
// there already is replaced: the host must have its world to itself. Requests that
// are not answered when ctx ends are given up.
func Serve(ctx context.Context, h *host.Host, socket string) (*Server, error) {
	listener, err := listen(socket)
	if err != nil {
		return nil, err
	}
	s := &Server{host: h, socket: socket, stopping: make(chan struct{})}
	s.unwatch = h.Watch(s.status.signal)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathStatus, s.serveStatus)
	mux.HandleFunc("GET "+pathTools, s.serveTools)
	mux.HandleFunc("POST "+pathCall, s.serveCall)
	mux.HandleFunc("POST "+pathExec, s.serveExec)
	mux.HandleFunc("POST "+pathReload, s.serveReload)
	mux.HandleFunc("GET "+pathBackup, s.serveBackup)
	mux.HandleFunc("POST "+pathCheck, s.serveCheck)
	mux.HandleFunc("GET "+pathStats, s.serveStats)
	mux.HandleFunc("GET "+pathModels, s.serveModels)
	mux.HandleFunc("POST "+pathConversations, s.serveConversations)
	mux.HandleFunc("POST "+pathShow, s.serveShow)
	mux.HandleFunc("POST "+pathSubmit, s.serveSubmit)
	mux.HandleFunc("POST "+pathAbort, s.serveAbort)
	mux.HandleFunc("GET "+pathInspect, s.serveInspect)
	s.server = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	s.done.Go(func() { s.served = s.server.Serve(listener) })
	return s, nil
}

// Shutdown takes no more requests and waits for those under way until ctx ends,
// when they are given up. It is called once.
func (s *Server) Shutdown(ctx context.Context) error {
	close(s.stopping)
	err := os.Remove(s.socket)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if failed := s.server.Shutdown(ctx); failed != nil {
		err = errors.Join(err, s.server.Close())
	}
	s.done.Wait()
	s.unwatch()
	if !errors.Is(s.served, http.ErrServerClosed) {
		err = errors.Join(err, s.served)
	}
	return err
}

func (s *Server) serveStatus(w http.ResponseWriter, r *http.Request) {
	for r.URL.Query().Has("settled") {
		changed := s.status.next()
		settled, err := s.settled(r.Context())
		if err != nil {
			answer(w, http.StatusConflict, failure{Error: err.Error()})
			return
		}
		if settled {
			break
		}
		select {
		case <-changed:
		case <-s.stopping:
			answer(w, http.StatusServiceUnavailable, failure{Error: (&host.StoppingError{}).Error()})
			return
		case <-r.Context().Done():
			return
		}
	}
	answer(w, http.StatusOK, s.host.Status())
}

// settled reports whether the newest commit has been loaded or refused.
func (s *Server) settled(ctx context.Context) (bool, error) {
	tip, err := s.host.Tip(ctx)
	if err != nil {
		return false, fmt.Errorf("find the newest commit: %w", err)
	}
	status := s.host.Status()
	return status.Loading == nil && status.Current != nil && *status.Current == tip, nil
}

func (s *Server) serveTools(w http.ResponseWriter, _ *http.Request) {
	generation, release := s.host.Registry().Acquire("list of tools")
	defer release()
	answer(w, http.StatusOK, Tools(generation))
}

func (s *Server) serveCall(w http.ResponseWriter, r *http.Request) {
	var request CallRequest
	if !decode(w, r, &request) {
		return
	}
	lines := newLines(w, r)
	result := s.host.CallTool(lines.ctx, host.ToolCall{
		Tool: request.Tool, Arguments: request.Arguments,
		Progress: func(p registry.Progress) {
			lines.offer(callLine{Output: p.Output, Details: p.Details, Diagnostic: p.Diagnostic})
		},
	})
	lines.finish(callLine{Result: result})
}

func (s *Server) serveExec(w http.ResponseWriter, r *http.Request) {
	var request ExecRequest
	if !decode(w, r, &request) {
		return
	}
	lines := newLines(w, r)
	result, err := s.host.Exec(lines.ctx, request.Command(func(text string, stream run.Stream) {
		if stream == run.Stderr {
			lines.await(execLine{Stderr: []byte(text)}, s.stopping)
			return
		}
		lines.await(execLine{Stdout: []byte(text)}, s.stopping)
	}))
	if err != nil {
		said := &execError{Message: err.Error()}
		var failed *run.StartError
		if errors.As(err, &failed) {
			said.Message, said.Code, said.Dir = failed.Err.Error(), failed.Code, failed.Dir
		}
		lines.finish(execLine{Error: said})
		return
	}
	result.Stdout, result.Stderr = "", ""
	lines.finish(execLine{Exit: &result})
}

func (s *Server) serveReload(w http.ResponseWriter, r *http.Request) {
	if err := s.host.Reload(r.Context()); err != nil {
		answer(w, http.StatusInternalServerError, failure{Error: err.Error()})
		return
	}
	answer(w, http.StatusOK, s.host.Status())
}

// decode reads the body of a request whole, which lets the server see a client go
// away later, and answers for what is wrong with it.
func decode(w http.ResponseWriter, r *http.Request, request any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest))
	err := decoder.Decode(request)
	if err == nil && decoder.More() {
		err = errors.New("there is more than one document")
	}
	if err != nil {
		answer(w, http.StatusBadRequest, failure{Error: fmt.Sprintf("read the request: %v", err)})
		return false
	}
	return true
}

// answer writes one document. A client that cannot be written to is gone.
func answer(w http.ResponseWriter, code int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(document)
}

// changes wakes those who wait for the next change of the status.
type changes struct {
	mu   sync.Mutex
	wake chan struct{}
}

func (c *changes) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wake == nil {
		c.wake = make(chan struct{})
	}
	return c.wake
}

func (c *changes) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

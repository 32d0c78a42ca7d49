package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/host"
)

// backupTrailer is the trailer that ends a backup, a [backupResult]: when its body
// began, nobody knew how it would end.
const backupTrailer = "Backup-Result"

// backupResult says how much a backup has, or why it is none.
type backupResult struct {
	Copied storage.Copied `json:"copied"`
	Error  string         `json:"error,omitempty"`
}

// checkLine is one line of the answer to a check: what is wrong, or why it ended
// early; the last one is neither.
type checkLine struct {
	Violation *durable.Violation `json:"violation,omitempty"`
	Error     string             `json:"error,omitempty"`
}

func (s *Server) serveBackup(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Trailer", backupTrailer)
	var result backupResult
	copied, err := s.host.Database().Backup(r.Context(), w)
	if err != nil {
		result.Error = err.Error()
	}
	result.Copied = copied
	text, err := json.Marshal(result)
	if err != nil {
		panic(http.ErrAbortHandler) // numbers and a text have a JSON form
	}
	w.Header().Set(backupTrailer, string(text))
}

func (s *Server) serveCheck(w http.ResponseWriter, r *http.Request) {
	lines := newLines(w, r)
	var last checkLine
	for violation, err := range s.host.Database().Check(lines.ctx) {
		if err != nil {
			last.Error = err.Error()
			break
		}
		lines.await(checkLine{Violation: &violation}, s.stopping)
	}
	lines.finish(last)
}

func (s *Server) serveStats(w http.ResponseWriter, r *http.Request) {
	stats, err := s.host.Database().Stats(r.Context())
	if err != nil {
		answer(w, http.StatusInternalServerError, failure{Error: err.Error()})
		return
	}
	answer(w, http.StatusOK, stats)
}

// Backup writes a backup of the harness's database; see [host.Database.Backup].
func (c *Client) Backup(ctx context.Context, w io.Writer) (storage.Copied, error) {
	response, err := c.send(ctx, http.MethodGet, pathBackup, nil)
	if err != nil {
		return storage.Copied{}, err
	}
	defer response.Body.Close()
	if _, err := io.Copy(w, answered{ctx, response.Body}); err != nil {
		return storage.Copied{}, err
	}
	var result backupResult
	if err := json.Unmarshal([]byte(response.Trailer.Get(backupTrailer)), &result); err != nil {
		return storage.Copied{}, lost(ctx, io.ErrUnexpectedEOF)
	}
	if result.Error != "" {
		return result.Copied, errors.New(result.Error)
	}
	return result.Copied, nil
}

// answered reads an answer. An error says that the harness went away, which one of
// writing what was read does not.
type answered struct {
	ctx  context.Context
	from io.Reader
}

func (a answered) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = lost(a.ctx, err)
	}
	return n, err
}

// Check yields what is wrong in the harness's database; see [host.Database.Check].
func (c *Client) Check(ctx context.Context) iter.Seq2[durable.Violation, error] {
	return func(yield func(durable.Violation, error) bool) {
		err := readLines(ctx, c, pathCheck, nil, func(line checkLine) (last bool, err error) {
			switch {
			case line.Error != "":
				return true, errors.New(line.Error)
			case line.Violation != nil:
				return !yield(*line.Violation, nil), nil
			}
			return true, nil
		})
		if err != nil {
			yield(durable.Violation{}, err)
		}
	}
}

// Stats returns measures of the harness's database.
func (c *Client) Stats(ctx context.Context) (host.DatabaseStats, error) {
	var stats host.DatabaseStats
	return stats, c.document(ctx, http.MethodGet, pathStats, nil, &stats)
}

package registry

import (
	"context"
	"strings"
)

// Spill keeps all of a command's output in a file of its environment, once there is
// more of it than is shown. It belongs to one goroutine. The end of a context does not
// stop it: what a command wrote before it was ended is what explains it.
type Spill struct {
	env                Env
	maxBytes, maxLines int

	held  []byte // not yet written
	bytes int
	feeds int
	path  string
	err   error
}

// spillBytes is how much is held before it is written to the file.
const spillBytes = 256 << 10

// NewSpill returns one that makes its file when the output has more bytes or lines than
// are shown.
func NewSpill(env Env, maxBytes, maxLines int) *Spill {
	return &Spill{env: env, maxBytes: maxBytes, maxLines: maxLines}
}

// Write adds output. What goes wrong is told by End.
func (s *Spill) Write(ctx context.Context, text string) {
	if s.err != nil || text == "" {
		return
	}
	s.held = append(s.held, text...)
	if s.path == "" {
		if !s.more(text) {
			return
		}
		if s.path, s.err = s.env.TempFile(context.WithoutCancel(ctx), "output-", ".log"); s.err != nil {
			s.held = nil
			return
		}
	}
	if len(s.held) >= spillBytes {
		s.flush(ctx)
	}
}

// more counts output, and says whether there is more of it than is shown.
func (s *Spill) more(text string) bool {
	s.bytes += len(text)
	s.feeds += strings.Count(text, "\n")
	lines := s.feeds
	if !strings.HasSuffix(text, "\n") {
		lines++
	}
	return s.bytes > s.maxBytes || lines > s.maxLines
}

func (s *Spill) flush(ctx context.Context) {
	s.err = s.env.Append(context.WithoutCancel(ctx), s.path, s.held)
	s.held = s.held[:0]
}

// End writes what is held and returns the file's path, "" when the output was not more
// than is shown. An error says why the file does not have everything.
func (s *Spill) End(ctx context.Context) (path string, err error) {
	if s.path != "" && s.err == nil {
		s.flush(ctx)
	}
	return s.path, s.err
}

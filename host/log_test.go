package host

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// logged keeps what is logged, for tests to look at.
type logged struct {
	mu    sync.Mutex
	lines []string
}

var _ slog.Handler = (*logged)(nil)

// Enabled implements [slog.Handler].
func (l *logged) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (l *logged) Handle(_ context.Context, record slog.Record) error {
	line := record.Level.String() + " " + record.Message
	record.Attrs(func(attr slog.Attr) bool {
		line += " " + attr.String()
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

// WithAttrs implements [slog.Handler].
func (l *logged) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements [slog.Handler].
func (l *logged) WithGroup(string) slog.Handler { return l }

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

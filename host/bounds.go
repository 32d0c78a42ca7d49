package host

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// What an extension says has no bound, and what is kept of it has one, in bytes.
const (
	maxLogged   = 8 << 10  // a log line's message and each of its texts, and a notice
	maxProblem  = 8 << 10  // the message of a problem
	maxRecorded = 32 << 10 // why a commit was refused, in the record
	maxProblems = 200      // the problems of one commit
)

// boundedProblems shortens the messages of problems, and their list.
func boundedProblems(problems []registry.Problem) []registry.Problem {
	more := len(problems) - maxProblems
	kept := make([]registry.Problem, 0, min(len(problems), maxProblems+1))
	for i, problem := range problems {
		if i == maxProblems {
			kept = append(kept, registry.Problem{Message: fmt.Sprintf("there are %d more problems", more)})
			break
		}
		problem.Message = jsapi.Shorten(problem.Message, maxProblem)
		kept = append(kept, problem)
	}
	return kept
}

// boundedLog shortens what is logged.
type boundedLog struct{ slog.Handler }

var _ slog.Handler = boundedLog{}

// Handle implements [slog.Handler].
func (l boundedLog) Handle(ctx context.Context, record slog.Record) error {
	bounded := slog.NewRecord(record.Time, record.Level, jsapi.Shorten(record.Message, maxLogged), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		bounded.AddAttrs(boundedAttr(attr))
		return true
	})
	return l.Handler.Handle(ctx, bounded)
}

// WithAttrs implements [slog.Handler].
func (l boundedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	bounded := make([]slog.Attr, len(attrs))
	for i, attr := range attrs {
		bounded[i] = boundedAttr(attr)
	}
	return boundedLog{l.Handler.WithAttrs(bounded)}
}

// WithGroup implements [slog.Handler].
func (l boundedLog) WithGroup(name string) slog.Handler {
	return boundedLog{l.Handler.WithGroup(name)}
}

func boundedAttr(attr slog.Attr) slog.Attr {
	value := attr.Value.Resolve()
	text := ""
	switch err, isError := value.Any().(error); {
	case isError:
		text = err.Error()
	case value.Kind() == slog.KindString:
		text = value.String()
	}
	if len(text) <= maxLogged {
		return attr
	}
	return slog.String(attr.Key, jsapi.Shorten(text, maxLogged))
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// console shows log records to a person: a line each, and what has lines of its
// own (an error, what an extension printed) indented below.
type console struct {
	out    *output
	level  slog.Level
	attrs  []slog.Attr
	groups string
}

var _ slog.Handler = (*console)(nil)

// newConsole shows records of a level and above.
func newConsole(to *output, level slog.Level) *console { return &console{out: to, level: level} }

// Enabled implements [slog.Handler].
func (c *console) Enabled(_ context.Context, level slog.Level) bool { return level >= c.level }

// WithAttrs implements [slog.Handler].
func (c *console) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *c
	more.attrs = append(more.attrs[:len(more.attrs):len(more.attrs)], c.named(attrs)...)
	return &more
}

// WithGroup implements [slog.Handler].
func (c *console) WithGroup(name string) slog.Handler {
	more := *c
	more.groups += name + "."
	return &more
}

func (c *console) named(attrs []slog.Attr) []slog.Attr {
	var named []slog.Attr
	for _, attr := range attrs {
		attr.Key = c.groups + attr.Key
		named = append(named, attr)
	}
	return named
}

// Handle implements [slog.Handler].
func (c *console) Handle(_ context.Context, record slog.Record) error {
	var line bytes.Buffer
	line.WriteString(c.out.paint(dim, record.Time.Format(time.TimeOnly)))
	var attrs []slog.Attr
	record.Attrs(func(attr slog.Attr) bool {
		attrs = append(attrs, attr)
		return true
	})
	attrs = append(c.attrs[:len(c.attrs):len(c.attrs)], c.named(attrs)...)
	word := levelWord(record.Level)
	for _, attr := range attrs {
		switch {
		case attr.Key == "extension" && attr.Value.String() != "":
			line.WriteString(" " + c.out.paint(bold, visible(attr.Value.String())+":"))
		case attr.Key == "notice":
			word = "" // what an extension wants to be known need not be wrong
		}
	}
	first, below, _ := strings.Cut(visible(record.Message), "\n")
	line.WriteString(" " + c.out.paint(levelColour(record.Level), word+first))
	for _, attr := range attrs {
		below = c.attribute(&line, attr, below)
	}
	line.WriteByte('\n')
	if below != "" {
		for text := range strings.Lines(below) {
			line.WriteString("  " + strings.TrimRight(text, "\n") + "\n")
		}
	}
	_, err := c.out.Write(line.Bytes())
	return err
}

// attribute adds one to the line, or to what stands below it.
func (c *console) attribute(line *bytes.Buffer, attr slog.Attr, below string) string {
	value := attr.Value.Resolve()
	switch {
	case attr.Key == "extension" || attr.Key == "notice":
		return below
	case attr.Key == "error" || strings.Contains(value.String(), "\n"):
		return strings.TrimPrefix(below+"\n"+visible(value.String()), "\n")
	case attr.Key == "commit":
		value = slog.StringValue(short(value.String()))
	case value.Kind() == slog.KindDuration:
		value = slog.StringValue(fmt.Sprintf("%.1f ms", float64(value.Duration().Microseconds())/1000))
	}
	fmt.Fprintf(line, " %s%s", c.out.paint(dim, attr.Key+"="), visible(value.String()))
	return below
}

func levelWord(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error: "
	case level >= slog.LevelWarn:
		return "warning: "
	}
	return ""
}

func levelColour(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return red
	case level >= slog.LevelWarn:
		return yellow
	}
	return plainText
}

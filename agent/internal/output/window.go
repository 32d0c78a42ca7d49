// Package output keeps the part of a tool's output that is shown.
package output

import (
	"strings"
	"unicode/utf8"
)

// Limits bound a text. Lines end with a line feed; the last one may not.
type Limits struct {
	Bytes, Lines int
	// Tail keeps the end instead of the beginning.
	Tail bool
}

// Window keeps the beginning or the end of a text that is written piece by piece, and
// counts all of it.
type Window struct {
	limits Limits
	kept   []byte
	// total and breaks count bytes and line feeds of everything, and ended says whether
	// it ends with a line feed, or is empty.
	total, breaks int64
	ended         bool
	// partial says that kept does not begin with a line's beginning.
	partial bool
}

// NewWindow returns a window of a text of which nothing is written.
func NewWindow(limits Limits) *Window { return &Window{limits: limits, ended: true} }

// Write adds a piece.
func (w *Window) Write(text string) {
	if text == "" {
		return
	}
	w.total += int64(len(text))
	w.breaks += int64(strings.Count(text, "\n"))
	w.ended = text[len(text)-1] == '\n'
	if !w.limits.Tail {
		// One byte more than what is kept tells that there is more.
		room := max(w.limits.Bytes+1-len(w.kept), 0)
		w.kept = append(w.kept, text[:min(room, len(text))]...)
		return
	}
	w.kept = append(w.kept, text...)
	if len(w.kept) > 2*(w.limits.Bytes+1) {
		w.forget(len(w.kept) - w.limits.Bytes)
	}
}

// forget drops the first bytes of what is kept.
func (w *Window) forget(n int) {
	w.partial = w.kept[n-1] != '\n'
	w.kept = append(w.kept[:0], w.kept[n:]...)
}

// Skip counts a piece that was never delivered, because what follows it is more than
// what is kept: so many bytes and line feeds, the last byte being one or not.
func (w *Window) Skip(bytes, breaks int64, ended bool) {
	if bytes <= 0 {
		return
	}
	w.total += bytes
	w.breaks += breaks
	w.ended = ended
	if w.limits.Tail {
		w.kept, w.partial = w.kept[:0], !ended
	}
}

// count counts the lines of everything.
func (w *Window) count() int64 {
	if w.ended {
		return w.breaks
	}
	return w.breaks + 1
}

// Dropped is how much of a text is not kept.
type Dropped struct{ Bytes, Lines int64 }

// Retained returns what is kept, in whole lines, unless a single line is longer than
// what is kept, and without control characters other than tab and line feed.
func (w *Window) Retained() (string, Dropped) {
	exact, gone := w.exact()
	return sanitized(exact), gone
}

func (w *Window) exact() (string, Dropped) {
	exact := w.head()
	if w.limits.Tail {
		exact = w.end()
	}
	lines := int64(strings.Count(exact, "\n"))
	if exact != "" && exact[len(exact)-1] != '\n' {
		lines++
	}
	return exact, Dropped{w.total - int64(len(exact)), max(w.count()-lines, 0)}
}

func (w *Window) head() string {
	text := string(w.kept)
	cut := text
	if len(text) > w.limits.Bytes {
		cut = text[:w.limits.Bytes]
		if at := strings.LastIndexByte(cut, '\n'); at >= 0 {
			cut = cut[:at+1]
		} else {
			cut = text[:boundary(text, w.limits.Bytes)]
		}
	}
	if at := afterLines(cut, w.limits.Lines); at < len(cut) {
		cut = cut[:at]
	}
	return cut
}

func (w *Window) end() string {
	text := string(w.kept)
	from := max(len(text)-w.limits.Bytes, 0)
	begins := from == 0 && !w.partial || from > 0 && text[from-1] == '\n'
	if at := strings.IndexByte(text[from:], '\n') + 1; !begins && at > 0 && from+at < len(text) {
		from, begins = from+at, true
	}
	for !begins && from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	cut := text[from:]
	return cut[beforeLines(cut, w.limits.Lines):]
}

// Cut keeps the beginning or the end of a text, as a window does, and leaves the
// characters as they are.
func Cut(text string, limits Limits) (string, Dropped) {
	w := NewWindow(limits)
	w.Write(text)
	return w.exact()
}

// boundary returns the last place at or before at that is between two characters.
func boundary(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// afterLines returns where the first lines end.
func afterLines(text string, lines int) int {
	at := 0
	for range lines {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	return at
}

// beforeLines returns where the last lines begin.
func beforeLines(text string, lines int) int {
	if lines <= 0 {
		return len(text)
	}
	at := len(strings.TrimSuffix(text, "\n"))
	for range lines {
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			return 0
		}
	}
	return at + 1
}

// sanitized returns a text without control characters other than tab and line feed,
// and without what is no UTF-8.
func sanitized(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

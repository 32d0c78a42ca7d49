package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/registry"
)

// What read shows at most, in whole lines: the default limits of a tool's output.
const (
	shownBytes = 50 << 10
	shownLines = 2000
)

// scanBytes is how much of a file is read at a time.
const scanBytes = 256 << 10

// excerpt gathers lines of a file in one pass, as models see them. Lines end with a line
// feed; the last may not.
type excerpt struct {
	first int64 // the first line to show, from 1
	limit int64 // how many were asked for; 0 for all

	lines   int64           // of the whole file
	kept    strings.Builder // what is shown
	taken   int64           // lines that are shown
	full    bool            // the next line does not fit
	cut     bool            // the only line that is shown is shown in part
	partial []byte          // the beginning of the line that is being read, as far as it may be shown
	begun   bool            // there is such a line
}

// scan reads the file to its end.
func (e *excerpt) scan(ctx context.Context, file registry.File) error {
	for offset := int64(0); ; offset += scanBytes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		data, err := readRange(file, offset, scanBytes)
		if err != nil {
			return err
		}
		last := len(data) < scanBytes
		if offset == 0 {
			data = bytes.TrimPrefix(data, []byte(mark))
		}
		e.push(data)
		if last {
			break
		}
	}
	if e.begun {
		e.endLine("")
	}
	return nil
}

func (e *excerpt) push(data []byte) {
	for len(data) > 0 {
		part, rest, ends := bytes.Cut(data, []byte("\n"))
		if e.wanted() {
			room := max(shownBytes+1-len(e.partial), 0)
			e.partial = append(e.partial, part[:min(room, len(part))]...)
		}
		e.begun = true
		if !ends {
			return
		}
		e.endLine("\n")
		data = rest
	}
}

// wanted says whether the line that is being read may be shown.
func (e *excerpt) wanted() bool {
	return e.lines+1 >= e.first && !e.full && (e.limit == 0 || e.taken < e.limit) && e.taken < shownLines
}

func (e *excerpt) endLine(feed string) {
	if e.wanted() {
		e.take(feed)
	}
	e.lines++
	e.partial, e.begun = e.partial[:0], false
}

// take shows the line that was read, if it fits; of a first one that is too long its
// beginning.
func (e *excerpt) take(feed string) {
	line := decoded(e.partial)
	if feed != "" {
		line = strings.TrimSuffix(line, "\r")
	}
	room := shownBytes - e.kept.Len()
	switch {
	case len(line)+len(feed) <= room:
		line += feed
	case e.taken > 0:
		e.full = true
		return
	case len(line) > room:
		end := room
		for !utf8.RuneStart(line[end]) {
			end--
		}
		line, e.cut, e.full = line[:end], true, true
	default: // all but the line feed
		e.full = true
	}
	e.kept.WriteString(line)
	e.taken++
}

// remarks say what is not shown, and how to see it.
func (e *excerpt) remarks() []registry.Diagnostic {
	last := e.first + e.taken - 1
	switch {
	case e.lines == 0:
		return []registry.Diagnostic{{Severity: "info", Code: "empty", Message: "the file is empty"}}
	case e.cut:
		message := fmt.Sprintf("line %d of %s is too long: only its first %s bytes are shown", last, output.Grouped(e.lines), output.Grouped(e.kept.Len()))
		if last < e.lines {
			message += fmt.Sprintf("; the next line has offset %d", last+1)
		}
		return []registry.Diagnostic{{Severity: "warn", Code: "truncated", Message: message}}
	case last < e.lines && e.limit > 0 && e.taken == e.limit:
		return []registry.Diagnostic{{Severity: "info", Code: "more", Message: fmt.Sprintf(
			"lines %d to %d of %s are shown; go on with offset %d", e.first, last, output.Grouped(e.lines), last+1)}}
	case last < e.lines:
		return []registry.Diagnostic{{Severity: "warn", Code: "truncated", Message: fmt.Sprintf(
			"lines %d to %d of %s are shown, which is as much as fits; go on with offset %d", e.first, last, output.Grouped(e.lines), last+1)}}
	}
	return nil
}

// decoded is the text of bytes as the Encoding standard has it: what is no character is
// U+FFFD, one for each beginning of a character and each byte that is not even that.
func decoded(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var text strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			size = begun(data)
		}
		text.WriteRune(r)
		data = data[size:]
	}
	return text.String()
}

// begun returns how many bytes at the beginning of data, which are no character, begin
// one; at least 1.
func begun(data []byte) int {
	low, high, length := byte(0x80), byte(0xbf), 0
	switch lead := data[0]; {
	case lead >= 0xc2 && lead <= 0xdf:
		length = 2
	case lead >= 0xe0 && lead <= 0xef:
		length = 3
	case lead >= 0xf0 && lead <= 0xf4:
		length = 4
	}
	switch data[0] {
	case 0xe0:
		low = 0xa0
	case 0xed:
		high = 0x9f
	case 0xf0:
		low = 0x90
	case 0xf4:
		high = 0x8f
	}
	n := 1
	for n < length && n < len(data) && data[n] >= low && data[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}

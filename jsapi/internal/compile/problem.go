package compile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// Problem is one thing wrong with a module, at its place.
type Problem struct {
	// File is the path in the tree; the specifier, for a module that is not a file; empty when the
	// problem has no file.
	File string
	// Line and Column count from 1; both are 0 when the problem concerns the whole file. Column
	// counts UTF-16 code units, as editors and JavaScript stacks do.
	Line, Column int
	// Message says what is wrong; Hint, if not empty, what to do about it.
	Message, Hint string
	// Text is the source line, without its end.
	Text string
}

// maxShownLine bounds how much of a source line a printed problem shows, in runes.
const maxShownLine = 120

// String prints the problem as "file:line:column: message", the source line with a caret below the
// place, and the hint.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Line > 0 && strings.TrimSpace(p.Text) != "" {
		line, caret := p.excerpt()
		fmt.Fprintf(&b, "\n    %s\n    %s^", line, caret)
	}
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n  %s", p.Hint)
	}
	return b.String()
}

// excerpt cuts the source line around the column and returns it with the white space that puts a
// caret below the column. Tabs are kept in both.
func (p Problem) excerpt() (line, indent string) {
	runes := []rune(p.Text)
	at, units := 0, 1
	for at < len(runes) && units < p.Column {
		units += utf16Length(runes[at])
		at++
	}
	from, to := 0, len(runes)
	if to > maxShownLine {
		from = max(0, at-maxShownLine/2)
		to = min(len(runes), from+maxShownLine)
	}
	for from < at && (runes[from] == ' ' || runes[from] == '\t') {
		from++
	}
	pad := make([]rune, 0, at-from)
	for _, r := range runes[from:at] {
		if r != '\t' {
			r = ' '
		}
		pad = append(pad, r)
	}
	return string(runes[from:to]), string(pad)
}

// Errors reports everything found wrong in one graph. It has at least one problem; they are ordered
// by file, line and column.
type Errors struct {
	Problems []Problem
}

var _ error = (*Errors)(nil)

// maxShownProblems bounds how many problems Error prints.
const maxShownProblems = 50

// Error prints the first problems, separated by line ends, and says how many more there are.
func (e *Errors) Error() string {
	shown := e.Problems[:min(len(e.Problems), maxShownProblems)]
	lines := make([]string, len(shown), len(shown)+1)
	for i, p := range shown {
		lines[i] = p.String()
	}
	if more := len(e.Problems) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more problems", more))
	}
	return strings.Join(lines, "\n")
}

// failed makes the error of problems, sorted and each once.
func failed(problems []Problem) *Errors {
	sorted := slices.Clone(problems)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if a.Column != b.Column {
			return a.Column - b.Column
		}
		return strings.Compare(a.Message, b.Message)
	})
	return &Errors{Problems: slices.Compact(sorted)}
}

// diagnosis is a problem without its place: what a rule found, before anyone knows where the import
// stands.
type diagnosis struct {
	message, hint string
}

// messageProblem converts a message of esbuild. file is the module it is about, for messages that
// carry no location.
func messageProblem(m api.Message, file string) Problem {
	d, ours := m.Detail.(diagnosis)
	if !ours {
		d = reworded(m)
	}
	p := Problem{File: file, Message: d.message, Hint: d.hint}
	if l := m.Location; l != nil {
		p.Line = l.Line
		p.Text = l.LineText
		p.Column = utf16Column(l.LineText, l.Column)
	}
	return p
}

// utf16Column converts an offset in bytes from the start of a line to a column from 1 in UTF-16 code
// units.
func utf16Column(line string, offset int) int {
	column := 1
	for _, r := range line[:min(offset, len(line))] {
		column += utf16Length(r)
	}
	return column
}

func utf16Length(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// place finds line, column and source line of an offset in bytes.
func place(source string, offset int) (line, column int, text string) {
	start := strings.LastIndexByte(source[:offset], '\n') + 1
	end := strings.IndexByte(source[offset:], '\n')
	if end < 0 {
		end = len(source)
	} else {
		end += offset
	}
	text = strings.TrimSuffix(source[start:end], "\r")
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.Count(source[:start], "\n") + 1, utf16Column(text, offset-start), text
}

package guard

import (
	"fmt"
	"strings"
)

// maxChain bounds the tokens of one expression that can each add a level to its tree: !!!!x, a+a+a, x=>x=>x.
const maxChain = 50_000

// NestingError tells that source is nested deeper than a recursive parser may follow.
type NestingError struct {
	Line int // 1-based, where the limit was passed
	What string
	Max  int
}

func (e *NestingError) Error() string {
	return fmt.Sprintf("line %d: %s exceed the limit of %d", e.Line, e.What, e.Max)
}

// CheckSource finds out, in one pass without recursion, whether TypeScript or JavaScript source is nested too deeply for
// the parsers, which recurse and end the process when the stack is full. It belongs before every parser that reads
// source somebody else wrote. maxDepth bounds the brackets that are open at one place. The error is a *NestingError.
//
// It reads tokens roughly: where a slash could be a division or a regular expression it may take one for the other, which
// changes the count by the brackets within. Source with a syntax error is no error here.
func CheckSource(source string, maxDepth int) error {
	s := &scanner{source: source, line: 1, chains: []int{0}, maxDepth: maxDepth}
	for s.pos < len(s.source) {
		if err := s.token(); err != nil {
			return err
		}
	}
	return nil
}

// scanner reads source token by token.
type scanner struct {
	source   string
	pos      int
	line     int
	maxDepth int

	templates []int // for each template literal that is open, the depth of the brackets outside of its ${
	chains    []int // tokens of the expression at each depth of brackets
	chained   int   // their sum
	value     bool  // the token before ends a value, so that a slash divides
	block     bool  // the token before is a closing brace
	ended     bool  // the token before ends an expression, unless else follows
	newline   bool  // a line ended since the token before
}

func (s *scanner) token() error {
	switch c := s.source[s.pos]; {
	case c == '\n':
		s.line++
		s.newline = true
		s.pos++
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case c == '"' || c == '\'':
		s.quoted(c)
		return s.operand()
	case c == '`':
		s.pos++
		s.template()
		return s.operand()
	case c == '/':
		return s.slash()
	case c == '(' || c == '[' || c == '{':
		s.pos++
		return s.open()
	case c == ')' || c == ']' || c == '}':
		s.pos++
		return s.close(c)
	case c == ';' || c == ',':
		s.pos++
		s.value, s.ended = false, true
	case isWord(c):
		return s.word()
	default:
		s.pos++
		s.value = false
		return s.count()
	}
	return nil
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// word reads a name, a keyword or a number.
func (s *scanner) word() error {
	start := s.pos
	for s.pos < len(s.source) && isWord(s.source[s.pos]) {
		s.pos++
	}
	switch s.source[start:s.pos] {
	case "else":
		s.ended = false // each else if is one more level
		s.value = false
		return s.count()
	case "in", "of", "instanceof":
		s.value = false
		return s.count()
	case "return", "typeof", "case", "delete", "void", "throw", "new", "do", "await", "yield":
		s.begin()
		s.value = false
		return s.count()
	}
	return s.operand()
}

func (s *scanner) operand() error {
	s.begin()
	s.value = true
	return s.count()
}

// begin starts another statement when a name or a literal comes where no operator asked for one: after a block, or on a
// new line after a value.
func (s *scanner) begin() {
	if s.block || s.value && s.newline {
		s.endExpression()
	}
}

func (s *scanner) count() error {
	if s.ended {
		s.endExpression()
	}
	s.newline, s.block, s.ended = false, false, false
	s.chains[len(s.chains)-1]++
	if s.chained++; s.chained > maxChain {
		return &NestingError{Line: s.line, What: "the tokens of one expression", Max: maxChain}
	}
	return nil
}

func (s *scanner) endExpression() {
	last := len(s.chains) - 1
	s.chained -= s.chains[last]
	s.chains[last] = 0
}

func (s *scanner) open() error {
	if err := s.count(); err != nil { // which ends the expression before, if it has to
		return err
	}
	s.chains = append(s.chains, 0)
	s.value = false
	if len(s.chains)-1 > s.maxDepth {
		return &NestingError{Line: s.line, What: "nested brackets", Max: s.maxDepth}
	}
	return nil
}

func (s *scanner) close(c byte) error {
	s.endExpression()
	if len(s.chains) > 1 {
		s.chains = s.chains[:len(s.chains)-1]
	}
	s.newline, s.block, s.ended = false, false, false
	s.value = true
	if last := len(s.templates) - 1; c == '}' && last >= 0 && s.templates[last] == len(s.chains) {
		s.templates = s.templates[:last]
		s.template()
		return nil
	}
	if c == '}' { // most often the end of a block: what is divided there is read as a regular expression
		s.value, s.block = false, true
	}
	return nil
}

// quoted skips a string literal, which ends with its line at the latest.
func (s *scanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.source); s.pos++ {
		switch s.source[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return
		case '\n':
			return
		}
	}
}

// template skips the text of a template literal up to its end or the next ${.
func (s *scanner) template() {
	for ; s.pos < len(s.source); s.pos++ {
		switch c := s.source[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '\n':
			s.line++
		case c == '`':
			s.pos++
			return
		case c == '$' && strings.HasPrefix(s.source[s.pos:], "${"):
			s.pos++ // the bracket is the next token, which counts as one more level
			s.templates = append(s.templates, len(s.chains))
			return
		}
	}
}

// slash skips a comment or a regular expression, or counts a division.
func (s *scanner) slash() error {
	rest := s.source[s.pos:]
	switch {
	case strings.HasPrefix(rest, "//"):
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		s.pos += end
		return nil
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			s.pos = len(s.source)
			return nil
		}
		s.line += strings.Count(rest[:end+4], "\n")
		s.pos += end + 4
		return nil
	case s.value:
		s.pos++
		s.value = false
		return s.count()
	}
	s.pattern()
	return s.operand()
}

// pattern skips a regular expression literal, which ends with its line at the latest.
func (s *scanner) pattern() {
	class := false
	for s.pos++; s.pos < len(s.source); s.pos++ {
		switch c := s.source[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '\n':
			return
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '/':
			s.pos++
			return
		}
	}
}

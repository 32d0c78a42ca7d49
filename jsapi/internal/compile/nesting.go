package compile

import "strings"

// maxDepth bounds how deep code may be nested, brackets and chains of operators together. The
// parsers and compilers behind this package recurse once or a few times per level, and a goroutine
// whose stack grows past 1 GB ends the process.
const maxDepth = 4_000

// tooDeep finds the first place where code is nested deeper than maxDepth, as an offset in bytes. It
// counts tokens, because recursion follows them ("!!!!x", "a=b=c=d", "if(a)if(b)"): those since the
// last separator, in each bracket that is open, added up. It reads code roughly, as a full parser is
// what it protects; where it cannot tell a regular expression from a division it may count wrong.
func tooDeep(text string) (offset int, deep bool) {
	s := scanner{text: text, levels: make([]level, 1, 16), previous: tokenOperator}
	for s.at < len(s.text) {
		s.step()
		if s.depth > maxDepth {
			return s.start, true
		}
	}
	return 0, false
}

// level is one open bracket.
type level struct {
	tokens   int  // since the last separator
	control  bool // the parenthesis of if, for, while or with
	template bool // the ${ of a template literal
}

type token int

const (
	tokenOperator token = iota // also keywords that an expression follows
	tokenControl               // if, for, while, with
	tokenOperand
	tokenCondition // the ) of a tokenControl
	tokenBlock     // a }
)

type scanner struct {
	text      string
	at, start int
	levels    []level
	depth     int // sum of tokens over levels
	previous  token
	newline   bool // since the previous token
}

// step reads one token, comment or run of white space.
func (s *scanner) step() {
	c := s.text[s.at]
	s.start = s.at
	switch {
	case c == '\n' || c == '\r':
		s.newline = true
		s.at++
	case c == ' ' || c == '\t':
		s.at++
	case isWordByte(c):
		s.word()
	case c == '"' || c == '\'':
		s.quoted(c)
		s.add(tokenOperand)
	case c == '`':
		s.at++
		s.add(tokenOperand)
		s.template()
	case c == '/':
		s.slash()
	default:
		s.at++
		s.punctuation(c)
	}
}

func (s *scanner) add(t token) {
	s.levels[len(s.levels)-1].tokens++
	s.depth++
	s.previous, s.newline = t, false
}

// separate starts a new statement or list element.
func (s *scanner) separate() {
	top := &s.levels[len(s.levels)-1]
	s.depth -= top.tokens
	top.tokens = 0
	s.previous, s.newline = tokenOperator, false
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func (s *scanner) word() {
	for s.at < len(s.text) && isWordByte(s.text[s.at]) {
		s.at++
	}
	word := s.text[s.start:s.at]
	continues := false
	kind := tokenOperand
	switch word {
	case "else", "catch", "finally", "in", "of", "instanceof", "as", "satisfies", "extends", "implements":
		continues, kind = true, tokenOperator
	case "if", "for", "while", "with":
		kind = tokenControl
	case "return", "throw", "typeof", "void", "delete", "new", "await", "yield", "case", "do", "async", "default", "export", "keyof":
		kind = tokenOperator
	}
	ended := s.previous == tokenBlock || s.previous == tokenOperand && s.newline
	if ended && !continues {
		s.separate()
	}
	s.add(kind)
}

func (s *scanner) punctuation(c byte) {
	switch c {
	case ',', ';':
		s.separate()
	case '(', '[', '{':
		control := c == '(' && s.previous == tokenControl
		s.add(tokenOperator)
		s.levels = append(s.levels, level{control: control})
	case ')', ']', '}':
		s.closeBracket(c)
	default:
		s.add(tokenOperator)
	}
}

func (s *scanner) closeBracket(c byte) {
	if len(s.levels) == 1 {
		s.separate()
		return
	}
	closed := s.levels[len(s.levels)-1]
	s.levels = s.levels[:len(s.levels)-1]
	s.depth -= closed.tokens
	s.newline = false
	switch {
	case closed.template:
		s.previous = tokenOperand
		s.template()
	case closed.control:
		s.previous = tokenCondition
	case c == '}':
		s.previous = tokenBlock
	default:
		s.previous = tokenOperand
	}
}

// quoted skips a string, which ends at its quote or at the end of the line.
func (s *scanner) quoted(quote byte) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '\n':
			return
		case quote:
			s.at++
			return
		}
	}
	s.at = len(s.text)
}

// template skips the text of a template literal up to its end or its next substitution.
func (s *scanner) template() {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '`':
			s.at++
			return
		case '$':
			if strings.HasPrefix(s.text[s.at:], "${") {
				s.at += 2
				s.add(tokenOperator)
				s.levels = append(s.levels, level{template: true})
				return
			}
		}
	}
	s.at = len(s.text)
}

// slash reads a comment, a regular expression or a division.
func (s *scanner) slash() {
	rest := s.text[s.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			s.at += end
		} else {
			s.at = len(s.text)
		}
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			s.at = len(s.text)
			return
		}
		s.newline = s.newline || strings.Contains(rest[:end+2], "\n")
		s.at += end + 4
	default:
		if s.previous == tokenOperand || !s.regexp() {
			s.at++
			s.add(tokenOperator)
			return
		}
		s.add(tokenOperand)
	}
}

// regexp skips a regular expression. It reports false, having skipped nothing, when the line ends
// before the expression does.
func (s *scanner) regexp() bool {
	class := false
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '\n':
			return false
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				s.at = i + 1
				return true
			}
		}
	}
	return false
}

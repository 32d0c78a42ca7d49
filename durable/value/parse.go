package value

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deeply the containers of a value may nest.
const MaxDepth = 1000

// ParseError says where and why a text is not the JSON of a value.
type ParseError struct {
	Path   Path   // of the value that is wrong
	Offset int    // in bytes
	Reason string // like "a comma is missing"
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("json: at %s (byte %d): %s", e.Path, e.Offset, e.Reason)
}

// Parse reads the JSON of one value, with nothing but white space around it. The
// text may be changed afterwards.
//
// It follows JSON.parse: of members with the same key the last one gives the value
// and the first one the place; minus zero is zero in what is written again; bytes
// that are not UTF-8 become U+FFFD, as in text that JavaScript reads; half of a
// surrogate pair is kept, as String tells. It differs by the errors for containers
// that nest deeper than MaxDepth, a number too large for a float64, and an integer
// that a float64 neither holds nor is written as: 9007199254740993 is refused,
// where JavaScript would read ...992.
//
// All errors are of type *ParseError.
func Parse(text []byte) (Value, error) { return Parser{}.Parse(text) }

// Parser is Parse with a limit of its own, or for numbers that are not a float64's.
type Parser struct {
	// MaxDepth is how deeply containers may nest; 0 means the constant MaxDepth.
	MaxDepth int
	// Round reads every number as the nearest that a float64 holds and JSON writes:
	// integers as JSON.parse does, and one that is too large as the largest.
	Round bool
}

// Parse reads a value like the function Parse.
func (p Parser) Parse(text []byte) (Value, error) {
	if p.MaxDepth == 0 {
		p.MaxDepth = MaxDepth
	}
	r := reader{text: text, depth: p.MaxDepth, round: p.Round}
	v, err := r.value()
	if err == nil {
		r.space()
		if r.at < len(r.text) {
			err = r.wrong("more follows the end of the value")
		}
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// reader reads values from a text. An error finds its path on the way out.
type reader struct {
	text  []byte
	at    int
	depth int               // levels that may still be entered
	round bool              // numbers
	keys  map[string]string // those that were read, since they repeat
	// What was read of the containers that are open, from the outermost one on.
	items   []Value
	members []Member
}

func (r *reader) wrong(reason string) *ParseError {
	return &ParseError{Offset: r.at, Reason: reason}
}

func (e *ParseError) below(segment Segment) *ParseError {
	e.Path = append(Path{segment}, e.Path...)
	return e
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next skips white space and returns the byte after it, or 0 at the end.
func (r *reader) next() byte {
	r.space()
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// is skips a byte if it is the next one.
func (r *reader) is(b byte) bool {
	if r.next() != b || r.at == len(r.text) {
		return false
	}
	r.at++
	return true
}

func (r *reader) value() (Value, *ParseError) {
	switch b := r.next(); {
	case b == '"':
		text, err := r.string()
		return String(text), err
	case b == '{':
		return r.object()
	case b == '[':
		return r.array()
	case b == '-' || b >= '0' && b <= '9':
		return r.number()
	case b == 't' && r.word("true"):
		return Bool(true), nil
	case b == 'f' && r.word("false"):
		return Bool(false), nil
	case b == 'n' && r.word("null"):
		return Null{}, nil
	case r.at == len(r.text):
		return nil, r.wrong("the text ends where a value is expected")
	}
	return nil, r.wrong("this does not start a value")
}

func (r *reader) word(word string) bool {
	end := r.at + len(word)
	if end > len(r.text) || string(r.text[r.at:end]) != word {
		return false
	}
	r.at = end
	return true
}

// enter goes one level down, past the bracket.
func (r *reader) enter() *ParseError {
	if r.depth == 0 {
		return r.wrong("values nest too deeply")
	}
	r.depth--
	r.at++
	return nil
}

func (r *reader) array() (Value, *ParseError) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	first := len(r.items)
	for !r.is(']') {
		n := len(r.items) - first
		if n > 0 && !r.is(',') {
			return nil, r.wrong("a comma or ] is missing").below(Index(n))
		}
		item, err := r.value()
		if err != nil {
			return nil, err.below(Index(n))
		}
		r.items = append(r.items, item)
	}
	r.depth++
	items := append(make(Array, 0, len(r.items)-first), r.items[first:]...)
	r.items = r.items[:first]
	return items, nil
}

func (r *reader) object() (Value, *ParseError) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	first := len(r.members)
	var index map[string]int
	for !r.is('}') {
		if len(r.members) > first && !r.is(',') {
			return nil, r.wrong("a comma or } is missing")
		}
		key, item, err := r.member()
		if err != nil {
			return nil, err
		}
		members := r.members[first:]
		if index == nil && len(members) > scanned {
			index = places(members)
		}
		if i := find(members, index, key); i >= 0 {
			members[i].Value = item
			continue
		}
		if index != nil {
			index[key] = len(members)
		}
		r.members = append(r.members, Member{Key: key, Value: item})
	}
	r.depth++
	made := &Object{members: append(make([]Member, 0, len(r.members)-first), r.members[first:]...)}
	if index != nil {
		made.index.Store(&index)
	}
	r.members = r.members[:first]
	return made, nil
}

func (r *reader) member() (string, Value, *ParseError) {
	if r.next() != '"' {
		return "", nil, r.wrong("a key in quotation marks is missing")
	}
	key, err := r.key()
	if err != nil {
		return "", nil, err
	}
	if !r.is(':') {
		return "", nil, r.wrong("a colon is missing").below(Key(key))
	}
	item, err := r.value()
	if err != nil {
		return "", nil, err.below(Key(key))
	}
	return key, item, nil
}

// shared is up to how long keys are kept once for a whole text.
const shared = 32

// key reads a key. Those that repeat share their bytes.
func (r *reader) key() (string, *ParseError) {
	end := r.plain(r.at + 1)
	if end >= len(r.text) || r.text[end] != '"' || end-r.at > shared {
		return r.string()
	}
	text := r.text[r.at+1 : end]
	r.at = end + 1
	if key, ok := r.keys[string(text)]; ok {
		return key, nil
	}
	if r.keys == nil {
		r.keys = map[string]string{}
	}
	key := string(text)
	r.keys[key] = key
	return key, nil
}

// plain returns the end of the ASCII characters from a place on that stand for
// themselves in a string.
func (r *reader) plain(i int) int {
	for i < len(r.text) {
		if b := r.text[i]; b < ' ' || b == '"' || b == '\\' || b >= utf8.RuneSelf {
			break
		}
		i++
	}
	return i
}

func (r *reader) string() (string, *ParseError) {
	start := r.at + 1
	end := r.plain(start)
	if end < len(r.text) && r.text[end] == '"' {
		r.at = end + 1
		return string(r.text[start:end]), nil
	}
	var text []byte
	for {
		text = append(text, r.text[start:end]...)
		r.at = end
		if r.at == len(r.text) {
			return "", r.wrong("the text ends inside of a string")
		}
		switch b := r.text[r.at]; {
		case b == '"':
			r.at++
			return string(text), nil
		case b == '\\':
			var err *ParseError
			if text, err = r.escape(text); err != nil {
				return "", err
			}
		case b < ' ':
			return "", r.wrong("a control character in a string must be escaped")
		default:
			if c, size := utf8.DecodeRune(r.text[r.at:]); c != utf8.RuneError || size > 1 {
				text = append(text, r.text[r.at:r.at+size]...)
				r.at += size
			} else {
				text = append(text, "\ufffd"...)
				r.at += brokenPrefix(r.text[r.at:])
			}
		}
		start, end = r.at, r.plain(r.at)
	}
}

// escape appends what the escape at the current place means.
func (r *reader) escape(text []byte) ([]byte, *ParseError) {
	if r.at+1 == len(r.text) {
		return nil, r.wrong("the text ends inside of a string")
	}
	meaning := byte(0)
	switch b := r.text[r.at+1]; b {
	case '"', '\\', '/':
		meaning = b
	case 'b':
		meaning = '\b'
	case 'f':
		meaning = '\f'
	case 'n':
		meaning = '\n'
	case 'r':
		meaning = '\r'
	case 't':
		meaning = '\t'
	case 'u':
		unit, ok := r.unit(r.at)
		if !ok {
			return nil, r.wrong(`\u needs four hexadecimal digits`)
		}
		r.at += 6
		if !isHigh(unit) && !isLow(unit) {
			return utf8.AppendRune(text, unit), nil
		}
		if low, ok := r.unit(r.at); ok && isHigh(unit) && isLow(low) {
			r.at += 6
			return utf8.AppendRune(text, pair(unit, low)), nil
		}
		return appendHalf(text, unit), nil
	default:
		return nil, r.wrong("this escape does not exist in JSON")
	}
	r.at += 2
	return append(text, meaning), nil
}

// unit reads an escape like \u20ac.
func (r *reader) unit(at int) (rune, bool) {
	if at+6 > len(r.text) || r.text[at] != '\\' || r.text[at+1] != 'u' {
		return 0, false
	}
	unit := rune(0)
	for _, b := range r.text[at+2 : at+6] {
		digit := b - '0'
		if letter := b | 0x20; letter >= 'a' && letter <= 'f' {
			digit = letter - 'a' + 10
		} else if b < '0' || b > '9' {
			return 0, false
		}
		unit = unit<<4 | rune(digit)
	}
	return unit, true
}

func (r *reader) number() (Value, *ParseError) {
	start := r.at
	if r.text[r.at] == '-' {
		r.at++
	}
	whole := r.digits()
	if whole == 0 {
		return nil, r.wrong("a digit is missing")
	}
	if whole > 1 && r.text[r.at-whole] == '0' {
		r.at = start
		return nil, r.wrong("a number may not start with 0")
	}
	integer := true
	if r.at < len(r.text) && r.text[r.at] == '.' {
		r.at++
		integer = false
		if r.digits() == 0 {
			return nil, r.wrong("a digit is missing")
		}
	}
	if r.at < len(r.text) && r.text[r.at]|0x20 == 'e' {
		r.at++
		integer = false
		if r.at < len(r.text) && (r.text[r.at] == '+' || r.text[r.at] == '-') {
			r.at++
		}
		if r.digits() == 0 {
			return nil, r.wrong("a digit is missing")
		}
	}
	if integer && whole <= exact {
		n, _ := strconv.ParseInt(string(r.text[start:r.at]), 10, 64) // cannot fail
		return Number(n), nil
	}
	n, reason := number(string(r.text[start:r.at]), integer, r.round)
	if reason != "" {
		r.at = start
		return nil, r.wrong(reason)
	}
	return n, nil
}

// digits skips digits and returns how many there were.
func (r *reader) digits() int {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at - start
}

// exact is up to how many digits a float64 holds every integer.
const exact = 15

// number converts a literal, and rounds what is not a float64's when it may.
func number(literal string, integer, round bool) (Number, string) {
	f, err := strconv.ParseFloat(literal, 64)
	switch {
	case math.IsInf(f, 0) && round:
		return Number(math.Copysign(math.MaxFloat64, f)), ""
	case err != nil || math.IsInf(f, 0):
		return 0, "the number is too large for a float64"
	case round || !integer:
		return Number(f), ""
	case strconv.FormatFloat(f, 'f', 0, 64) != literal && string(appendNumber(nil, f)) != literal:
		return 0, "a float64 cannot hold the integer " + literal
	}
	return Number(f), ""
}

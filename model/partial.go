package model

import (
	"encoding/json"
	"regexp"
	"strings"
)

// PartialArguments reads what there is of arguments that are still coming in, and
// returns a JSON object without white space. It never fails:
//
//   - a string that has not ended is shown as far as it goes, without an escape that
//     is not complete, and an object or array with what it has so far;
//   - a member is left out until its value begins;
//   - the beginning of true, false or null is taken for the whole, and of a number
//     what is a number;
//   - where the text is wrong it is read as well as can be: unknown words and values
//     where none can stand are left out, commas and colons may be missing, strings
//     are mended as [ParseArguments] does it, and what follows the object is ignored.
//
// The time it takes is linear in the length of the text.
func PartialArguments(text string) json.RawMessage {
	c := completer{text: validText(text)}
	c.read()
	if len(c.out) == 0 || c.out[0] != '{' {
		return json.RawMessage("{}")
	}
	return c.out
}

// completer writes the JSON that a text is the beginning of.
type completer struct {
	text  string
	at    int
	out   []byte
	stack []container
	done  bool // the outermost value has ended
}

// container is an object or an array that is open.
type container struct {
	object  bool
	dropped bool // it stands where no value can, and is not written
	phase   phase
	key     []byte // of the member whose value comes next, as it is written
	count   int
}

// phase is what comes next in an object.
type phase int

const (
	wantKey phase = iota
	wantColon
	wantValue
	wantComma
)

func (c *completer) read() {
	for c.at < len(c.text) && !c.done {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		case '"':
			c.readString()
		case '{', '[':
			c.at++
			c.openContainer(b == '{')
		case '}', ']':
			c.at++
			c.closeContainer()
		case ':':
			c.at++
			if top := c.top(); top != nil && top.object && top.phase == wantColon {
				top.phase = wantValue
			}
		case ',':
			c.at++
			if top := c.top(); top != nil && top.object {
				top.phase, top.key = wantKey, nil
			}
		default:
			c.readScalar()
		}
	}
	for len(c.stack) > 0 {
		c.closeContainer()
	}
}

func (c *completer) top() *container {
	if len(c.stack) == 0 {
		return nil
	}
	return &c.stack[len(c.stack)-1]
}

// place writes what comes before a value, and says whether a value can stand here.
func (c *completer) place() bool {
	top := c.top()
	switch {
	case top == nil:
		return len(c.out) == 0
	case top.dropped || top.object && (top.key == nil || top.phase == wantKey || top.phase == wantComma):
		return false
	}
	if top.count++; top.count > 1 {
		c.out = append(c.out, ',')
	}
	if top.object {
		c.out = append(append(c.out, top.key...), ':')
	}
	return true
}

// valueEnded notes that a value in the innermost container, or the outermost one, has
// ended.
func (c *completer) valueEnded() {
	if top := c.top(); top != nil {
		top.phase, top.key = wantComma, nil
		return
	}
	c.done = len(c.out) > 0
}

func (c *completer) openContainer(object bool) {
	opened := container{object: object}
	if len(c.stack) >= MaxArgumentsDepth || !c.place() {
		opened.dropped = true
	} else {
		c.out = append(c.out, bracket(object, '{', '['))
	}
	c.stack = append(c.stack, opened)
}

func (c *completer) closeContainer() {
	top := c.top()
	if top == nil {
		return
	}
	closed := *top
	c.stack = c.stack[:len(c.stack)-1]
	if !closed.dropped {
		c.out = append(c.out, bracket(closed.object, '}', ']'))
	}
	c.valueEnded()
}

func bracket(object bool, curly, square byte) byte {
	if object {
		return curly
	}
	return square
}

// readString reads a key or a value.
func (c *completer) readString() {
	top := c.top()
	if top != nil && top.object && (top.phase == wantKey || top.phase == wantComma) {
		key, complete := c.scanString(nil)
		if complete {
			top.key, top.phase = key, wantColon
		}
		return
	}
	if c.place() {
		c.out, _ = c.scanString(c.out)
	} else {
		c.scanString(nil)
	}
	c.valueEnded()
}

// scanString appends the string that begins here, mended and with its end, and says
// whether the text has the end.
func (c *completer) scanString(to []byte) (appended []byte, complete bool) {
	to = append(to, '"')
	for c.at++; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			return append(to, '"'), true
		case b < ' ':
			to = append(to, escaped(b)...)
		case b != '\\':
			to = append(to, b)
		default:
			escape := c.text[c.at:]
			n := escapeLength(escape)
			if n == 0 && breaksOff(escape) || n == 6 && len(escape) < 12 && highSurrogate(escape) && breaksOff(escape[6:]) {
				c.at = len(c.text)
				return append(to, '"'), false
			}
			if n == 0 {
				to = append(to, '\\', '\\')
				continue
			}
			to = append(to, escape[:n]...)
			c.at += n - 1
		}
	}
	return append(to, '"'), false
}

// breaksOff says whether the text could become an escape when there is more of it.
func breaksOff(text string) bool {
	switch {
	case text == "" || text == `\`:
		return true
	case len(text) >= 6 || text[0] != '\\' || text[1] != 'u':
		return false
	}
	return hexadecimal(text[2:])
}

// highSurrogate says whether an escape is the first half of a pair.
func highSurrogate(escape string) bool {
	return escape[2]|0x20 == 'd' && strings.IndexByte("89abAB", escape[3]) >= 0
}

// readScalar reads a number or a word.
func (c *completer) readScalar() {
	end := strings.IndexAny(c.text[c.at:], " \t\n\r,:{}[]\"")
	token := c.text[c.at:]
	if end >= 0 {
		token = token[:end]
	}
	c.at += len(token)
	value := scalar(token, end < 0)
	if value != "" && c.place() {
		c.out = append(c.out, value...)
	}
	c.valueEnded()
}

var number = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$`)

// exponent is one without digits, at the end of what there is of a number.
var exponent = regexp.MustCompile(`[eE][+-]?$`)

// scalar returns the value that a token is, or that it begins when more may come, or
// nothing.
func scalar(token string, mayGoOn bool) string {
	for _, word := range []string{"true", "false", "null"} {
		if token == word || mayGoOn && strings.HasPrefix(word, token) {
			return word
		}
	}
	if mayGoOn {
		token = exponent.ReplaceAllString(token, "")
	}
	if number.MatchString(token) && ranged(token) {
		return token
	}
	return ""
}

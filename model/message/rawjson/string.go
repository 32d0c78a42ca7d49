package rawjson

import (
	"unicode/utf8"
)

// AppendString appends a string with nothing escaped that need not be, as
// JSON.stringify has it (ECMA-262, section 25.5.2.3). What is not UTF-8 becomes
// U+FFFD.
func AppendString(to []byte, text string) []byte {
	begin := len(to)
	to = append(append(to, '"'), text...)
	if as := to[begin+1:]; plain(as) < len(as) || !utf8.Valid(as) {
		return appendEscaped(to[:begin], text)
	}
	return append(to, '"')
}

func appendEscaped(to []byte, text string) []byte {
	to = append(to, '"')
	plain := 0 // text from here has to be appended
	for at := 0; at < len(text); {
		c := text[at]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			at++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[at:])
			if r == utf8.RuneError && size == 1 {
				to = append(append(to, text[plain:at]...), "\ufffd"...)
				plain = at + 1
			}
			at += size
			continue
		}
		to = AppendEscape(append(to, text[plain:at]...), c)
		at++
		plain = at
	}
	return append(append(to, text[plain:]...), '"')
}

// AppendEscape appends the escape of a quote, a backslash or a control character.
func AppendEscape(to []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(to, '\\', c)
	case '\b':
		return append(to, '\\', 'b')
	case '\f':
		return append(to, '\\', 'f')
	case '\n':
		return append(to, '\\', 'n')
	case '\r':
		return append(to, '\\', 'r')
	case '\t':
		return append(to, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

package globals

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/nlnwa/whatwg-url/url"
)

// urlRecord is the parsed URL behind a URL object. It has no exported members,
// so that JavaScript sees none.
type urlRecord struct {
	url *url.Url
}

// lendURL lends parse(input, base or undefined) → record or undefined,
// get(record, part), set(record, part, text), and the form codec of the URL
// Standard section 5: decode(text) → [name, value, ...] and encode of the same.
func (e *environment) lendURL(natives *goja.Object) {
	parser := url.NewParser()
	e.lend(natives, "parse", func(call goja.FunctionCall) goja.Value {
		parsed, err := parseURL(parser, call.Argument(0), call.Argument(1))
		if err != nil {
			return goja.Undefined()
		}
		return e.rt.ToValue(&urlRecord{parsed})
	})
	e.lend(natives, "get", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(urlPart(call.Argument(0).Export().(*urlRecord).url, call.Argument(1).String()))
	})
	e.lend(natives, "set", func(call goja.FunctionCall) goja.Value {
		record := call.Argument(0).Export().(*urlRecord)
		return e.rt.ToValue(record.set(parser, call.Argument(1).String(), call.Argument(2).String()))
	})
	e.lend(natives, "decode", func(call goja.FunctionCall) goja.Value {
		var list []any
		for pair := range strings.SplitSeq(call.Argument(0).String(), "&") {
			if pair == "" {
				continue
			}
			name, value, _ := strings.Cut(pair, "=")
			list = append(list, decodeForm(name), decodeForm(value))
		}
		return e.rt.NewArray(list...)
	})
	e.lend(natives, "encode", func(call goja.FunctionCall) goja.Value {
		var text strings.Builder
		for i, argument := range call.Arguments {
			switch {
			case i == 0:
			case i%2 == 0:
				text.WriteByte('&')
			default:
				text.WriteByte('=')
			}
			encodeForm(&text, argument.String())
		}
		return e.rt.ToValue(text.String())
	})
}

func parseURL(parser url.Parser, input, base goja.Value) (*url.Url, error) {
	if goja.IsUndefined(base) {
		return parser.Parse(input.String())
	}
	return parser.ParseRef(base.String(), input.String())
}

func urlPart(u *url.Url, part string) string {
	switch part {
	case "href":
		return u.Href(false)
	case "protocol":
		return u.Protocol()
	case "username":
		return u.Username()
	case "password":
		return u.Password()
	case "host":
		return u.Host()
	case "hostname":
		return u.Hostname()
	case "port":
		return u.Port()
	case "pathname":
		return u.Pathname()
	case "search":
		return u.Search()
	case "hash":
		return u.Hash()
	}
	return origin(u)
}

// origin serialises a URL's origin (URL Standard section 4.7): a tuple for the
// special schemes other than file, the origin of the path for blob, else null.
func origin(u *url.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		inner, err := url.Parse(u.Pathname())
		if err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return origin(inner)
		}
	}
	return "null"
}

// set changes one part and reports whether the text was acceptable; a part
// that the standard ignores counts as acceptable.
func (r *urlRecord) set(parser url.Parser, part, text string) bool {
	switch part {
	case "href":
		parsed, err := parser.Parse(text)
		if err != nil {
			return false
		}
		r.url = parsed
	case "protocol":
		r.url.SetProtocol(text)
	case "username":
		r.url.SetUsername(text)
	case "password":
		r.url.SetPassword(text)
	case "host":
		r.url.SetHost(text)
	case "hostname":
		r.url.SetHostname(text)
	case "port":
		r.url.SetPort(text)
	case "pathname":
		r.url.SetPathname(text)
	case "search":
		r.url.SetSearch(text)
	case "hash":
		r.url.SetHash(text)
	}
	return true
}

// decodeForm undoes the form encoding; bytes that are not UTF-8 become U+FFFD.
func decodeForm(text string) string {
	if !strings.ContainsAny(text, "%+") {
		return text
	}
	return decodeUTF8(percentDecode(strings.ReplaceAll(text, "+", " ")))
}

// percentDecode undoes percent-encoding (URL Standard section 1.3); a % that
// begins no escape stands for itself.
func percentDecode(text string) []byte {
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			decoded = append(decoded, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		} else {
			decoded = append(decoded, text[i])
		}
	}
	return decoded
}

func encodeForm(text *strings.Builder, raw string) {
	const digits = "0123456789ABCDEF"
	for _, b := range []byte(raw) {
		switch {
		case b == ' ':
			text.WriteByte('+')
		case b >= '0' && b <= '9', b >= 'A' && b <= 'Z', b >= 'a' && b <= 'z', b == '*', b == '-', b == '.', b == '_':
			text.WriteByte(b)
		default:
			text.WriteByte('%')
			text.WriteByte(digits[b>>4])
			text.WriteByte(digits[b&15])
		}
	}
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func unhex(b byte) byte {
	switch {
	case b <= '9':
		return b - '0'
	case b >= 'a':
		return b - 'a' + 10
	default:
		return b - 'A' + 10
	}
}

package jsapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"
)

// MarshalData writes data as JSON, the way JSON.stringify would: members that
// are undefined or functions are left out, NaN is null, a Date is its ISO form
// (ECMA-262, sections 25.5.2 and 21.4.1.32). A cycle and a bigint are errors.
func MarshalData(data any) ([]byte, error) {
	var out bytes.Buffer
	if err := marshal(&out, data, 0); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Plain makes ordinary Go values of data: map[string]any, []any, string, bool,
// float64, []byte, time.Time, *big.Int and nil, which also stands for undefined
// and for an invalid date. Functions, streams and signals
// stay what they are. Key order is lost. A cycle is an error.
func Plain(data any) (any, error) { return plain(data, 0) }

var errNested = errors.New("the data contains itself, or is nested too deeply")

func marshal(out *bytes.Buffer, data any, depth int) error {
	if depth > maxDataDepth {
		return errNested
	}
	switch data := data.(type) {
	case *Object:
		return marshalObject(out, data, depth)
	case *Array:
		out.WriteByte('[')
		for i, item := range data.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			if omitted(item) {
				item = nil
			}
			if err := marshal(out, item, depth+1); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case float64:
		if math.IsNaN(data) || math.IsInf(data, 0) {
			out.WriteString("null")
			return nil
		}
		if data == 0 {
			out.WriteByte('0') // negative zero too
			return nil
		}
	case Date:
		if math.IsNaN(float64(data)) {
			out.WriteString("null")
			return nil
		}
		marshalString(out, data.text())
		return nil
	case string:
		marshalString(out, data)
		return nil
	case *Map, *Set, *Error, *Bytes, Undefined, *Function, *Signal, *Stream, *CallContext, *Reference:
		out.WriteString("{}")
		return nil
	case *big.Int:
		return fmt.Errorf("a bigint has no JSON form")
	}
	text, err := json.Marshal(data)
	out.Write(text)
	return err
}

func omitted(data any) bool {
	switch data.(type) {
	case Undefined, *Function:
		return true
	}
	return false
}

func marshalObject(out *bytes.Buffer, object *Object, depth int) error {
	out.WriteByte('{')
	written := 0
	for _, key := range object.keys {
		value := object.values[key]
		if omitted(value) {
			continue
		}
		if written > 0 {
			out.WriteByte(',')
		}
		written++
		marshalString(out, key)
		out.WriteByte(':')
		if err := marshal(out, value, depth+1); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// marshalString writes a string as JSON.stringify does, which leaves alone what
// encoding/json escapes for the sake of HTML.
func marshalString(out *bytes.Buffer, text string) {
	out.WriteByte('"')
	for _, r := range text {
		switch r {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case '\b':
			out.WriteString(`\b`)
		case '\f':
			out.WriteString(`\f`)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		default:
			if r < ' ' {
				fmt.Fprintf(out, `\u%04x`, r)
				continue
			}
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}

// text is the date as Date.prototype.toISOString shows it.
func (d Date) text() string {
	at := d.Time()
	if year := at.Year(); year < 0 || year > 9999 {
		return fmt.Sprintf("%+07d", year) + at.Format("-01-02T15:04:05.000Z")
	}
	return at.Format("2006-01-02T15:04:05.000Z")
}

// Time returns the date as a time in UTC. It must not be called on an invalid
// date.
func (d Date) Time() time.Time { return time.UnixMilli(int64(d)).UTC() }

func plain(data any, depth int) (any, error) {
	if depth > maxDataDepth {
		return nil, errNested
	}
	switch data := data.(type) {
	case Undefined:
		return nil, nil
	case *Object:
		members := make(map[string]any, len(data.keys))
		for _, key := range data.keys {
			value, err := plain(data.values[key], depth+1)
			if err != nil {
				return nil, err
			}
			members[key] = value
		}
		return members, nil
	case *Array:
		return plainList(data.Items, depth)
	case *Set:
		return plainList(data.Items, depth)
	case *Map:
		return plainPairs(data, depth)
	case *Bytes:
		return data.Data, nil
	case Date:
		if math.IsNaN(float64(data)) {
			return nil, nil
		}
		return data.Time(), nil
	}
	return data, nil
}

func plainList(items []any, depth int) (any, error) {
	list := make([]any, len(items))
	for i, item := range items {
		value, err := plain(item, depth+1)
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return list, nil
}

func plainPairs(data *Map, depth int) (any, error) {
	pairs := make([]any, len(data.Entries))
	for i, entry := range data.Entries {
		pair, err := plainList(entry[:], depth)
		if err != nil {
			return nil, err
		}
		pairs[i] = pair
	}
	return pairs, nil
}

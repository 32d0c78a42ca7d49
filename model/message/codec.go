package message

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

var (
	errMissing  = errors.New("missing")
	errRepeated = errors.New("the name is taken, by a field or another member")
)

// stringCodec is text.
type stringCodec string

func (c *stringCodec) empty() bool { return *c == "" }

func (c *stringCodec) read(value []byte) error {
	text, err := readString(value)
	if err != nil {
		return err
	}
	*c = stringCodec(text)
	return nil
}

func (c *stringCodec) write(to []byte) ([]byte, error) {
	return rawjson.AppendString(to, string(*c)), nil
}

// flagCodec is a boolean.
type flagCodec bool

func (c *flagCodec) empty() bool { return !bool(*c) }

func (c *flagCodec) read(value []byte) error {
	if value[0] != 't' && value[0] != 'f' {
		return mismatch("a boolean", value)
	}
	*c = value[0] == 't'
	return nil
}

func (c *flagCodec) write(to []byte) ([]byte, error) { return strconv.AppendBool(to, bool(*c)), nil }

// numberCodec is a number, as JavaScript prints it (ECMA-262, section 6.1.6.1.20).
type numberCodec float64

func (c *numberCodec) read(value []byte) error {
	if kindOf(value) != "a number" {
		return mismatch("a number", value)
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return fmt.Errorf("%.40s is beyond the range of numbers", value)
	}
	*c = numberCodec(number)
	return nil
}

func (c *numberCodec) write(to []byte) ([]byte, error) {
	number := float64(*c)
	size := math.Abs(number)
	switch {
	case math.IsNaN(number) || math.IsInf(number, 0):
		return to, fmt.Errorf("JSON has no number %v", number)
	case number == 0:
		return append(to, '0'), nil
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(to, number, 'f', -1, 64), nil
	}
	to = strconv.AppendFloat(to, number, 'e', -1, 64)
	if n := len(to); to[n-4] == 'e' && to[n-2] == '0' { // e-07 is e-7 in JavaScript
		to = append(to[:n-2], to[n-1])
	}
	return to, nil
}

// wholeCodec is a number without a fraction that JavaScript can hold.
type wholeCodec int64

// mostWhole is the largest number up to which JavaScript has every whole one.
const mostWhole = 1<<53 - 1

func (c *wholeCodec) read(value []byte) error {
	var number numberCodec
	if err := number.read(value); err != nil {
		return err
	}
	if math.Abs(float64(number)) > mostWhole || number != numberCodec(math.Trunc(float64(number))) {
		return fmt.Errorf("want a whole number of at most 2^53-1, have %.40s", value)
	}
	*c = wholeCodec(number)
	return nil
}

func (c *wholeCodec) write(to []byte) ([]byte, error) {
	if *c > mostWhole || *c < -mostWhole {
		return to, fmt.Errorf("want a whole number of at most 2^53-1, have %d", *c)
	}
	return strconv.AppendInt(to, int64(*c), 10), nil
}

// pointerCodec is a value that may be unknown.
type pointerCodec[T any] struct {
	at    **T
	value func(*T) codec
}

// pointer makes the codec of an optional value from that of a value.
func pointer[T any](at **T, value func(*T) codec) optionalCodec { return pointerCodec[T]{at, value} }

func (c pointerCodec[T]) empty() bool { return *c.at == nil }

func (c pointerCodec[T]) read(value []byte) error {
	*c.at = new(T)
	return c.value(*c.at).read(value)
}

func (c pointerCodec[T]) write(to []byte) ([]byte, error) { return c.value(*c.at).write(to) }

func number(at *float64) codec      { return (*numberCodec)(at) }
func whole(at *int64) codec         { return (*wholeCodec)(at) }
func flag(at *bool) optionalCodec   { return (*flagCodec)(at) }
func text(at *string) optionalCodec { return (*stringCodec)(at) }
func usage(at *Usage) codec         { return objectCodec{at} }

// rawCodec is JSON that is kept as it is.
type rawCodec struct {
	at   *[]byte
	kind string // as kindOf has it; empty: any
}

func (c rawCodec) empty() bool { return len(*c.at) == 0 }

func (c rawCodec) read(value []byte) error {
	if c.kind != "" && kindOf(value) != c.kind {
		return mismatch(c.kind, value)
	}
	*c.at = slices.Clone(value)
	return nil
}

func (c rawCodec) write(to []byte) ([]byte, error) {
	if c.empty() {
		return append(to, "{}"...), nil
	}
	start := len(to)
	to, err := writeRaw(to, *c.at)
	if err == nil && c.kind != "" && kindOf(to[start:]) != c.kind {
		err = mismatch(c.kind, to[start:])
	}
	return to, err
}

// stopReasonCodec is one of the reasons.
type stopReasonCodec StopReason

func (c *stopReasonCodec) check() error {
	switch StopReason(*c) {
	case StopReasonPending, StopReasonStop, StopReasonLength, StopReasonToolUse,
		StopReasonError, StopReasonAborted, StopReasonDeferred:
		return nil
	}
	return fmt.Errorf("unknown stop reason %.40q", string(*c))
}

func (c *stopReasonCodec) read(value []byte) error {
	if err := (*stringCodec)(c).read(value); err != nil {
		return err
	}
	return c.check()
}

func (c *stopReasonCodec) write(to []byte) ([]byte, error) {
	return rawjson.AppendString(to, string(*c)), c.check()
}

package delta

import (
	"strconv"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// AppendJSON appends the batch as a JSON list of tuples.
func (ops Ops) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i, op := range ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOp(dst, op)
	}
	return append(dst, ']')
}

// MarshalJSON writes the batch like AppendJSON.
func (ops Ops) MarshalJSON() ([]byte, error) { return ops.AppendJSON(nil), nil }

// UnmarshalJSON reads a batch like Parse, with its errors.
func (ops *Ops) UnmarshalJSON(text []byte) error {
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	*ops = parsed
	return nil
}

func appendOp(dst []byte, op Op) []byte {
	dst = append(dst, '[', '"')
	dst = append(dst, op.verb()...)
	dst = append(dst, '"')
	if _, whole := op.(Replace); !whole {
		dst = append(dst, ',')
		dst = value.Append(dst, op.where().Value())
	}
	switch op := op.(type) {
	case Replace:
		dst = value.Append(append(dst, ','), op.Value)
	case Set:
		dst = value.Append(append(dst, ','), op.Value)
	case Append:
		dst = value.Append(append(dst, ','), op.Text)
	case Trim:
		dst = strconv.AppendInt(append(dst, ','), int64(op.Units), 10)
	case Splice:
		dst = strconv.AppendInt(append(dst, ','), int64(op.Index), 10)
		dst = strconv.AppendInt(append(dst, ','), int64(op.Remove), 10)
		dst = value.Append(append(dst, ','), op.Items)
	case Permute:
		separator := byte('[')
		dst = append(dst, ',')
		for _, from := range op.Order {
			dst = strconv.AppendInt(append(dst, separator), int64(from), 10)
			separator = ','
		}
		if len(op.Order) == 0 {
			dst = append(dst, '[')
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

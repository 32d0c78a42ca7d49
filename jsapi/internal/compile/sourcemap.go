package compile

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// sourceMap makes the source map of a wrapped module from the one esbuild wrote for its code. The
// code starts one line later, the source is called by name, and columns count from 1 on both sides,
// which is how goja counts when it looks up a position and what a stack should show.
// (Source Map specification, ECMA-426, "Mappings structure".)
func sourceMap(written []byte, name string) ([]byte, error) {
	var m struct {
		Version  int             `json:"version"`
		Sources  []string        `json:"sources"`
		Names    json.RawMessage `json:"names"`
		Mappings string          `json:"mappings"`
	}
	if err := json.Unmarshal(written, &m); err != nil {
		return nil, fmt.Errorf("source map of %s: %w", name, err)
	}
	m.Sources = []string{path.Base(name)}
	m.Mappings = ";" + countFromOne(m.Mappings)
	return json.Marshal(m)
}

// countFromOne adds one to every generated column and to every source column. Fields of a segment
// are relative to the one before (generated columns: in the same line), so that only the first
// segment of a line and the first with a source change.
func countFromOne(mappings string) string {
	var b strings.Builder
	b.Grow(len(mappings) + 16)
	sourceSeen := false
	for i, line := range strings.Split(mappings, ";") {
		if i > 0 {
			b.WriteByte(';')
		}
		for j, segment := range strings.Split(line, ",") {
			if j > 0 {
				b.WriteByte(',')
			}
			hasSource := len(segment) > 1 && !sourceSeen
			if segment == "" || j > 0 && !hasSource {
				b.WriteString(segment)
				continue
			}
			fields := decodeVLQ(segment)
			if j == 0 {
				fields[0]++
			}
			if len(fields) >= 4 && !sourceSeen {
				fields[3]++
				sourceSeen = true
			}
			for _, f := range fields {
				appendVLQ(&b, f)
			}
		}
	}
	return b.String()
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeVLQ reads the numbers of a segment: digits of base 64 with five bits each, the lowest first,
// the sixth set when more follow; bit 0 of a number is its sign.
func decodeVLQ(segment string) []int {
	var numbers []int
	value, shift := 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(base64Digits, segment[i])
		value |= (digit & 31) << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if value&1 != 0 {
			numbers = append(numbers, -(value >> 1))
		} else {
			numbers = append(numbers, value>>1)
		}
		value, shift = 0, 0
	}
	return numbers
}

func appendVLQ(b *strings.Builder, n int) {
	v := n << 1
	if n < 0 {
		v = -n<<1 | 1
	}
	for {
		digit := v & 31
		v >>= 5
		if v > 0 {
			digit |= 32
		}
		b.WriteByte(base64Digits[digit])
		if v == 0 {
			return
		}
	}
}

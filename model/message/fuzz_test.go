package message

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode reads any text as a message and as a list. What can be read is written
// with the same value, and what was written is read and written the same.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"canonical.jsonl", "pi-ai.jsonl"} {
		for _, line := range lines(f, name) {
			f.Add(line)
			f.Add(append(append([]byte("["), line...), ']'))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list Messages
		if list.UnmarshalJSON(text) != nil {
			m, err := Decode(text)
			if err != nil {
				return
			}
			list, text = Messages{m}, append(append([]byte("["), text...), ']')
		}
		written, err := list.MarshalJSON()
		if err != nil {
			t.Fatalf("%v in what was read from %q", err, text)
		}
		requireSameValue(t, text, written)
		var again Messages
		if err := again.UnmarshalJSON(written); err != nil {
			t.Fatalf("%v in what was written: %q", err, written)
		}
		if diff := cmp.Diff(list, again); diff != "" {
			t.Fatalf("(-read +read again):\n%s", diff)
		}
		if twice, err := again.MarshalJSON(); err != nil || !bytes.Equal(written, twice) {
			t.Fatalf("%v: written as\n%q\nand then as\n%q", err, written, twice)
		}
	})
}

// requireSameValue compares texts as encoding/json reads them, unless raw JSON in
// them has a number that it refuses.
func requireSameValue(t *testing.T, before, after []byte) {
	t.Helper()
	var value any
	if json.Unmarshal(before, &value) != nil {
		return
	}
	if diff := cmp.Diff(value, valueOf(t, after)); diff != "" {
		t.Fatalf("(-read +written):\n%s", diff)
	}
}

package main

import (
	"strings"
	"testing"
)

// endless is standard input without an end, such as /dev/zero.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestStandardInputIsReadUpToALimitThatIsNamed(t *testing.T) {
	input := &endless{}
	_, err := readInput(input)
	if err == nil || !strings.Contains(err.Error(), "more than the 47 MiB") {
		t.Errorf("error %v", err)
	}
	if input.read > 256<<20 {
		t.Errorf("%d bytes were read", input.read)
	}
	data, err := readInput(strings.NewReader("text"))
	if string(data) != "text" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
}

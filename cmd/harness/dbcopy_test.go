package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// TestAReadOfAPipeEndsWithItsContext reads from a pipe that nobody writes to.
func TestAReadOfAPipeEndsWithItsContext(t *testing.T) {
	pipe, in := io.Pipe()
	defer in.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancelled := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(&interruptible{ctx: ctx, from: pipe})
		cancelled <- err
	}()
	if _, err := in.Write([]byte("the beginning")); err != nil {
		t.Fatal(err)
	}
	cancel(stop)
	if err := <-cancelled; !errors.Is(err, stop) {
		t.Errorf("reading ends with %v", err)
	}
	content := bytes.Repeat([]byte("content"), 50_000)
	read, err := io.ReadAll(&interruptible{ctx: t.Context(), from: iotest.HalfReader(bytes.NewReader(content))})
	if err != nil || !bytes.Equal(read, content) {
		t.Errorf("read %d bytes (%v)", len(read), err)
	}
}

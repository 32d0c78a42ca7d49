package run

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

// TestWhatACommandWroteIsReadHoweverLate holds a reader that comes after the deadline
// to all that is in the pipe.
func TestWhatACommandWroteIsReadHoweverLate(t *testing.T) {
	for _, stillOpen := range []bool{false, true} {
		t.Run(fmt.Sprintf("still open %t", stillOpen), func(t *testing.T) {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			text := bytes.Repeat([]byte("output\n"), 9000) // less than a pipe holds
			if _, err := write.Write(text); err != nil {
				t.Fatal(err)
			}
			if stillOpen {
				defer write.Close()
			} else if err := write.Close(); err != nil {
				t.Fatal(err)
			}
			if err := read.SetDeadline(time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(&pipe{file: read}); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%d of %d bytes, error %v", len(got), len(text), err)
			}
		})
	}
}

// TestAWriterThatGoesOnKeepsNobody has a writer that fills the pipe whenever there is
// room.
func TestAWriterThatGoesOnKeepsNobody(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := write.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}()
	if err := read.SetDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, &pipe{file: read}); err != nil {
		t.Error(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	_ = write.Close()
}

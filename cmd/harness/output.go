package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// output is where the program writes: a terminal, or something that gets no
// colours. It is safe for concurrent use.
type output struct {
	terminal bool
	colour   bool

	mu  sync.Mutex
	to  io.Writer
	err error // the first one, which the program reports at its end
}

// newOutput writes to a file, in colours if that is a terminal whose user has not
// set NO_COLOR (no-color.org).
func newOutput(file *os.File) *output {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return &output{to: file, terminal: err == nil, colour: err == nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// sameFile reports whether what is written to two files comes out at one place, such
// as a terminal.
func sameFile(one, other *os.File) bool {
	first, err := one.Stat()
	second, otherErr := other.Stat()
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// Write implements [io.Writer].
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.to.Write(data)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// failed returns the first error of writing.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// The colours of ECMA-48, select graphic rendition.
const (
	plainText = "\x1b[0m"
	bold      = "\x1b[1m"
	dim       = "\x1b[2m"
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	yellow    = "\x1b[33m"
)

// paint gives a text in a colour, if there are colours.
func (o *output) paint(colour, text string) string {
	if !o.colour || text == "" {
		return text
	}
	return colour + text + plainText
}

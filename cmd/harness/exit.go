package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// exitError ends the program with a code of its own. Without an error everything
// was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap gives the reason.
func (e *exitError) Unwrap() error { return e.err }

// usage is wrong usage that the grammar does not catch.
func usage(format string, arguments ...any) error {
	return &exitError{code: 2, err: fmt.Errorf(format, arguments...)}
}

// exitCode prints an error and gives the code of the process.
func exitCode(err error) int {
	var own *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		if own.err != nil {
			complain(own.err)
		}
		return own.code
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "harness: interrupted")
		return 130
	}
	complain(err)
	return 1
}

// complain prints an error; the further lines of a long one are indented.
func complain(err error) {
	fmt.Fprintf(os.Stderr, "harness: %s\n", strings.ReplaceAll(visible(err.Error()), "\n", "\n  "))
}

package main

import (
	"fmt"
	"io"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
)

// readInput reads standard input to its end, and no more of it than a request may
// carry.
func readInput(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, control.MaxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read standard input: %w", err)
	case len(data) > control.MaxInput:
		return nil, usage("standard input has more than the %d MiB that may be passed on; write it to a file of the world and pass its path", control.MaxInput>>20)
	}
	return data, nil
}

package main

import (
	"fmt"
	"os"
)

// makeTemporary makes a folder for the time of a command.
func makeTemporary(pattern string) (string, error) {
	folder, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", fmt.Errorf("make a temporary folder in %s, which TMPDIR sets: %w", os.TempDir(), err)
	}
	return folder, nil
}

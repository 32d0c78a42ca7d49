package main

import (
	"strings"
	"testing"
)

func TestATemporaryFolderThatCannotBeMadeNamesTheVariable(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	_, err := makeTemporary("harness-test-")
	if err == nil || !strings.Contains(err.Error(), "TMPDIR") || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("error %v", err)
	}
}

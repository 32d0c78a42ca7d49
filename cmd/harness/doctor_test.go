package main

import (
	"errors"
	"strings"
	"testing"
)

func TestGitIsJudgedByItsVersion(t *testing.T) {
	tests := []struct {
		name, said string
		err        error
		want       verdict
		advice     string
	}{
		{"a new one", "git version 2.47.3", nil, fine, ""},
		{"the oldest that will do", "git version 2.28.0", nil, fine, ""},
		{"one that is too old", "git version 2.9.5", nil, failure, "install git 2.28 or newer"},
		{"a version that nobody can read", "git version next", nil, fine, ""},
		{"none", "", errors.New("no such program"), failure, "install git"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := judgeGit(test.said, test.err)
			if f.Check != "git" || f.Verdict != test.want || f.Advice != test.advice || !strings.Contains(f.Message, test.said) {
				t.Errorf("finding %+v", f)
			}
		})
	}
}

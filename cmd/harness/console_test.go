package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestConsoleShowsARecordAsALine(t *testing.T) {
	commit := strings.Repeat("0123456789", 4)
	tests := []struct {
		name   string
		colour bool
		log    func(*slog.Logger)
		want   string
	}{
		{
			"a commit is shortened and a duration is in milliseconds", false,
			func(l *slog.Logger) { l.Info("commit is live", "commit", commit, "duration", 1234567*time.Nanosecond) },
			"commit is live commit=0123456 duration=1.2 ms\n",
		},
		{
			"an error stands below, indented", false,
			func(l *slog.Logger) {
				l.Warn("commit is refused", "error", errors.New("a.ts:1:2: no\n  line"), "commit", commit)
			},
			"warning: commit is refused commit=0123456\n  a.ts:1:2: no\n    line\n",
		},
		{
			"an extension is named first, and a text of many lines goes on below", false,
			func(l *slog.Logger) { l.Info("one\ntwo", "extension", "todo") },
			"todo: one\n  two\n",
		},
		{
			"a notice is no warning", false,
			func(l *slog.Logger) { l.Warn("mail came", "extension", "inbox", "notice", true) },
			"inbox: mail came\n",
		},
		{
			"a notice of no extension has no name", false,
			func(l *slog.Logger) { l.Warn("settings are broken", "extension", "", "notice", true) },
			"settings are broken\n",
		},
		{
			"groups and attributes of the logger are kept", false,
			func(l *slog.Logger) { l.With("a", 1).WithGroup("g").With("b", 2).Error("bad", "c", 3) },
			"error: bad a=1 g.b=2 g.c=3\n",
		},
		{
			"what is below the level is dropped", false,
			func(l *slog.Logger) { l.Debug("detail") },
			"",
		},
		{
			"a terminal gets colours", true,
			func(l *slog.Logger) { l.Error("bad") },
			red + "error: bad" + plainText + "\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			test.log(slog.New(newConsole(&output{to: &text, colour: test.colour}, slog.LevelInfo)))
			_, got, found := strings.Cut(text.String(), " ") // the time
			if found != (test.want != "") || got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputKeepsItsFirstError(t *testing.T) {
	out := &output{to: fullDisk{}}
	for range 2 {
		if _, err := out.Write([]byte("text")); err == nil {
			t.Error("no error of writing")
		}
	}
	if err := out.failed(); err == nil || err.Error() != "disk full" {
		t.Errorf("the first error is %v", err)
	}
}

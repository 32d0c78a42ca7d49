package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for _, test := range []struct{ rule, text, want string }{
		{"plain text", "ein Käse\t\U0001f9c0\n", "ein Käse\t\U0001f9c0\n"},
		{"escape sequences", "\x1b[2J\x1b]0;title\a", `\x1b[2J\x1b]0;title\a`},
		{"NUL, backspace, return", "a\x00\b\rb", `a\x00\b\rb`},
		{"delete", "\x7f", `\x7f`},
		{"C1 controls", "\u009b31m", `\u009b31m`},
		{"bidirectional embeddings", "\u202aa\u202e", `\u202aa\u202e`},
		{"bidirectional isolates", "\u2066a\u2069", `\u2066a\u2069`},
		{"bytes that are not UTF-8", "caf\xe9 \x9b", `caf\xe9 \x9b`},
		{"lines of another system", "a\r\nb\x1b", "a\nb\\x1b"},
	} {
		if got := visible(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
}

// TestNothingCommandsTheTerminal prints what an extension says in every way there is.
func TestNothingCommandsTheTerminal(t *testing.T) {
	const evil = "a\x1b[2J\u202eb\x00\u009bc"
	for _, colour := range []bool{false, true} {
		var text strings.Builder
		out := &output{to: &text, terminal: true, colour: colour}
		p := &program{out: out, err: out}
		log := slog.New(newConsole(out, slog.LevelInfo))
		log.Info(evil+"\n"+evil, "extension", evil, "error", errors.New(evil), "more", evil)
		log.Error(evil, "text", evil+"\n"+evil)
		p.say("%s %s", out.paint(red, "bad"), evil)
		left := text.String()
		for _, own := range ownColours {
			left = strings.ReplaceAll(left, own, "")
		}
		if strings.ContainsAny(left, "\x1b\x00\u202e\u009b") {
			t.Errorf("printed %q", left)
		}
		if colour != strings.Contains(text.String(), red+"bad"+plainText) {
			t.Errorf("colour %t: printed %q", colour, text.String())
		}
	}
}

func TestContentIsLeftAloneForAnotherProgram(t *testing.T) {
	const text = "\x1b[31mred\x00"
	if got := (&output{}).content(text); got != text {
		t.Errorf("got %q", got)
	}
	if got := (&output{terminal: true, colour: true}).content(text); got != `\x1b[31mred\x00` {
		t.Errorf("got %q", got)
	}
}

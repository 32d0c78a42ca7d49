package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible shows what would command a terminal or change the order of a line as an
// escape of Go: control characters (ECMA-48: C0 but newline and tab, DEL, C1), those
// of bidirectional text (UAX 9), and bytes that are not UTF-8. CR LF is a newline.
func visible(text string) string { return visibleBut(text, nil) }

// visibleBut is visible but leaves some sequences as they are.
func visibleBut(text string, kept []string) string {
	if strings.IndexFunc(text, commands) < 0 && utf8.ValidString(text) {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var shown strings.Builder
	for len(text) > 0 {
		if sequence := prefixOf(text, kept); sequence != "" {
			shown.WriteString(sequence)
			text = text[len(sequence):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if commands(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(text[:size])
			shown.WriteString(quoted[1 : len(quoted)-1])
		} else {
			shown.WriteString(text[:size])
		}
		text = text[size:]
	}
	return shown.String()
}

// commands reports whether a character does something in place of showing.
func commands(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	}
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' || r == '\u061c'
}

func prefixOf(text string, sequences []string) string {
	for _, sequence := range sequences {
		if strings.HasPrefix(text, sequence) {
			return sequence
		}
	}
	return ""
}

// ownColours are the sequences that this program writes itself.
var ownColours = []string{plainText, bold, dim, red, green, yellow}

// visible shows a text that may have been painted.
func (o *output) visible(text string) string {
	if !o.colour {
		return visible(text)
	}
	return visibleBut(text, ownColours)
}

// content is text that is the product of a command: as it is for a file or another
// program, visible on a terminal.
func (o *output) content(text string) string {
	if !o.terminal {
		return text
	}
	return visible(text)
}

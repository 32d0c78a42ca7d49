package jsapi

import (
	"fmt"
	"unicode/utf8"

	"github.com/dop251/goja"
)

const (
	// maxErrorText bounds the message of an error that comes out of JavaScript,
	// and its stack, in bytes.
	maxErrorText = 16 << 10
	// maxName bounds the name of an error or a class, and of one member in a path,
	// in bytes.
	maxName = 200
)

// Shorten returns a text of at most limit bytes as it is, and of a longer one its
// beginning, up to a whole character, with a note of how many bytes were cut. The
// note comes on top of the limit.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + fmt.Sprintf("… [%d bytes cut]", len(text)-end)
}

// shortText is a text of the engine, shortened. What is cut is not copied out of
// the engine.
func shortText(text goja.String, limit int) string {
	length := text.Length()
	if length <= limit {
		return Shorten(text.String(), limit)
	}
	kept := text.Substring(0, limit).String()
	end := min(len(kept), limit)
	for end > 0 && end < len(kept) && !utf8.RuneStart(kept[end]) {
		end--
	}
	return kept[:end] + fmt.Sprintf("… [about %d bytes cut]", len(kept)-end+length-limit)
}

// shortStack is the stack of an error, shortened. It starts with the error's name
// and message, which are shortened by themselves, so that the frames are kept.
func shortStack(stack goja.String, name, message goja.String) string {
	if stack.Length() <= maxErrorText {
		return Shorten(stack.String(), maxErrorText)
	}
	const between = len(": ")
	head := message.Length()
	if name.Length() > 0 {
		head += name.Length() + between
	}
	if head >= stack.Length() || stack.CharAt(head) != '\n' {
		return shortText(stack, maxErrorText)
	}
	title := shortText(message, maxErrorText/2)
	if name.Length() > 0 {
		title = shortText(name, maxName) + ": " + title
	}
	return title + shortText(stack.Substring(head, stack.Length()), maxErrorText/2)
}

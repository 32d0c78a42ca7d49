package compile

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// These are the messages of esbuild that are said in words of our own.
const (
	missingExport  = "No matching export"
	withoutExports = "has no exports"
	topLevelAwait  = "Top-level await"
)

var quotedNames = regexp.MustCompile(`"((?:[^"\\\\]|\\\\.)*)"`)

// reworded says what a message of esbuild means to an author, and what to do about it.
func reworded(m api.Message) diagnosis {
	names := quotedNames.FindAllStringSubmatch(m.Text, 2)
	switch {
	case strings.HasPrefix(m.Text, missingExport) && len(names) == 2:
		return noExport(names[0][1], names[1][1], m.Location)
	case strings.HasSuffix(m.Text, withoutExports) && len(names) == 2:
		return noExport(names[1][1], names[0][1], nil)
	case strings.HasPrefix(m.Text, topLevelAwait):
		return diagnosis{"top-level await is not supported", "await inside the factory: export default async (host) => { ... }"}
	case strings.HasPrefix(m.Text, "Parameter decorators"):
		return diagnosis{"parameter decorators are not supported", "decorators are those of the ECMAScript standard, which has none for parameters"}
	}
	return diagnosis{message: lowerFirst(m.Text)}
}

// noExport says that a module lacks an export.
func noExport(module, name string, at *api.Location) diagnosis {
	if name == "default" {
		return diagnosis{fmt.Sprintf("%q has no default export", module), "import what it exports by name, in braces"}
	}
	d := diagnosis{message: fmt.Sprintf("%q does not export %q", module, name)}
	if at != nil && at.Suggestion != "" {
		d.hint = fmt.Sprintf("did you mean %q?", at.Suggestion)
	}
	return d
}

// lowerFirst makes the first letter of a sentence small, if its word is not an abbreviation.
func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// replacement is one edit of a call.
type replacement struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

// repairedEdits gives edits that a model put in another form the one of the schema: as
// the text of their JSON, one without a list around it, or beside the path. What cannot
// be repaired stays, for validation to refuse.
func repairedEdits(arguments json.RawMessage) json.RawMessage {
	var args map[string]json.RawMessage
	if json.Unmarshal(arguments, &args) != nil || args == nil {
		return arguments
	}
	edits, given := args["edits"]
	var text string
	if given && json.Unmarshal(edits, &text) == nil && json.Valid([]byte(text)) {
		edits = json.RawMessage(text)
	}
	if bytes.HasPrefix(bytes.TrimLeft(edits, " \t\r\n"), []byte("{")) {
		edits = slices.Concat([]byte("["), edits, []byte("]"))
	}
	if !given && args["oldText"] != nil && args["newText"] != nil {
		edits = slices.Concat([]byte(`[{"oldText":`), args["oldText"], []byte(`,"newText":`), args["newText"], []byte("}]"))
		delete(args, "oldText")
		delete(args, "newText")
	}
	if bytes.Equal(edits, args["edits"]) {
		return arguments
	}
	args["edits"] = edits
	repaired, err := json.Marshal(args)
	if err != nil {
		return arguments
	}
	return repaired
}

// change is a part of a text and what takes its place.
type change struct {
	start, end int // bytes
	text       string
	edit       int // its number, from 1
}

const mark = "\uFEFF" // a byte order mark

// placed finds where the edits of a text apply, in the order of the text; why says what
// is wrong with them. Line breaks of an edit stand for those of the text.
func placed(text string, edits []replacement) (_ string, changes []change, why string) {
	begin := 0
	if strings.HasPrefix(text, mark) {
		begin = len(mark)
	}
	for i, e := range edits {
		which := fmt.Sprintf("edit %d of %d: ", i+1, len(edits))
		if len(edits) == 1 {
			which = ""
		}
		old := strings.TrimPrefix(e.OldText, mark)
		if old == "" {
			return "", nil, which + "oldText is empty"
		}
		old, put := breaks(text, old, e.NewText)
		if begin > 0 {
			put = strings.TrimPrefix(put, mark)
		}
		at := occurrences(text[begin:], old)
		switch {
		case len(at) == 0:
			return "", nil, which + "oldText does not occur in it; it must be the same to the last space and line break, so read the file again"
		case len(at) > 1:
			return "", nil, which + fmt.Sprintf("oldText occurs %d times in it, in the lines %s; take in more of what is around the right one", len(at), linesOf(text[begin:], at))
		}
		changes = append(changes, change{begin + at[0], begin + at[0] + len(old), put, i + 1})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(changes); i++ {
		if changes[i].start < changes[i-1].end {
			first, second := changes[i-1].edit, changes[i].edit
			return "", nil, fmt.Sprintf("edits %d and %d overlap; make them one", min(first, second), max(first, second))
		}
	}
	return text, changes, ""
}

// breaks gives an edit the line breaks of the text: those of its only kind, or in a text
// of both kinds those with which the old text occurs.
func breaks(text, old, put string) (string, string) {
	returns, all := strings.Count(text, "\r\n"), strings.Count(text, "\n")
	switch {
	case returns == 0 && all > 0 && !strings.Contains(text, old) && strings.Contains(old, "\r\n"):
		return strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(put, "\r\n", "\n")
	case returns == 0:
		return old, put
	case returns == all:
		return returning(old), returning(put)
	case strings.Contains(text, old):
		return old, put
	case strings.Contains(text, returning(old)):
		return returning(old), returning(put)
	}
	return old, put
}

// returning ends every line with a carriage return and a line feed.
func returning(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// occurrences lists where a part begins in a text, also where it overlaps itself.
func occurrences(text, part string) []int {
	var at []int
	for from := 0; ; {
		next := strings.Index(text[from:], part)
		if next < 0 {
			return at
		}
		at = append(at, from+next)
		from += next + 1
	}
}

// mostLines is how many lines a message names.
const mostLines = 10

// linesOf lists the lines of places in a text, the first of them.
func linesOf(text string, places []int) string {
	var lines []int
	for _, at := range places[:min(len(places), mostLines)] {
		lines = append(lines, 1+strings.Count(text[:at], "\n"))
	}
	if len(places) > mostLines {
		return listed(lines) + ", ..."
	}
	return listed(lines)
}

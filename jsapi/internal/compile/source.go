package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// DefaultMaxSource is the size of the largest file that is compiled unless Options say otherwise.
const DefaultMaxSource = 4 << 20

const byteOrderMark = "\uFEFF"

// content is one file as the tree has it.
type content struct {
	text string
	hash string
}

func newContent(text string) content {
	sum := sha256.Sum256([]byte(text))
	return content{text, hex.EncodeToString(sum[:])}
}

// read reads a file of at most limit bytes.
func read(tree fs.FS, name string, limit int) (content, error) {
	f, err := tree.Open(name)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return content{}, err
	}
	if info.Size() > int64(limit) {
		return content{}, &sizeError{info.Size(), limit}
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, io.LimitReader(f, int64(limit)+1)); err != nil {
		return content{}, err
	}
	if b.Len() > limit {
		return content{}, &sizeError{int64(b.Len()), limit}
	}
	return newContent(b.String()), nil
}

// sizeError says that a file is larger than the limit, both in bytes.
type sizeError struct {
	size  int64
	limit int
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("the file has %d bytes, the limit is %d", e.size, e.limit)
}

// unreadable makes the problem of a file that could not be read.
func unreadable(name string, err error) Problem {
	var size *sizeError
	if errors.As(err, &size) {
		return Problem{File: name, Message: size.Error(), Hint: "split the file, or read large data at run time"}
	}
	return Problem{File: name, Message: fmt.Sprintf("cannot read the file: %v", err)}
}

// lfsPointer begins a file that stands for one in Git LFS (its specification, "The
// Pointer").
const lfsPointer = "version https://git-lfs.github.com/spec/"

// check refuses text that the parsers must not see. The text is that of a file whose form is t's.
func check(t target, text string) *Problem {
	if !utf8.ValidString(text) {
		offset := invalidOffset(text)
		line, column, shown := place(text, offset)
		return &Problem{
			File: t.name, Line: line, Column: column, Text: shown,
			Message: fmt.Sprintf("the file is not UTF-8: byte 0x%02X at offset %d", text[offset], offset),
			Hint:    "save the file as UTF-8",
		}
	}
	if t.form != formText && strings.HasPrefix(text, lfsPointer) {
		return &Problem{
			File: t.name, Line: 1, Column: 1,
			Message: "the file is a pointer of Git LFS, whose content is not part of the commit",
			Hint:    "take the file out of LFS: git lfs untrack it, add it again and commit",
		}
	}
	switch t.form {
	case formText:
		return nil
	case formJSON:
		if offset, ok := tooDeep(text); ok {
			return deepProblem(t, text, offset)
		}
		return checkJSON(t, text)
	default:
		if offset, ok := tooDeep(text); ok {
			return deepProblem(t, text, offset)
		}
		return nil
	}
}

// checkJSON reports the first syntax error (RFC 8259).
func checkJSON(t target, text string) *Problem {
	var v json.RawMessage
	stripped := strings.TrimPrefix(text, byteOrderMark)
	err := json.Unmarshal([]byte(stripped), &v)
	if err == nil {
		return nil
	}
	p := &Problem{File: t.name, Message: "the file is not JSON: " + err.Error()}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset := min(max(int(syntax.Offset)-1, 0), len(stripped))
		p.Line, p.Column, p.Text = place(stripped, offset)
	}
	return p
}

func deepProblem(t target, text string, offset int) *Problem {
	line, column, shown := place(text, offset)
	return &Problem{
		File: t.name, Line: line, Column: column, Text: shown,
		Message: fmt.Sprintf("the code is nested or chained more than %d deep here", maxDepth),
		Hint:    "split the expression",
	}
}

func invalidOffset(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return len(text)
}

// parseable is the text as the parser gets it: without byte order mark, and with a "#!" line made a
// comment, as the wrapper around a module would break it. Every position stays.
func parseable(text string) string {
	text = strings.TrimPrefix(text, byteOrderMark)
	if strings.HasPrefix(text, "#!") {
		text = "//" + text[2:]
	}
	return text
}

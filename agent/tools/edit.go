package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/registry"
)

// Edit returns a tool that replaces texts in files; see [Write].
func Edit(Options) registry.Tool { return edit(new(writers)) }

func edit(writers *writers) registry.Tool {
	return registry.Tool{
		Name: "edit",
		Description: "Change a text file by replacing texts in it. Each oldText is looked for in the file as it was before the call and must occur there exactly once, " +
			"with the same spaces and line breaks. Make several changes of one file in one call; they must not overlap.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"path":{"type":"string","minLength":1,"description":"Where the file is, absolute or from the working folder on."},` +
			`"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{` +
			`"oldText":{"type":"string","description":"The text to replace, with as much around it as makes it the only one."},` +
			`"newText":{"type":"string","description":"The text to put in its place."}},` +
			`"required":["oldText","newText"],"additionalProperties":false}}},` +
			`"required":["path","edits"],"additionalProperties":false}`),
		PrepareArguments: func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			return repairedEdits(arguments), nil
		},
		Execute: func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			args, err := arguments[struct {
				Path  string
				Edits []replacement
			}](call)
			if err != nil {
				return nil, err
			}
			at := absolute(call, args.Path)
			unlock, err := alone(ctx, writers, call.Env, at)
			if err != nil {
				return nil, err
			}
			defer unlock()
			before, err := call.Env.Read(ctx, at)
			if err != nil {
				return nil, cannot("edit", args.Path, err)
			}
			after, lines, err := edited(args.Path, before, args.Edits)
			if err != nil {
				return nil, err
			}
			if err := call.Env.Write(ctx, at, after); err != nil {
				return nil, cannot("edit", args.Path, err)
			}
			result := registry.TextResult(fmt.Sprintf("Made %s in %s.", counted(len(lines), "change"), args.Path))
			result.Details = encoded(struct {
				Path  string `json:"path"`
				Lines []int  `json:"lines"` // where each change begins now, in order
			}{at, lines})
			return result, nil
		},
	}
}

// edited applies edits to the content of a file, and returns the lines in which the
// changes begin then.
func edited(name string, content []byte, edits []replacement) (after []byte, lines []int, err error) {
	refuse := func(format string, args ...any) ([]byte, []int, error) {
		return nil, nil, &FileError{Do: "edit", Path: name, Why: fmt.Sprintf(format, args...)}
	}
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return refuse("it is not a text in UTF-8")
	}
	text, changes, why := placed(string(content), edits)
	if why != "" {
		return refuse("%s", why)
	}
	var built []byte
	from := 0
	for _, c := range changes {
		built = append(built, text[from:c.start]...)
		lines = append(lines, 1+bytes.Count(built, []byte("\n")))
		built = append(built, c.text...)
		from = c.end
	}
	built = append(built, text[from:]...)
	if bytes.Equal(built, content) {
		return refuse("the edits leave it as it is")
	}
	return built, lines, nil
}

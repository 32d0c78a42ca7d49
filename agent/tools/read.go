package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/registry"
)

// Read returns a tool that shows texts, in whole lines, and images.
func Read(options Options) registry.Tool {
	limits := options.Images.withDefaults()
	return registry.Tool{
		Name: "read",
		Description: "Read a file: a text in UTF-8, or an image in PNG, JPEG, GIF or WebP. Of a long text the beginning is shown, " +
			"with a remark about where to go on; offset and limit choose lines.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"path":{"type":"string","minLength":1,"description":"Where the file is, absolute or from the working folder on."},` +
			`"offset":{"type":"integer","minimum":1,"description":"The first line to show, from 1."},` +
			`"limit":{"type":"integer","minimum":1,"description":"How many lines to show."}},` +
			`"required":["path"],"additionalProperties":false}`),
		Replay: registry.ReplaySafe,
		Execute: func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			args, err := arguments[reading](call)
			if err != nil {
				return nil, err
			}
			file, err := call.Env.Open(ctx, absolute(call, args.Path), false)
			if err != nil {
				return nil, cannot("read", args.Path, err)
			}
			result, err := args.show(ctx, file, limits)
			var refused *FileError
			if err = errors.Join(err, file.Close()); err != nil && !errors.As(err, &refused) {
				err = cannot("read", args.Path, err)
			}
			return result, err
		},
	}
}

// reading is what a call asks to see. A zero limit is none.
type reading struct {
	Path          string
	Offset, Limit int64
}

// headBytes is how much of a file tells what it is.
const headBytes = 8 << 10

func (r reading) show(ctx context.Context, file registry.File, limits ImageLimits) (*registry.Result, error) {
	head, err := readRange(file, 0, headBytes)
	if err != nil {
		return nil, err
	}
	if kind := imageKind(head); kind != "" {
		return r.image(file, kind, head, limits)
	}
	if strings.IndexByte(string(head), 0) >= 0 {
		return nil, r.refuse("it is not a text: it has NUL bytes; look at it with commands")
	}
	return r.text(ctx, file)
}

func (r reading) refuse(format string, args ...any) error {
	return &FileError{Do: "read", Path: r.Path, Why: fmt.Sprintf(format, args...)}
}

func (r reading) image(file registry.File, kind string, head []byte, limits ImageLimits) (*registry.Result, error) {
	width, height := imageSize(kind, head)
	if width == 0 || height == 0 {
		return nil, r.refuse("it begins like an image of type %s, but its header is not one", kind)
	}
	if width > limits.MaxWidth || height > limits.MaxHeight {
		return nil, r.refuse("the image has %d x %d pixels, and models take at most %d x %d; make it smaller with commands", width, height, limits.MaxWidth, limits.MaxHeight)
	}
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if about.Size > limits.MaxBytes {
		return nil, r.refuse("the image has %s, and models take at most %s; make it smaller with commands", counted(about.Size, "byte"), output.Grouped(limits.MaxBytes))
	}
	data, err := readRange(file, 0, int(about.Size))
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s is an image: %s, %d x %d pixels, %s.", r.Path, kind, width, height, counted(len(data), "byte"))
	result := registry.TextResult(text)
	result.Content = append(result.Content, registry.Content{Type: registry.ContentImage, Data: data, MIMEType: kind})
	result.Details = encoded(struct {
		MIMEType string `json:"mimeType"`
		Width    int    `json:"width"`
		Height   int    `json:"height"`
		Bytes    int    `json:"bytes"`
	}{kind, width, height, len(data)})
	return result, nil
}

func (r reading) text(ctx context.Context, file registry.File) (*registry.Result, error) {
	shown := &excerpt{first: max(r.Offset, 1), limit: r.Limit}
	if err := shown.scan(ctx, file); err != nil {
		return nil, err
	}
	if shown.first > max(shown.lines, 1) {
		return nil, r.refuse("it has %s, so none from line %d on", counted(shown.lines, "line"), shown.first)
	}
	result := &registry.Result{Content: []registry.Content{}, Diagnostics: shown.remarks()}
	if text := shown.kept.String(); text != "" {
		result.Content = append(result.Content, registry.Content{Type: registry.ContentText, Text: text})
	}
	result.Details = encoded(struct {
		Offset     int64 `json:"offset"`
		Lines      int64 `json:"lines"`
		TotalLines int64 `json:"totalLines"`
	}{shown.first, shown.taken, shown.lines})
	return result, nil
}

// readRange reads bytes of a file, fewer at its end.
func readRange(file io.ReaderAt, offset int64, length int) ([]byte, error) {
	data := make([]byte, length)
	n, err := file.ReadAt(data, offset)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

package tools_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/agent/tools"
)

func TestReadShowsTheLinesThatAreAskedFor(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.write("f", "one\ntwo\nthree\n")
	w.write("g", "one\ntwo")
	w.write("empty", "")
	w.expect("one\ntwo\nthree\n", "read", "path", "/f")
	w.expect("one\ntwo", "read", "path", "g")
	w.expect("two\n|[info more] lines 2 to 2 of 3 are shown; go on with offset 3", "read", "path", "f", "offset", 2, "limit", 1)
	w.expect("three\n", "read", "path", "f", "offset", 3, "limit", 1)
	w.expect("two", "read", "path", "g", "offset", 2)
	w.expect("[info empty] the file is empty", "read", "path", "empty")
	w.expect("error|[error tool_error] cannot read f: it has 3 lines, so none from line 4 on", "read", "path", "f", "offset", 4)
	w.expect("error|[error tool_error] cannot read empty: it has 0 lines, so none from line 2 on", "read", "path", "empty", "offset", 2)
}

func TestReadSaysWhyAFileIsNotToBeHad(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.write("d/f", "x")
	w.write("binary", "a\x00b")
	w.expect("error|[error tool_error] cannot read none: it does not exist", "read", "path", "none")
	w.expect("error|[error tool_error] cannot read d: it is a directory", "read", "path", "d")
	w.expect("error|[error tool_error] cannot read d/f/x: a part of the path is not a directory", "read", "path", "d/f/x")
	w.expect("error|[error tool_error] cannot read binary: it is not a text: it has NUL bytes; look at it with commands", "read", "path", "binary")
}

func TestReadShowsTextAsModelsSeeIt(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.write("marked", "\uFEFFone\r\ntwo\r\n")
	w.write("broken", "a\xe2\x82b\xff\xfe\xf0\x9f\n")
	w.expect("one\ntwo\n", "read", "path", "marked")
	w.expect("a\uFFFDb\uFFFD\uFFFD\uFFFD\n", "read", "path", "broken")
}

func TestReadShowsWholeLinesWithinItsLimits(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.write("lines", strings.Repeat("x\n", 5000))
	w.write("bytes", strings.Repeat(strings.Repeat("y", 999)+"\n", 60))
	w.write("long", "head\n"+strings.Repeat("é", 40_000)+"\ntail\n")
	for _, test := range []struct {
		path   string
		offset int
		text   string
		remark string
	}{
		{"lines", 1, strings.Repeat("x\n", 2000), "[warn truncated] lines 1 to 2000 of 5,000 are shown, which is as much as fits; go on with offset 2001"},
		{"lines", 3001, strings.Repeat("x\n", 2000), ""},
		{"bytes", 1, strings.Repeat(strings.Repeat("y", 999)+"\n", 51), "[warn truncated] lines 1 to 51 of 60 are shown, which is as much as fits; go on with offset 52"},
		{"long", 1, "head\n", "[warn truncated] lines 1 to 1 of 3 are shown, which is as much as fits; go on with offset 2"},
		{"long", 2, strings.Repeat("é", 25_600), "[warn truncated] line 2 of 3 is too long: only its first 51,200 bytes are shown; the next line has offset 3"},
		{"long", 3, "tail\n", ""},
	} {
		want := test.text
		if test.remark != "" {
			want += "|" + test.remark
		}
		if got := summary(w.call("read", "path", test.path, "offset", test.offset)); got != want {
			t.Errorf("%s from %d: %d bytes %q, want %d bytes %q", test.path, test.offset, len(got), got[max(len(got)-200, 0):], len(want), want[max(len(want)-200, 0):])
		}
	}
}

// A file is read in pieces, and what is shown does not depend on where they end.
func TestLinesOfLargeFilesAreCounted(t *testing.T) {
	w := newWorld(t, tools.Options{})
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "line %d ends here\n", i+1)
	}
	w.write("large", text.String())
	w.expect("line 70000 ends here\n|[info more] lines 70000 to 70000 of 100,000 are shown; go on with offset 70001", "read", "path", "large", "offset", 70_000, "limit", 1)
}

func TestReadShowsImages(t *testing.T) {
	w := newWorld(t, tools.Options{Images: tools.ImageLimits{MaxBytes: 10_000, MaxWidth: 100}})
	rgba := func(width, height int) image.Image { return image.NewRGBA(image.Rect(0, 0, width, height)) }
	var asPNG, asJPEG, asGIF, wide bytes.Buffer
	for _, err := range []error{
		png.Encode(&asPNG, rgba(3, 2)), jpeg.Encode(&asJPEG, rgba(3, 2), nil), gif.Encode(&asGIF, rgba(3, 2), nil), png.Encode(&wide, rgba(101, 2)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// The smallest lossy, lossless and extended headers of WebP, of 3 x 2 pixels.
	lossy := "RIFF\x1a\x00\x00\x00WEBPVP8 \x0e\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\x03\x00\x02\x00"
	lossless := "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x02\x40\x00\x00\x00\x00\x00\x00\x00"
	extended := "RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x01\x00\x00"
	for kind, files := range map[string][]string{
		"image/png": {asPNG.String()}, "image/jpeg": {asJPEG.String()}, "image/gif": {asGIF.String()}, "image/webp": {lossy, lossless, extended},
	} {
		for _, content := range files {
			w.write("picture", content)
			result := w.call("read", "path", "picture")
			want := fmt.Sprintf("picture is an image: %s, 3 x 2 pixels, %d bytes.|<%s>", kind, len(content), kind)
			if got := summary(result); got != want {
				t.Errorf("%s: %q, want %q", kind, got, want)
			} else if got := string(result.Content[1].Data); got != content {
				t.Errorf("%s: the data is %s", kind, base64.StdEncoding.EncodeToString([]byte(got)))
			}
		}
	}
	w.write("wide", wide.String())
	w.expect("error|[error tool_error] cannot read wide: the image has 101 x 2 pixels, and models take at most 100 x 8000; make it smaller with commands", "read", "path", "wide")
	w.write("heavy", asPNG.String()+strings.Repeat("x", 10_000))
	w.expect(fmt.Sprintf("error|[error tool_error] cannot read heavy: the image has 10,%03d bytes, and models take at most 10,000; make it smaller with commands", asPNG.Len()), "read", "path", "heavy")
	for name, head := range map[string]string{"png": "\x89PNG\r\n\x1a\nnot a header at all", "jpeg": "\xff\xd8\xff\xe0\x00\x00", "webp": "RIFF....WEBP"} {
		w.write("broken", head)
		w.expect("error|[error tool_error] cannot read broken: it begins like an image of type image/"+name+", but its header is not one", "read", "path", "broken")
	}
}

package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/agent/tools"
	"github.com/seed-d579e5eb/harness/registry"
)

// codingCalls are calls of read, write, edit and bash. D is the folder that each kind
// of tools has for itself.
var codingCalls = []struct{ tool, arguments string }{
	{"read", `{"path":"D/text"}`},
	{"read", `{"path":"D/text","offset":2,"limit":1}`},
	{"read", `{"path":"D/text","offset":3,"limit":5}`},
	{"read", `{"path":"D/text","offset":9}`},
	{"read", `{"path":"D/unfinished","offset":2}`},
	{"read", `{"path":"D/empty"}`},
	{"read", `{"path":"D/empty","offset":2}`},
	{"read", `{"path":"D/mark"}`},
	{"read", `{"path":"D/marked"}`},
	{"read", `{"path":"D/broken"}`},
	{"read", `{"path":"D/lines"}`},
	{"read", `{"path":"D/lines","offset":3000}`},
	{"read", `{"path":"D/lines","limit":2500}`},
	{"read", `{"path":"D/bytes"}`},
	{"read", `{"path":"D/returns"}`},
	{"read", `{"path":"D/long"}`},
	{"read", `{"path":"D/long","offset":2}`},
	{"read", `{"path":"D/exact"}`},
	{"read", `{"path":"D/large","offset":70000,"limit":2}`},
	{"read", `{"path":"D/image.png"}`},
	{"read", `{"path":"D/image.gif"}`},
	{"read", `{"path":"D/image.webp"}`},
	{"read", `{"path":"D/bad.jpeg"}`},
	{"read", `{"path":"D/wide.gif"}`},
	{"read", `{"path":"D/binary"}`},
	{"read", `{"path":"D"}`},
	{"read", `{"path":"D/none"}`},
	{"read", `{"path":"D/text/none"}`},
	{"read", `{"path":"D/text","offset":0}`},
	{"write", `{"path":"D/new/deep/file","content":"é\n"}`},
	{"write", `{"path":"/D/new/deep/file","content":""}`},
	{"write", `{"path":"D/new","content":"x"}`},
	{"write", `{"path":"D/text/x","content":"x"}`},
	{"write", `{"path":"/proc/D","content":"x"}`},
	{"edit", `{"path":"D/text","edits":[{"oldText":"two","newText":"2"},{"oldText":"one","newText":"1\n1"}]}`},
	{"edit", `{"path":"D/text","edits":"[{\"oldText\":\"2\",\"newText\":\"zwei\"}]"}`},
	{"edit", `{"path":"D/text","oldText":"zwei","newText":"deux"}`},
	{"edit", `{"path":"D/text","edits":{"oldText":"deux","newText":"two"}}`},
	{"edit", `{"path":"D/text","edits":[{"oldText":"nothing","newText":""}]}`},
	{"edit", `{"path":"D/text","edits":[{"oldText":"1","newText":""},{"oldText":"three","newText":""}]}`},
	{"edit", `{"path":"D/text","edits":[{"oldText":"two\nth","newText":""},{"oldText":"three","newText":""}]}`},
	{"edit", `{"path":"D/text","edits":[{"oldText":"","newText":""}]}`},
	{"edit", `{"path":"D/text","edits":[{"oldText":"two","newText":"two"}]}`},
	{"edit", `{"path":"D/lines","edits":[{"oldText":"x","newText":"y"}]}`},
	{"edit", `{"path":"D/returns","edits":[{"oldText":"0 r\n1 r\n","newText":"a\nb\n"}]}`},
	{"edit", `{"path":"D/mixed","edits":[{"oldText":"c\nd","newText":"x\ny"},{"oldText":"a\nb","newText":"x\ny"}]}`},
	{"edit", `{"path":"D/marked","edits":[{"oldText":"\ufeffone","newText":"\ufeff1"}]}`},
	{"edit", `{"path":"D/feeds","edits":[{"oldText":"a\r\nb","newText":"c\r\nd"}]}`},
	{"edit", `{"path":"D/broken","edits":[{"oldText":"a","newText":"b"}]}`},
	{"edit", `{"path":"D/none","edits":[{"oldText":"a","newText":"b"}]}`},
	{"edit", `{"path":"D/text","edits":"no list"}`},
	{"bash", `{"command":"cd D; echo out; echo err >&2; cat text"}`},
	{"bash", `{"command":"true"}`},
	{"bash", `{"command":"echo before; exit 3"}`},
	{"bash", `{"command":"echo before; sleep 100","timeout":0.25}`},
	{"bash", `{"command":"seq 1 2001; exit 1"}`},
	{"bash", `{"command":"kill -9 $$"}`},
	{"bash", `{"command":"if"}`},
}

// codingFiles are what each kind of tools begins with.
func codingFiles() map[string]string {
	returns, large := strings.Builder{}, strings.Builder{}
	for i := range 3000 {
		fmt.Fprintf(&returns, "%d r\r\n", i)
	}
	for i := range 100_000 {
		fmt.Fprintf(&large, "line %d\n", i+1)
	}
	return map[string]string{
		"text": "one\ntwo\nthree\n", "unfinished": "one\ntwo", "empty": "", "mark": "\uFEFF", "marked": "\uFEFFone\r\ntwo\n",
		"broken": "a\xe2\x82b\xff\xf0\x9f\n\xed\xa0\x80\xc0\xaf\xe0\x80\xf4\x90\x80\x80é\xe2\x82", "lines": strings.Repeat("x\n", 5000),
		"bytes": strings.Repeat(strings.Repeat("y", 998)+"\xff\n", 60), "returns": returns.String(), "large": large.String(),
		"long": "head\n" + strings.Repeat("é", 40_000) + "\ntail\n", "exact": strings.Repeat("z", 50<<10) + "\nmore\n",
		"mixed": "a\nb\nc\r\nd\r\n", "feeds": "a\nb\n", "binary": "a\x00b",
		"image.png":  "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02rest",
		"image.gif":  "GIF89a\x03\x00\x02\x00rest",
		"image.webp": "RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x01\x00\x00",
		"bad.jpeg":   "\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xff\xc0", "wide.gif": "GIF87a\xff\xff\x02\x00",
	}
}

// TestCodingToolsInTypeScriptAreThoseInGo calls the tools of the module as well as those
// in Go, on files of their own, and compares what they are, say and do.
func TestCodingToolsInTypeScriptAreThoseInGo(t *testing.T) {
	w := newWorld(t, files{server("mine"): `
		import { createCodingTools } from "@earendil-works/pi-durable/tools";
		export default { name: "mine", tools: createCodingTools().map((tool) => ({ ...tool, name: "ts_" + tool.name })) };`})
	for _, folder := range []string{"go", "ts"} {
		if err := os.Mkdir(w.path(folder), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, content := range codingFiles() {
			if err := os.WriteFile(filepath.Join(w.path(folder), name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := w.open(inMemory, func(o *Options) { o.Extensions = []registry.Extension{tools.Coding(tools.Options{})} })
	generation, release := h.registry.Acquire("test")
	defer release()
	for _, name := range []string{"read", "write", "edit", "bash"} {
		if diff := cmp.Diff(declared(t, generation, name), strings.ReplaceAll(declared(t, generation, "ts_"+name), "ts_"+name, name)); diff != "" {
			t.Errorf("the declaration of %s (-Go +TypeScript):\n%s", name, diff)
		}
	}
	for _, call := range codingCalls {
		inGo := said(t, h, call.tool, call.arguments, "go")
		inTypeScript := said(t, h, "ts_"+call.tool, call.arguments, "ts")
		if diff := cmp.Diff(inGo, inTypeScript); diff != "" {
			t.Errorf("%s %s (-Go +TypeScript):\n%.2000s", call.tool, call.arguments, diff)
		}
	}
	if diff := cmp.Diff(treeOf(t, w.path("go")), treeOf(t, w.path("ts"))); diff != "" {
		t.Errorf("the files (-Go +TypeScript):\n%.2000s", diff)
	}
}

func declared(t *testing.T, generation *registry.Generation, name string) string {
	t.Helper()
	tool := generation.Tool(name)
	if tool == nil {
		t.Fatalf("there is no tool %s", name)
	}
	var parameters any
	if err := json.Unmarshal(tool.Parameters, &parameters); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(map[string]any{
		"name": name, "description": tool.Description, "parameters": parameters, "replay": tool.Replay,
		"mode": tool.ExecutionMode, "limits": tool.OutputLimits.WithDefaults(),
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var spillName = regexp.MustCompile(`output-\w+\.log`)

// said is the result of a call, with D for the folder again.
func said(t *testing.T, h *testHost, tool, arguments, folder string) string {
	t.Helper()
	arguments = strings.NewReplacer("D/", folder+"/", `"D"`, `"`+folder+`"`, "cd D", "cd "+folder, "proc/D", "proc/"+folder).Replace(arguments)
	result := h.CallTool(t.Context(), ToolCall{Tool: tool, Arguments: json.RawMessage(arguments)})
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	shown := spillName.ReplaceAllString(string(text), "output-NAME.log")
	shown = strings.Replace(shown, `"message": "Error: `, `"message": "`, 1) // how what TypeScript throws is shown
	shown = strings.ReplaceAll(strings.ReplaceAll(shown, tool, strings.TrimPrefix(tool, "ts_")), folder+"/", "D/")
	return strings.ReplaceAll(strings.ReplaceAll(shown, " "+folder+":", " D:"), "/"+folder+":", "/D:")
}

// treeOf holds the content of each file by its path below a folder.
func treeOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	content := make(map[string]string)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		content[strings.TrimPrefix(path, folder)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

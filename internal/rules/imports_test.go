package rules

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A layer is a folder with those below it that have no layer of their own.
type layer struct {
	folder string
	below  bool     // may import every layer further down the table
	may    []string // the layers that it may import, when not below
}

// layers is the table of folders in docs/architecture.md, in the order data flows.
var layers = []layer{
	{folder: "cmd/harness", below: true},
	{folder: "web", may: []string{"host", "agent", "registry", "durable", "model"}},
	{folder: "host", below: true},
	{folder: "host/bind", below: true},
	{folder: "builtins", may: []string{"registry", "agent", "routine", "model", "durable", "vfs"}},
	{folder: "agent", may: []string{"registry", "durable", "model", "model/message"}},
	{folder: "routine", may: []string{"registry", "durable"}},
	{folder: "registry", may: []string{"durable", "model", "model/message"}},
	{folder: "durable", may: []string{"model/message"}},
	{folder: "model", may: []string{"model/message"}},
	{folder: "model/message"},
	{folder: "jsapi"},
	{folder: "worktree", may: []string{"vfs"}},
	{folder: "vfs"},
	{folder: "testdata/world"},
	{folder: "internal"},
}

// testsMayImport is what the tests of a layer use beyond what its code may: the
// real thing in place of an imitation.
var testsMayImport = map[string][]string{
	"agent":    {"host/bind", "vfs"}, // the world that tools work on
	"jsapi":    {"testdata/world"},
	"internal": {"host/bind", "jsapi"}, // documents are held against the code
}

// engine is the JavaScript engine, whose types only jsapi knows, in tests too.
const engine = "github.com/dop251/goja"

// libraries says which layers may import a package from outside, by prefix. Tests
// may import all but the engine, to look at a result from another side. A new
// dependency gets a row here, and its reason in docs/architecture.md.
var libraries = []struct {
	prefix string
	folder []string
}{
	{engine, []string{"jsapi"}},
	{"github.com/dlclark/regexp2/v2", []string{"jsapi/internal/guard", "registry"}},
	{"github.com/evanw/esbuild", []string{"jsapi/internal"}},
	{"github.com/go-sourcemap/sourcemap", []string{"jsapi/internal"}},
	{"github.com/nlnwa/whatwg-url", []string{"jsapi/internal/globals"}},
	{"github.com/go-git/", []string{"worktree"}},
	{"github.com/fsnotify/fsnotify", []string{"vfs", "cmd/harness"}},
	{"github.com/google/renameio/v2", []string{"vfs", "host", "cmd/harness"}},
	{"github.com/dgraph-io/badger/v4", []string{"durable"}},
	{"google.golang.org/protobuf", []string{"durable/storage/badgerdb"}},
	{"github.com/tidwall/btree", []string{"durable"}},
	{"github.com/openai/openai-go/v3/packages/ssestream", []string{"model/openai"}},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"registry", "host"}},
	{"github.com/alecthomas/kong", []string{"cmd/harness"}},
	{"golang.org/x/sys", []string{"vfs", "worktree", "host", "durable", "cmd/harness"}},
	{"golang.org/x/sync", []string{"host", "registry", "durable", "worktree"}},
	{"golang.org/x/text", []string{"jsapi/internal/globals", "registry"}},
	{"pgregory.net/rapid", []string{"durable/storagetest"}},
	{"unsafe", []string{"vfs", "jsapi/internal/guard"}},
}

// testLibraries are the packages from outside that tests alone may import.
var testLibraries = []string{
	"github.com/google/go-cmp",
	"github.com/rogpeppe/go-internal",
	"go.uber.org/goleak",
	"golang.org/x/tools/txtar",
	"pgregory.net/rapid",
}

// measuresFloor says whether a file measures what bare libraries take for the
// work that its package does with them.
func measuresFloor(file source) bool {
	name := path.Base(file.path)
	return file.test() && (strings.HasPrefix(name, "bench") || strings.HasPrefix(name, "floor"))
}

// within says whether a folder is another, or lies below it.
func within(folder, ancestor string) bool {
	return folder == ancestor || strings.HasPrefix(folder, strings.TrimSuffix(ancestor, "/")+"/")
}

// layerOf returns the index of the layer that a folder belongs to, or -1.
func layerOf(folder string) int {
	found := -1
	for i, layer := range layers {
		if within(folder, layer.folder) && (found < 0 || len(layer.folder) > len(layers[found].folder)) {
			found = i
		}
	}
	return found
}

// imports calls visit with each import of each Go file.
func imports(t *testing.T, visit func(file source, where, imported string)) {
	t.Helper()
	for _, file := range sources(t) {
		for _, spec := range file.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			visit(file, file.at(spec), imported)
		}
	}
}

// TestEveryPackageHasAPlace asks for a row in the table of layers, here and in
// docs/architecture.md, before a folder gets code.
func TestEveryPackageHasAPlace(t *testing.T) {
	page := read(t, "docs/architecture.md")
	for folder := range packages(t) {
		row := layerOf(folder)
		if row < 0 {
			t.Errorf("%s: the table of layers has no row for it", folder)
			continue
		}
		if !strings.Contains(page, "| `"+layers[row].folder+"/`") {
			t.Errorf("%s: docs/architecture.md has no row for %s/", folder, layers[row].folder)
		}
	}
}

// TestImportsGoDownTheTable keeps the layers apart: a package that needs something
// from above takes an interface that it declares itself.
func TestImportsGoDownTheTable(t *testing.T) {
	imports(t, func(file source, where, imported string) {
		target, ours := strings.CutPrefix(imported, module+"/")
		if !ours {
			return
		}
		from, to := layerOf(file.folder()), layerOf(target)
		switch {
		case from < 0: // TestEveryPackageHasAPlace reports it
		case to < 0:
			t.Errorf("%s: the table of layers has no row for %s", where, target)
		case from == to:
		case layers[from].below && to > from:
		case slices.Contains(layers[from].may, layers[to].folder):
		case file.test() && slices.Contains(testsMayImport[layers[from].folder], layers[to].folder):
		default:
			t.Errorf("%s: %s may not import %s", where, layers[from].folder, target)
		}
	})
}

// TestLibrariesStayWhereTheyBelong keeps each library behind the package that wraps
// it, so that it can be replaced there: the engine's types do not leave jsapi, and
// git's object store does not leave worktree.
func TestLibrariesStayWhereTheyBelong(t *testing.T) {
	imports(t, func(file source, where, imported string) {
		first, _, _ := strings.Cut(imported, "/")
		if imported != "unsafe" && (!strings.Contains(first, ".") || within(imported, module)) {
			return
		}
		if file.test() && slices.ContainsFunc(testLibraries, func(prefix string) bool { return within(imported, prefix) }) {
			return
		}
		for _, library := range libraries {
			if !within(imported, library.prefix) {
				continue
			}
			allowed := slices.ContainsFunc(library.folder, func(folder string) bool { return within(file.folder(), folder) })
			free := file.test() && library.prefix != engine || measuresFloor(file)
			if !allowed && !free {
				t.Errorf("%s: %s belongs to %s", where, imported, strings.Join(library.folder, ", "))
			}
			return
		}
		t.Errorf("%s: the table of libraries has no row for %s", where, imported)
	})
}

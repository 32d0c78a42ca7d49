package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// sourceExtensions are the names of source code that an import may end in; jsonExtension is the one
// of values. A relative import of anything else needs the attribute type: "text".
var sourceExtensions = []string{".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs"}

const jsonExtension = ".json"

// form says how the content of a file is taken; the file's name decides it unless an import attribute
// does.
type form int

const (
	formSource form = iota
	formJSON
	formText
	formSynthetic
)

// target is what a specifier resolved to. The zero value stands for nothing: a require that is left
// to fail when it runs.
type target struct {
	form form
	name string // path in the tree, or the specifier of a synthetic module
}

// id is the module ID of the target.
func (t target) id() string {
	switch t.form {
	case formText:
		return "text:" + t.name
	case formSynthetic:
		return "synthetic:" + t.name
	default:
		return t.name
	}
}

// parseID is the target with a module ID.
func parseID(id string) target {
	if name, ok := strings.CutPrefix(id, "synthetic:"); ok {
		return target{formSynthetic, name}
	}
	if name, ok := strings.CutPrefix(id, "text:"); ok {
		return target{formText, name}
	}
	return target{formSource, id}
}

// inPackage reports whether the target belongs to a package committed under node_modules, where
// Node's rules hold and not those for the repository's own files.
func (t target) inPackage() bool {
	return t.form != formSynthetic && (strings.HasPrefix(t.name, "node_modules/") || strings.Contains(t.name, "/node_modules/"))
}

// request is one import as the source has it.
type request struct {
	specifier string
	attribute string // value of the import attribute "type"
	require   bool   // a call of require
	computed  bool   // the specifier is known only at run time, and the attribute not at all
}

// resolver resolves the imports of one tree. It is safe for concurrent use, as its tree is.
type resolver struct {
	tree      fs.FS
	synthetic *catalogue
}

// resolve finds what importer means by the request.
func (r *resolver) resolve(importer target, q request) (target, *diagnosis) {
	if q.attribute != "" && q.attribute != "json" && q.attribute != "text" {
		return target{}, &diagnosis{
			fmt.Sprintf("import attribute type %q of %q is not known", q.attribute, q.specifier),
			`use type: "json" or type: "text"`,
		}
	}
	t, d := r.locate(importer, q)
	if d != nil {
		if q.require && importer.inPackage() {
			return target{}, nil
		}
		return target{}, d
	}
	return r.shape(t, q)
}

// shape applies the import attribute and the extension to a target that was found.
func (r *resolver) shape(t target, q request) (target, *diagnosis) {
	if t.form == formSynthetic {
		if q.attribute != "" {
			return target{}, &diagnosis{
				fmt.Sprintf("module %q is code and cannot be imported as %s", q.specifier, q.attribute),
				"remove the import attribute",
			}
		}
		return t, nil
	}
	extension := path.Ext(t.name)
	switch {
	case q.attribute == "text":
		t.form = formText
	case extension == jsonExtension:
		t.form = formJSON
	case q.attribute == "json":
		return target{}, &diagnosis{
			fmt.Sprintf("cannot import %q as JSON: its name does not end in .json", q.specifier),
			`rename the file, or import it with { type: "text" } and call JSON.parse`,
		}
	case slices.Contains(sourceExtensions, extension):
		t.form = formSource
	case q.computed:
		t.form = formText
	default:
		return target{}, &diagnosis{
			fmt.Sprintf("cannot import %q: it is neither source code nor JSON", q.specifier),
			fmt.Sprintf(`to get its text, write: import text from %q with { type: "text" }`, q.specifier),
		}
	}
	return t, nil
}

func (r *resolver) locate(importer target, q request) (target, *diagnosis) {
	s := q.specifier
	switch {
	case s == "":
		return target{}, &diagnosis{"the import specifier is empty", ""}
	case strings.ContainsRune(s, 0):
		return target{}, &diagnosis{fmt.Sprintf("the import specifier %q contains a NUL", s), ""}
	case isRelative(s):
		return r.relative(importer, s)
	case strings.HasPrefix(s, "/"):
		return target{}, &diagnosis{
			fmt.Sprintf("cannot import the absolute path %q", s),
			"import files of the repository by a relative path",
		}
	case strings.HasPrefix(s, "#") && importer.form != formSynthetic:
		return r.internal(importer, s, q.require)
	}
	if t, d, ok := r.provided(importer, s); ok {
		return t, d
	}
	if scheme, _, found := strings.Cut(s, ":"); found {
		return target{}, r.unknownScheme(s, scheme)
	}
	if importer.form != formSynthetic {
		if t, d, ok := r.committed(importer, s, q.require); ok {
			return t, d
		}
	}
	return target{}, r.unknown(importer, s)
}

func isRelative(specifier string) bool {
	return specifier == "." || specifier == ".." || strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../")
}

// provided resolves to a synthetic module. ok is false when the specifier is none and lies in no
// scope of them. Code of a package may name a built-in module of Node without its scheme, as in Node,
// where it also wins over a package of that name. The repository's own code may not, since the
// declarations that it is checked against have the full names only.
func (r *resolver) provided(importer target, specifier string) (t target, d *diagnosis, ok bool) {
	for _, name := range []string{specifier, "node:" + specifier} {
		exists, listed := r.synthetic.has(name)
		if !exists {
			continue
		}
		if name != specifier && !importer.inPackage() {
			return target{}, &diagnosis{
				fmt.Sprintf("cannot import %q: built-in modules have their full names here", specifier),
				fmt.Sprintf("did you mean %q?", name),
			}, true
		}
		if !listed && importer.form != formSynthetic {
			return target{}, &diagnosis{fmt.Sprintf("module %q is internal and cannot be imported here", specifier), ""}, true
		}
		return target{formSynthetic, name}, nil, true
	}
	if r.synthetic.from.Scope(specifier) {
		return target{}, r.unknownInScope(specifier), true
	}
	return target{}, nil, false
}

// relative resolves a path. Files of the repository are named in full; inside a package the
// extension may be missing, as for require in Node.
func (r *resolver) relative(importer target, specifier string) (target, *diagnosis) {
	if importer.form == formSynthetic {
		return target{}, &diagnosis{fmt.Sprintf("synthetic module %q imports the path %q", importer.name, specifier), ""}
	}
	name := path.Join(path.Dir(importer.name), specifier)
	if name == ".." || strings.HasPrefix(name, "../") {
		return target{}, &diagnosis{
			fmt.Sprintf("%q leaves the repository", specifier),
			"only files of the repository can be imported",
		}
	}
	if importer.inPackage() {
		if found, ok := r.lenient(name); ok {
			return target{formSource, found}, nil
		}
	}
	return r.file(name, specifier)
}

// file resolves to exactly the named file.
func (r *resolver) file(name, specifier string) (target, *diagnosis) {
	info, err := fs.Lstat(r.tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return target{}, r.missing(name, specifier)
	case err != nil:
		return target{}, &diagnosis{fmt.Sprintf("cannot read %q: %v", specifier, err), "only regular files can be imported"}
	case info.IsDir():
		return target{}, r.folder(name, specifier)
	case !info.Mode().IsRegular():
		return target{}, &diagnosis{
			fmt.Sprintf("cannot import %q: it is %s", specifier, describeMode(info.Mode())),
			"only regular files can be imported",
		}
	case strings.HasSuffix(specifier, "/"):
		return target{}, &diagnosis{fmt.Sprintf("cannot import %q: it is a file, not a folder", specifier), "remove the slash at the end"}
	}
	return target{formSource, name}, nil
}

// isFile reports whether name is a regular file.
func (r *resolver) isFile(name string) bool {
	info, err := fs.Lstat(r.tree, name)
	return err == nil && info.Mode().IsRegular()
}

func describeMode(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeSymlink:
		return "a symbolic link"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		return "a device"
	case fs.ModeIrregular:
		return "not a file (a submodule?)"
	}
	return "not a regular file"
}

package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// manifest is the part of a package.json that resolution reads.
type manifest struct {
	Type    string       `json:"type"`
	Main    string       `json:"main"`
	Module  string       `json:"module"`
	Exports *exportsTree `json:"exports"`
	Imports *exportsTree `json:"imports"`
}

// committed resolves a bare specifier to a package in a node_modules folder of the importer's folder
// or one above it. ok is false when there is no such package.
func (r *resolver) committed(importer target, specifier string, require bool) (t target, d *diagnosis, ok bool) {
	name, subpath := splitPackage(specifier)
	if name == "" {
		return target{}, nil, false
	}
	for dir := path.Dir(importer.name); ; dir = path.Dir(dir) {
		if path.Base(dir) != "node_modules" {
			root := path.Join(dir, "node_modules", name)
			if info, err := fs.Stat(r.tree, root); err == nil && info.IsDir() {
				t, d := r.inRoot(root, specifier, subpath, require)
				return t, d, true
			}
		}
		if dir == "." {
			return target{}, nil, false
		}
	}
}

// splitPackage splits "name/sub/path" and "@scope/name/sub/path"; the subpath is "." or starts with
// "./". The name is empty when the specifier cannot name a package.
func splitPackage(specifier string) (name, subpath string) {
	parts := strings.SplitN(specifier, "/", 2)
	if strings.HasPrefix(specifier, "@") {
		parts = strings.SplitN(specifier, "/", 3)
		if len(parts) < 2 || parts[1] == "" {
			return "", ""
		}
		parts = append([]string{parts[0] + "/" + parts[1]}, parts[2:]...)
	}
	name = parts[0]
	if name == "" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.Contains(name, `\`) {
		return "", ""
	}
	if len(parts) == 1 || parts[1] == "" {
		return name, "."
	}
	return name, "./" + parts[1]
}

// inRoot resolves a subpath of the package in folder root.
func (r *resolver) inRoot(root, specifier, subpath string, require bool) (target, *diagnosis) {
	m, d := r.manifest(root)
	if d != nil {
		return target{}, d
	}
	if m.Exports != nil && !m.Exports.isNull {
		return r.exported(root, specifier, subpath, m.Exports, require)
	}
	candidates := []string{subpath}
	if subpath == "." {
		candidates = candidates[:0]
		if m.Module != "" && !require {
			candidates = append(candidates, m.Module)
		}
		if m.Main != "" {
			candidates = append(candidates, m.Main)
		}
		candidates = append(candidates, "index")
	}
	for _, c := range candidates {
		name := path.Join(root, c)
		if !strings.HasPrefix(name, root+"/") {
			continue
		}
		if found, ok := r.lenient(name); ok {
			return target{formSource, found}, nil
		}
	}
	return target{}, &diagnosis{
		fmt.Sprintf("cannot find %q: package %s has no file %s", specifier, root, strings.Join(candidates, ", ")),
		"commit the package with its built files",
	}
}

// manifest reads a package.json; a package without one has the zero manifest.
func (r *resolver) manifest(root string) (manifest, *diagnosis) {
	var m manifest
	name := path.Join(root, "package.json")
	data, err := fs.ReadFile(r.tree, name)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(bytes.TrimPrefix(data, []byte(byteOrderMark)), &m)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return m, &diagnosis{fmt.Sprintf("cannot read %s: %v", name, err), ""}
	}
	return m, nil
}

// exported resolves a subpath by "exports".
func (r *resolver) exported(root, specifier, subpath string, exports *exportsTree, require bool) (target, *diagnosis) {
	tree := exports
	if !exports.isObject || len(exports.keys) > 0 && !strings.HasPrefix(exports.keys[0], ".") {
		tree = &exportsTree{isObject: true, keys: []string{"."}, values: []*exportsTree{exports}}
	}
	value, star, ok := tree.match(subpath)
	if ok {
		wanted := conditions(require)
		found, ok := value.choose(wanted, star)
		if !ok && require {
			found, ok = value.choose(conditions(false), star)
		}
		if ok {
			return r.packageFile(root, specifier, found)
		}
	}
	d := &diagnosis{message: fmt.Sprintf("package %s does not export %q", root, subpath)}
	if len(tree.keys) > 0 {
		d.hint = `"exports" in its package.json has: ` + strings.Join(tree.keys, ", ")
	}
	return target{}, d
}

// packageFile resolves a target of "exports" or "imports", a path that starts with "./".
func (r *resolver) packageFile(root, specifier, found string) (target, *diagnosis) {
	name := path.Join(root, found)
	if !strings.HasPrefix(found, "./") || root != "." && !strings.HasPrefix(name, root+"/") {
		return target{}, &diagnosis{fmt.Sprintf("package.json of %s sends %q to %q, which is not inside the package", root, specifier, found), ""}
	}
	if !r.isFile(name) {
		return target{}, &diagnosis{
			fmt.Sprintf("cannot find %q: package.json of %s sends it to %q, which is not in this commit", specifier, root, found),
			"commit the package with its built files",
		}
	}
	return target{formSource, name}, nil
}

// internal resolves "#name" by "imports" of the nearest package.json.
func (r *resolver) internal(importer target, specifier string, require bool) (target, *diagnosis) {
	root := r.packageRoot(importer.name)
	if root == "" {
		return target{}, &diagnosis{fmt.Sprintf("cannot find %q: no package.json above %s", specifier, importer.name), ""}
	}
	m, d := r.manifest(root)
	if d != nil {
		return target{}, d
	}
	if m.Imports != nil {
		if value, star, ok := m.Imports.match(specifier); ok {
			if found, ok := value.choose(conditions(require), star); ok {
				if strings.HasPrefix(found, "./") {
					return r.packageFile(root, specifier, found)
				}
				if !strings.HasPrefix(found, "#") && !isRelative(found) {
					return r.locate(importer, request{specifier: found, require: require})
				}
			}
		}
	}
	return target{}, &diagnosis{
		fmt.Sprintf("cannot find %q", specifier),
		fmt.Sprintf(`"imports" of %s does not have it`, path.Join(root, "package.json")),
	}
}

// packageRoot finds the nearest folder at or above a file that has a package.json, but not beyond a
// node_modules folder; "" when there is none.
func (r *resolver) packageRoot(name string) string {
	for dir := path.Dir(name); path.Base(dir) != "node_modules"; dir = path.Dir(dir) {
		if r.isFile(path.Join(dir, "package.json")) {
			return dir
		}
		if dir == "." {
			break
		}
	}
	return ""
}

// lenient finds a file of a package by a name that may lack its extension or be a folder.
func (r *resolver) lenient(name string) (string, bool) {
	extensions := []string{"", ".js", ".mjs", ".cjs", ".json", ".ts", ".mts"}
	for _, e := range extensions {
		if r.isFile(name + e) {
			return name + e, true
		}
	}
	if m, d := r.manifest(name); d == nil && m.Main != "" {
		if inner := path.Join(name, m.Main); strings.HasPrefix(inner, name+"/") {
			for _, e := range extensions {
				if r.isFile(inner + e) {
					return inner + e, true
				}
			}
		}
	}
	for _, e := range extensions[1:] {
		if r.isFile(path.Join(name, "index"+e)) {
			return path.Join(name, "index"+e), true
		}
	}
	return "", false
}

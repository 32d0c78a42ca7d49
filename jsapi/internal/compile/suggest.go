package compile

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// missing explains a relative import of a file that is not there, with the file that was probably
// meant.
func (r *resolver) missing(name, specifier string) *diagnosis {
	if meant := r.extended(name); meant != "" {
		message := fmt.Sprintf("cannot find %q", specifier)
		if path.Ext(name) == "" {
			message = fmt.Sprintf("import %q lacks its file extension", specifier)
		}
		return &diagnosis{message, "did you mean " + quoteRelative(specifier, name, meant) + "?"}
	}
	d := &diagnosis{message: fmt.Sprintf("cannot find %q: there is no %s in this commit", specifier, name)}
	if near := r.nearby(name); near != "" {
		d.hint = "did you mean " + quoteRelative(specifier, name, near) + "?"
	} else if strings.Contains(specifier, `\`) {
		d.hint = "paths are written with /"
	}
	return d
}

// extended finds the file that is meant by a name without extension, or with the extension that
// TypeScript's output would have.
func (r *resolver) extended(name string) string {
	stems := []string{name}
	if e := path.Ext(name); e == ".js" || e == ".mjs" || e == ".jsx" || e == ".cjs" {
		stems = append(stems, strings.TrimSuffix(name, e))
	}
	for _, stem := range stems {
		for _, e := range append(slices.Clone(sourceExtensions), jsonExtension) {
			if r.isFile(stem + e) {
				return stem + e
			}
		}
	}
	return ""
}

// folder explains the import of a folder.
func (r *resolver) folder(name, specifier string) *diagnosis {
	d := &diagnosis{message: fmt.Sprintf("cannot import the folder %q", specifier), hint: "import one of its files"}
	if meant := r.extended(name); meant != "" {
		d.hint = "did you mean " + quoteRelative(specifier, name, meant) + "?"
		return d
	}
	for _, stem := range []string{"index", "server", "mod", "main"} {
		if meant := r.extended(path.Join(name, stem)); meant != "" {
			d.hint = "did you mean " + quoteRelative(specifier, name, meant) + "?"
			return d
		}
	}
	return d
}

// nearby finds the file in the same folder whose name differs least, if it differs little.
func (r *resolver) nearby(name string) string {
	entries, err := fs.ReadDir(r.tree, path.Dir(name))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	if near := nearest(path.Base(name), names); near != "" {
		return path.Join(path.Dir(name), near)
	}
	return ""
}

// quoteRelative writes the specifier that names meant, where specifier stood for name.
func quoteRelative(specifier, name, meant string) string {
	clean := strings.TrimRight(specifier, "/")
	if rest, ok := strings.CutPrefix(meant, name); ok {
		return fmt.Sprintf("%q", clean+rest)
	}
	dir, _ := path.Split(clean)
	return fmt.Sprintf("%q", dir+path.Base(meant))
}

// unknown explains a bare specifier that nothing provides.
func (r *resolver) unknown(importer target, specifier string) *diagnosis {
	d := &diagnosis{message: fmt.Sprintf("cannot find module %q", specifier)}
	beside := path.Join(path.Dir(importer.name), specifier)
	if importer.form != formSynthetic && (r.isFile(beside) || r.extended(beside) != "") {
		meant := beside
		if !r.isFile(beside) {
			meant = r.extended(beside)
		}
		d.hint = fmt.Sprintf("did you mean %q?", "./"+strings.TrimPrefix(meant, strings.TrimPrefix(path.Dir(importer.name)+"/", "./")))
		return d
	}
	d.hint = fmt.Sprintf("commit the package under node_modules, or use one of the modules there are: %s", strings.Join(r.synthetic.names(), ", "))
	if near := nearest(specifier, r.synthetic.names()); near != "" {
		d.hint = fmt.Sprintf("did you mean %q? %s", near, d.hint)
	}
	return d
}

// unknownInScope explains a specifier in a scope that only synthetic modules live in.
func (r *resolver) unknownInScope(specifier string) *diagnosis {
	d := &diagnosis{message: fmt.Sprintf("there is no module %q", specifier)}
	top := strings.SplitAfterN(specifier, "/", 2)[0]
	if scheme, _, ok := strings.Cut(specifier, ":"); ok {
		top = scheme + ":"
	}
	var names []string
	for _, name := range r.synthetic.names() {
		if strings.HasPrefix(name, top) || name == strings.TrimSuffix(top, "/") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = r.synthetic.names()
	}
	d.hint = "there are: " + strings.Join(names, ", ")
	if near := nearest(specifier, names); near != "" {
		d.hint = fmt.Sprintf("did you mean %q? %s", near, d.hint)
	}
	return d
}

// unknownScheme explains a specifier that looks like a URL.
func (r *resolver) unknownScheme(specifier, scheme string) *diagnosis {
	switch scheme {
	case "node":
		return r.unknownInScope(specifier)
	case "npm", "jsr":
		return &diagnosis{
			fmt.Sprintf("cannot import %q: packages are not downloaded", specifier),
			"commit the package under node_modules and import it by its name",
		}
	case "file":
		return &diagnosis{
			fmt.Sprintf("cannot import the URL %q", specifier),
			"import files of the repository by a relative path",
		}
	}
	return &diagnosis{
		fmt.Sprintf("cannot import the URL %q", specifier),
		"commit the file and import it by a relative path",
	}
}

// nearest returns the candidate with the smallest edit distance to name, the first of equals, if the
// distance is at most a third of the name; letter case counts for nothing.
func nearest(name string, candidates []string) string {
	best, limit := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate), limit); d < limit {
			best, limit = candidate, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions and replacements of bytes between a and b (the
// Levenshtein distance). It may stop and return limit when the result is not below it.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}

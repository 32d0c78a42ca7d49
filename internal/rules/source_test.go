package rules

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is the path of the repository's module.
const module = "github.com/seed-d579e5eb/harness"

// text is a file of the repository.
type text struct {
	path    string // from the root of the repository, with slashes
	content []byte
}

// folder is the folder that a file lies in, from the root of the repository.
func (f text) folder() string { return path.Dir(f.path) }

// source is a parsed Go file.
type source struct {
	text
	syntax *ast.File
	set    *token.FileSet
}

// test says whether the file is part of its package's tests only.
func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// at is where a node stands, in the form that editors open.
func (s source) at(node ast.Node) string { return s.set.Position(node.Pos()).String() }

// notOurs are the folders that no rule looks into: what git and npm keep there,
// and what the Makefile builds.
var notOurs = []string{".git", "node_modules", "bin", "world"}

// texts returns the files of the repository whose extension is one of ext, or all
// of them, by path.
func texts(t *testing.T, ext ...string) []text {
	t.Helper()
	const root = "../.."
	var found []text
	walk := func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		switch {
		case entry.IsDir() && slices.Contains(notOurs, relative):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || len(ext) > 0 && !slices.Contains(ext, path.Ext(relative)):
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found = append(found, text{path: relative, content: content})
		return nil
	}
	if err := filepath.WalkDir(root, walk); err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no files with the extensions %q", ext)
	}
	return found
}

// sources returns the Go files of the repository, by path.
func sources(t *testing.T) []source {
	t.Helper()
	set := token.NewFileSet()
	var parsed []source
	for _, file := range texts(t, ".go") {
		syntax, err := parser.ParseFile(set, file.path, file.content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, source{text: file, syntax: syntax, set: set})
	}
	return parsed
}

// packages returns the Go files by folder.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	byFolder := make(map[string][]source)
	for _, file := range sources(t) {
		byFolder[file.folder()] = append(byFolder[file.folder()], file)
	}
	return byFolder
}

// generatedLine is the mark of https://go.dev/s/generatedcode.
var generatedLine = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// generated says whether a program wrote the file.
func (f text) generated() bool {
	return generatedLine.Match(f.content) || strings.HasPrefix(f.path, "jsapi/modules/dts/types/")
}

// line returns the number of the line that an offset of the file is in.
func (f text) line(offset int) int { return 1 + bytes.Count(f.content[:offset], []byte("\n")) }

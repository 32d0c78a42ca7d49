package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// Kind says what a module is and how it is run; see the package documentation.
type Kind int

const (
	KindSource    Kind = iota // an ECMAScript module
	KindCommonJS              // a script that assigns to exports or module.exports
	KindJSON                  // a value
	KindText                  // a string
	KindSynthetic             // a module that is not in the tree
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case KindSource:
		return "source"
	case KindCommonJS:
		return "commonjs"
	case KindJSON:
		return "json"
	case KindText:
		return "text"
	case KindSynthetic:
		return "synthetic"
	}
	return fmt.Sprintf("kind(%d)", int(k))
}

// Module is one compiled module. It is immutable and shared: by graphs, runtimes and goroutines.
type Module struct {
	// ID tells modules of one tree apart: the path of a source or JSON file, "text:" and the path of
	// a file imported as text, "synthetic:" and the specifier of a module that is not in the tree.
	ID   string
	Kind Kind
	// Path is the slash-separated path in the tree; empty for KindSynthetic.
	Path string
	// Program evaluates to the module's function; nil for KindJSON, KindText and a synthetic module
	// that the runtime supplies.
	Program *goja.Program
	// Data is the content of a JSON or text file, valid UTF-8 and, for JSON, valid JSON.
	Data []byte
	// Imports maps the specifiers of the source to IDs of modules of the graph. A specifier that a
	// CommonJS package requires and nothing provides is absent.
	Imports map[string]string
	// Source is the module's text as it was in the tree.
	Source string
	// Hash identifies the content, in hexadecimal.
	Hash string

	unit *unit
}

// Graph is a module and everything it imports, statically or by import() of a literal. It is
// immutable and safe to share.
type Graph struct {
	// Entry is the ID of the module the graph was made for.
	Entry string
	// Modules holds each module once, imported ones before their importers as far as cycles allow:
	// the order in which they would run. It ends with the entry.
	Modules []*Module
	// Hash identifies the graph: paths, contents and resolution, in hexadecimal. Graphs with equal
	// hashes behave the same.
	Hash string
}

// Module returns the module with the ID, or nil.
func (g *Graph) Module(id string) *Module {
	for _, m := range g.Modules {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// Problem makes a problem of a position that the engine reported for code of the graph, with the
// source line there. file is as in a stack: a path, perhaps percent-encoded, or a specifier.
func (g *Graph) Problem(file string, line, column int, message string) Problem {
	p := Problem{File: file, Line: line, Column: column, Message: message}
	decoded, err := url.PathUnescape(file)
	for _, m := range g.Modules {
		name := parseID(m.ID).name
		if m.Program == nil || name != file && (err != nil || name != decoded) {
			continue
		}
		p.File = name
		if lines := strings.Split(parseable(m.Source), "\n"); line > 0 && line <= len(lines) {
			p.Text = strings.TrimSuffix(lines[line-1], "\r")
		}
		break
	}
	return p
}

// graphHash identifies modules and how they are linked. Fields are quoted, so that no two graphs
// write the same bytes.
func graphHash(entry string, modules []*Module) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", entry)
	for _, m := range modules {
		fmt.Fprintf(h, "%q %d %s\n", m.ID, m.Kind, m.Hash)
		for _, specifier := range slices.Sorted(maps.Keys(m.Imports)) {
			fmt.Fprintf(h, "\t%q %q\n", specifier, m.Imports[specifier])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

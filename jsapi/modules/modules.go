// Package modules holds the synthetic modules: what an extension can import
// without committing it, written in TypeScript, and their declarations for
// editors and for tsc.
//
// A module lives in src under its specifier: typebox/value in
// src/typebox/value.ts, node:path in src/node/path.ts. Modules import each other
// by specifier. Three kinds of specifiers are theirs alone: harness:internal/*
// in src/internal, and [Native], which the runtime supplies.
package modules

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:generate ./generate.sh

//go:embed all:src
var sources embed.FS

//go:embed all:dts
var declarations embed.FS

// Native is the specifier of the object by which the modules reach the host. It
// has no source: the runtime supplies an object with the members that
// src/internal/native.d.ts declares, as the only export, named native.
const Native = "harness:native"

const internal = "harness:internal/"

// Names returns the specifiers that an extension may import, sorted.
func Names() []string {
	var names []string
	for _, specifier := range specifiers() {
		if !Internal(specifier) {
			names = append(names, specifier)
		}
	}
	return names
}

// Internal reports whether only synthetic modules may import specifier.
func Internal(specifier string) bool {
	return specifier == Native || strings.HasPrefix(specifier, internal)
}

// Source returns the TypeScript of a module, also of an internal one, and false
// when there is none. The caller may change the slice.
func Source(specifier string) ([]byte, bool) {
	if !Scope(specifier) {
		return nil, false
	}
	name := strings.Replace(strings.TrimPrefix(specifier, "harness:"), "node:", "node/", 1)
	if path.Clean(name) != name {
		return nil, false
	}
	source, err := sources.ReadFile("src/" + name + ".ts")
	if err != nil || specifierOf(name) != specifier {
		return nil, false
	}
	return source, true
}

// Exports returns what a module without source exports: that is [Native] alone.
func Exports(specifier string) ([]string, bool) {
	if specifier == Native {
		return []string{"native"}, true
	}
	return nil, false
}

// Scope reports whether specifier belongs to the synthetic modules: an unknown
// one is an error then, also when a package of that name is committed.
func Scope(specifier string) bool {
	if strings.HasPrefix(specifier, "harness:") || strings.HasPrefix(specifier, "node:") {
		return true
	}
	scope, _, _ := strings.Cut(specifier, "/")
	return scope == "@earendil-works" || scope == "harness" || scope == "typebox"
}

// Declarations returns the tree that makes a world's repository known to
// editors and to tsc: tsconfig.json, and the declarations in types.
func Declarations() fs.FS {
	tree, err := fs.Sub(declarations, "dts")
	if err != nil {
		// fs.Sub fails for an invalid path only, and this one is constant.
		panic(err)
	}
	return tree
}

func specifiers() []string {
	var found []string
	walk := func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && strings.HasSuffix(file, ".ts") && !strings.HasSuffix(file, ".d.ts") {
			found = append(found, specifierOf(strings.TrimSuffix(strings.TrimPrefix(file, "src/"), ".ts")))
		}
		return nil
	}
	if err := fs.WalkDir(sources, "src", walk); err != nil {
		// An embedded tree is in memory: reading it cannot fail.
		panic(err)
	}
	slices.Sort(found)
	return found
}

// specifierOf returns what imports the module in src/name.ts.
func specifierOf(name string) string {
	if rest, ok := strings.CutPrefix(name, "internal/"); ok {
		return internal + rest
	}
	if rest, ok := strings.CutPrefix(name, "node/"); ok {
		return "node:" + rest
	}
	return name
}

// Package world is the example world: a repository of extensions that people
// use and learn from. A new world starts as a copy of it, and tests load it.
package world

import (
	"embed"
	"io/fs"
)

//go:embed all:root
var files embed.FS

// Files returns the tree that becomes the root of a world. The repository is in
// src/sausage, as a checkout without .git.
func Files() fs.FS {
	tree, err := fs.Sub(files, "root")
	if err != nil {
		// fs.Sub fails for an invalid path only, and this one is constant.
		panic(err)
	}
	return tree
}

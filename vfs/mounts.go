package vfs

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// mount is a read-only tree or a synthetic file at a world path.
type mount struct {
	at    string
	tree  fs.FS                  // nil for a synthetic file
	bytes func() ([]byte, error) // nil for a tree
	since time.Time
}

// mountTable is immutable: a change makes a new one, so that lookups take no lock.
type mountTable struct {
	mounts []*mount            // oldest first; a later one hides an earlier one at the same path
	at     map[string]*mount   // what is visible
	below  map[string][]string // directory → sorted names of mount points, and of directories on the way to one
}

func newMountTable(mounts []*mount) *mountTable {
	t := &mountTable{mounts: mounts, at: map[string]*mount{}, below: map[string][]string{}}
	for _, m := range mounts {
		t.at[m.at] = m
		for p := m.at; p != "/"; p = path.Dir(p) {
			parent, name := path.Dir(p), path.Base(p)
			names := t.below[parent]
			if i, found := slices.BinarySearch(names, name); !found {
				t.below[parent] = slices.Insert(names, i, name)
			}
		}
	}
	return t
}

func (t *mountTable) with(m *mount) *mountTable {
	return newMountTable(append(slices.Clone(t.mounts), m))
}

func (t *mountTable) without(m *mount) *mountTable {
	return newMountTable(slices.DeleteFunc(slices.Clone(t.mounts), func(other *mount) bool { return other == m }))
}

// lookup finds the mount that covers a cleaned world path and the path inside it
// in the form of io/fs; nil when the path belongs to the disk.
func (t *mountTable) lookup(p string) (*mount, string) {
	for at := p; ; at = above(at) {
		if m := t.at[at]; m != nil {
			if rel := strings.TrimPrefix(strings.TrimPrefix(p, at), "/"); rel != "" {
				return m, rel
			}
			return m, "."
		}
		if at == "/" {
			return nil, ""
		}
	}
}

// above is the directory that holds a cleaned path, which is not cleaned again.
func above(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 1)] }

// implied reports whether p is a directory because a mount lies below it.
func (t *mountTable) implied(p string) bool { return len(t.below[p]) > 0 }

// kind says what the name that below lists is.
func (t *mountTable) kind(p string) Kind {
	if m := t.at[p]; m != nil && m.tree == nil {
		return KindFile
	}
	return KindDirectory
}

// emptyTree is a directory with nothing in it.
type emptyTree struct{ since time.Time }

var _ fs.ReadDirFS = emptyTree{}

func (e emptyTree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return newDirFile(&info{name: ".", mode: fs.ModeDir | 0o555, modTime: e.since}, nil), nil
}

func (e emptyTree) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return nil, nil
}

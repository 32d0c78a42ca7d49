package worktree

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
)

// kind is what an entry of a tree is.
type kind uint8

const (
	regular kind = iota + 1
	executable
	symlink
	submodule
	folder
)

// mode is what an entry of this kind looks like in a read-only file tree.
func (k kind) mode() fs.FileMode {
	switch k {
	case executable:
		return 0o555
	case symlink:
		return fs.ModeSymlink | 0o777
	case submodule:
		return fs.ModeIrregular
	case folder:
		return fs.ModeDir | 0o555
	default:
		return 0o444
	}
}

// kinds are the modes that git writes, and 100664, which it wrote long ago.
var kinds = map[string]kind{
	"100644": regular,
	"100664": regular,
	"100755": executable,
	"120000": symlink,
	"160000": submodule,
	"40000":  folder,
	"040000": folder,
}

// tree is one folder. Once its load has ended it never changes, and snapshots
// share it.
type tree struct {
	hash    Hash
	entries []entry // sorted by name
	files   int64   // in it and below
	bytes   int64   // in it and below
	counted bool
}

// entry is one name in a folder.
type entry struct {
	name string
	kind kind
	hash Hash
	data []byte // of a file; the target of a link
	tree *tree  // of a folder
}

func (e *entry) hasBlob() bool {
	return e.kind == regular || e.kind == executable || e.kind == symlink
}

// find gives the entry of a name, or nil; a nil tree has none.
func (t *tree) find(name string) *entry {
	if t == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(t.entries, name, func(e entry, name string) int { return strings.Compare(e.name, name) })
	if !found {
		return nil
	}
	return &t.entries[i]
}

// count adds up what is in a tree and below it, once for each tree.
func (t *tree) count() {
	if t.counted {
		return
	}
	t.counted = true
	for i := range t.entries {
		e := &t.entries[i]
		if e.kind != folder {
			t.files = saturated(t.files, 1)
			t.bytes = saturated(t.bytes, int64(len(e.data)))
			continue
		}
		e.tree.count()
		t.files = saturated(t.files, e.tree.files)
		t.bytes = saturated(t.bytes, e.tree.bytes)
	}
}

// saturated adds sizes that a commit of folders that share one another can drive
// past any number.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// parseTree reads a tree object: "<mode> <name>\0<20 bytes of id>", again and again
// (gitformat-pack(5) and Documentation/technical in git describe it in passing).
func parseTree(hash Hash, at string, data []byte) ([]entry, error) {
	entries := make([]entry, 0, bytes.Count(data, []byte{0})/2+1)
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte(" "))
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(rest) < len(Hash{}) {
			return nil, &CorruptObjectError{Object: hash, Kind: "tree", Path: at, Err: errors.New("it ends inside an entry")}
		}
		e := entry{name: string(name), kind: kinds[string(mode)], hash: Hash(rest[:len(Hash{})])}
		data = rest[len(Hash{}):]
		if reason := refuseName(e.name); reason != "" {
			return nil, &EntryError{Path: at, Name: e.name, Reason: reason}
		}
		if e.kind == 0 {
			return nil, &EntryError{Path: at, Name: e.name, Reason: "its mode " + string(mode) + " has no meaning"}
		}
		entries = append(entries, e)
	}
	// Git sorts a folder as if its name ended in a slash; file trees do not.
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(entries); i++ {
		if entries[i].name == entries[i-1].name {
			return nil, &EntryError{Path: at, Name: entries[i].name, Reason: "the name is there twice"}
		}
	}
	return entries, nil
}

// refuseName says why a name must not be written to a disk. A NUL cannot occur: it ends the name.
func refuseName(name string) string {
	switch {
	case name == "":
		return "it has no name"
	case name == "." || name == "..":
		return "it would name another folder"
	case strings.EqualFold(name, ".git"):
		return "it would pass for a repository"
	case strings.Contains(name, "/"):
		return "a name holds no slash"
	}
	return ""
}

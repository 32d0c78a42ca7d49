package vfs

import (
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// snapshot tells the entries of a directory, or one file, from what they were before.
type snapshot map[string]signature

// signature changes when a file does. A directory's is that of its identity alone:
// what happens in it is not a change of it.
type signature struct {
	device, inode uint64
	size          int64
	seconds, nano int64
	mode          fs.FileMode
	content       uint64 // of a synthetic file
}

func (w *World) snapshot(p string) snapshot {
	about, err := w.Stat(p)
	if err != nil {
		about, err = w.Lstat(p)
	}
	if err != nil {
		return nil
	}
	if !about.IsDir() {
		return snapshot{path.Base(p): w.signature(p, about)}
	}
	entries, err := w.List(p)
	if err != nil {
		return nil
	}
	shot := snapshot{}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name, temporaryPrefix) {
			continue
		}
		at := path.Join(p, entry.Name)
		if about, err := w.Lstat(at); err == nil {
			shot[entry.Name] = w.signature(at, about)
		}
	}
	return shot
}

func (w *World) signature(p string, about fs.FileInfo) signature {
	s := signature{mode: about.Mode()}
	st, onDisk := about.Sys().(*unix.Stat_t)
	if onDisk {
		s.device, s.inode = uint64(st.Dev), st.Ino
	}
	if about.IsDir() {
		return s
	}
	s.size = about.Size()
	if onDisk {
		s.seconds, s.nano = st.Mtim.Unix()
		return s
	}
	if data, err := w.Read(p); err == nil {
		sum := fnv.New64a()
		_, _ = sum.Write(data)
		s.content = sum.Sum64()
	}
	return s
}

func (s snapshot) equal(other snapshot) bool { return maps.Equal(s, other) }

// compare lists what differs in now, in order of name. A name in written has changed
// although its signature may not tell: clocks of file systems are coarse.
func (s snapshot) compare(now snapshot, written map[string]bool) []Change {
	names := slices.Sorted(maps.Keys(now))
	for name := range s {
		if _, kept := now[name]; !kept {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var changes []Change
	for _, name := range names {
		old, before := s[name]
		new, after := now[name]
		switch {
		case !before:
			changes = append(changes, Change{Kind: "create", Name: name})
		case !after:
			changes = append(changes, Change{Kind: "remove", Name: name})
		case old != new || written[name]:
			changes = append(changes, Change{Kind: "change", Name: name})
		}
	}
	return changes
}

package vfs

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// Read returns what the file at p holds. A directory is EISDIR; a FIFO, socket or
// device EINVAL; a file larger than Options.MaxRead EFBIG. The bytes are the caller's.
func (w *World) Read(p string) ([]byte, error) {
	return reading(w, "open", p, true, w.readDisk, w.readMounted)
}

// List returns the names in a directory, sorted, mounts included.
func (w *World) List(p string) ([]Entry, error) {
	return reading(w, "scandir", p, true, w.listDisk, w.listMounted)
}

// Stat describes what p leads to. Sys of the result is a *unix.Stat_t for what is on
// the disk.
func (w *World) Stat(p string) (fs.FileInfo, error) {
	return reading(w, "stat", p, true, w.statDisk(0), w.statMounted)
}

// Lstat describes p itself when p is a link.
func (w *World) Lstat(p string) (fs.FileInfo, error) {
	return reading(w, "lstat", p, false, w.statDisk(unix.O_NOFOLLOW), w.lstatMounted)
}

// Readlink returns the target of the link p as written. What is no link is EINVAL.
func (w *World) Readlink(p string) (string, error) {
	return reading(w, "readlink", p, false, w.readlinkDisk, func(m *mount, rel string) (string, error) {
		if m.tree == nil {
			return "", unix.EINVAL
		}
		return fs.ReadLink(m.tree, rel)
	})
}

// reading finds out whether the disk or a mount answers for p. A link on the disk
// may lead into a mount that the disk knows nothing of, so what the disk does not
// have is looked up again with all links followed.
func reading[T any](w *World, call, p string, follow bool, disk func(p string) (T, error), mounted func(m *mount, rel string) (T, error)) (T, error) {
	var none T
	p, err := clean(call, p)
	if err != nil {
		return none, err
	}
	table := w.mounts.Load()
	m, rel := table.lookup(p)
	if m == nil {
		value, err := disk(p)
		if err == nil {
			return value, nil
		}
		if err != unix.ENOENT {
			return none, failure(call, p, err)
		}
		real, resolveErr := w.realpath(p, follow)
		if resolveErr != nil {
			return none, failure(call, p, err)
		}
		m, rel = table.lookup(real)
		if m == nil && table.implied(real) {
			m, rel = &mount{at: real, tree: emptyTree{since: table.mounts[0].since}}, "."
		}
		if m == nil {
			return none, failure(call, p, err)
		}
	}
	value, err := mounted(m, rel)
	if err != nil {
		return none, failure(call, p, err)
	}
	return value, nil
}

// openDisk opens a file or directory for reading without ever waiting on it.
func (w *World) openDisk(p string) (int, *unix.Stat_t, error) {
	return openUnwaiting(unix.O_RDONLY, func(flags int) (int, error) { return w.disk.open(p, flags, 0) })
}

func (w *World) readDisk(p string) ([]byte, error) {
	fd, st, err := w.openDisk(p)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return readAll(fd, st.Size, w.options.MaxRead)
}

func (w *World) listDisk(p string) ([]Entry, error) {
	fd, err := w.disk.open(p, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	entries, err := listFd(fd)
	if err != nil {
		return nil, err
	}
	return w.withMountPoints(p, entries), nil
}

// withMountPoints adds the names at which something is mounted to a sorted listing.
func (w *World) withMountPoints(p string, entries []Entry) []Entry {
	table := w.mounts.Load()
	names := table.below[p]
	if len(names) == 0 {
		if real, err := w.realpath(p, true); err == nil && real != p {
			p, names = real, table.below[real]
		}
	}
	for _, name := range names {
		entry := Entry{Name: name, Kind: table.kind(path.Join(p, name))}
		i, found := slices.BinarySearchFunc(entries, entry, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
		if found {
			entries[i] = entry
		} else {
			entries = slices.Insert(entries, i, entry)
		}
	}
	return entries
}

func (w *World) statDisk(flags int) func(string) (fs.FileInfo, error) {
	return func(p string) (fs.FileInfo, error) {
		fd, err := w.disk.open(p, unix.O_PATH|flags, 0)
		if err != nil {
			return nil, err
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return nil, err
		}
		return infoOf(path.Base(p), &st), nil
	}
}

func (w *World) readMounted(m *mount, rel string) ([]byte, error) {
	file, err := w.openMounted(m, rel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case about.IsDir():
		return nil, unix.EISDIR
	case !about.Mode().IsRegular():
		return nil, errNotRegular
	case about.Size() > w.options.MaxRead:
		return nil, tooLarge(w.options.MaxRead)
	}
	data, err := io.ReadAll(io.LimitReader(file, w.options.MaxRead+1))
	if err == nil && int64(len(data)) > w.options.MaxRead {
		err = tooLarge(w.options.MaxRead)
	}
	return data, err
}

// openMounted opens a file of a tree or a synthetic file.
func (w *World) openMounted(m *mount, rel string) (fs.File, error) {
	if m.tree != nil {
		return m.tree.Open(rel)
	}
	if rel != "." {
		return nil, unix.ENOTDIR
	}
	data, err := m.bytes()
	if err != nil {
		return nil, err
	}
	return &syntheticFile{
		Reader: bytes.NewReader(data),
		about:  &info{name: path.Base(m.at), size: int64(len(data)), mode: 0o444, modTime: m.since},
	}, nil
}

func (w *World) listMounted(m *mount, rel string) ([]Entry, error) {
	if m.tree == nil {
		return nil, unix.ENOTDIR
	}
	listed, err := fs.ReadDir(m.tree, rel)
	if err != nil {
		if about, statErr := fs.Stat(m.tree, rel); statErr == nil && !about.IsDir() {
			return nil, unix.ENOTDIR
		}
		return nil, err
	}
	entries := make([]Entry, 0, len(listed))
	for _, entry := range listed {
		entries = append(entries, Entry{Name: entry.Name(), Kind: KindOf(entry.Type())})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return w.withMountPoints(path.Join(m.at, rel), entries), nil
}

func (w *World) statMounted(m *mount, rel string) (fs.FileInfo, error) {
	return w.describeMounted(m, rel, fs.Stat)
}

func (w *World) lstatMounted(m *mount, rel string) (fs.FileInfo, error) {
	return w.describeMounted(m, rel, fs.Lstat)
}

func (w *World) describeMounted(m *mount, rel string, describe func(fs.FS, string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	if m.tree == nil {
		file, err := w.openMounted(m, rel)
		if err != nil {
			return nil, err
		}
		return file.Stat()
	}
	about, err := describe(m.tree, rel)
	if err != nil {
		return nil, err
	}
	return renamed{FileInfo: about, name: path.Base(path.Join(m.at, rel))}, nil
}

package vfs

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// Kind says what a directory entry is.
type Kind string

const (
	KindFile      Kind = "file"
	KindDirectory Kind = "directory"
	KindSymlink   Kind = "symlink"
	// KindOther is a FIFO, socket or device: listed, never opened.
	KindOther Kind = "other"
)

// Entry is one name in a directory.
type Entry struct {
	Name string
	Kind Kind
}

// KindOf returns the kind that mode tells of.
func KindOf(mode fs.FileMode) Kind {
	switch mode & fs.ModeType {
	case 0:
		return KindFile
	case fs.ModeDir:
		return KindDirectory
	case fs.ModeSymlink:
		return KindSymlink
	}
	return KindOther
}

// info is a file of the disk, a synthetic file, or a directory that exists only
// because something is mounted below it.
type info struct {
	name    string
	size    int64
	mode    fs.FileMode
	modTime time.Time
	stat    *unix.Stat_t
}

var _ fs.FileInfo = (*info)(nil)

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.size }
func (i *info) Mode() fs.FileMode  { return i.mode }
func (i *info) ModTime() time.Time { return i.modTime }
func (i *info) IsDir() bool        { return i.mode.IsDir() }

func (i *info) Sys() any {
	if i.stat == nil {
		return nil
	}
	return i.stat
}

func infoOf(name string, st *unix.Stat_t) *info {
	return &info{
		name:    name,
		size:    st.Size,
		mode:    modeOf(st.Mode),
		modTime: time.Unix(st.Mtim.Unix()),
		stat:    st,
	}
}

func modeOf(raw uint32) fs.FileMode {
	mode := fs.FileMode(raw & 0o777)
	switch raw & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	}
	if raw&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if raw&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if raw&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// renamed is a mounted file's description under the name the world knows it by.
type renamed struct {
	fs.FileInfo
	name string
}

func (r renamed) Name() string { return r.name }

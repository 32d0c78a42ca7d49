package vfs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The functions of this file work on one name in an open directory. They follow no
// link and return plain errno values.

// errNotRegular refuses what could block the reader or act on hardware.
var errNotRegular = explain(unix.EINVAL, "a FIFO, socket or device is not opened")

// openRegular opens a file relative to dirfd without ever waiting on it.
func openRegular(dirfd int, name string, flags int, mode uint32) (int, *unix.Stat_t, error) {
	return openUnwaiting(flags|unix.O_NOFOLLOW, func(flags int) (int, error) {
		return retry(func() (int, error) { return unix.Openat(dirfd, name, flags|unix.O_CLOEXEC, mode) })
	})
}

// openUnwaiting calls open with flags that keep it from waiting, and refuses what is
// neither file nor directory.
func openUnwaiting(flags int, open func(flags int) (int, error)) (int, *unix.Stat_t, error) {
	fd, err := open(flags | unix.O_NONBLOCK | unix.O_NOCTTY)
	if err == unix.ENXIO {
		return -1, nil, errNotRegular
	}
	if err != nil {
		return -1, nil, err
	}
	st, err := regular(fd)
	if err != nil {
		_ = unix.Close(fd)
		return -1, nil, err
	}
	return fd, st, nil
}

// regular describes an open file, and refuses what is neither file nor directory.
func regular(fd int) (*unix.Stat_t, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR:
		return &st, nil
	}
	return nil, errNotRegular
}

func lstatAt(dirfd int, name string) (*unix.Stat_t, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dirfd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	return &st, nil
}

func readlinkAt(dirfd int, name string) (string, error) {
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(dirfd, name, buf)
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

// readAll reads a file of the expected size, and no more than limit bytes of it.
func readAll(fd int, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, tooLarge(limit)
	}
	data := make([]byte, 0, size+1)
	for {
		if len(data) == cap(data) {
			data = slices.Grow(data, max(512, len(data)))
		}
		n, err := retry(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return data, nil
		}
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, tooLarge(limit)
		}
	}
}

func tooLarge(limit int64) error {
	return explain(unix.EFBIG, "the file is larger than the %d bytes that may be read at once", limit)
}

func writeAll(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := retry(func() (int, error) { return unix.Write(fd, data) })
		if err != nil {
			return clearNoSpace(err)
		}
		data = data[n:]
	}
	return nil
}

func clearNoSpace(err error) error {
	switch err {
	case unix.ENOSPC:
		return explain(unix.ENOSPC, "the disk that holds the world is full")
	case unix.EDQUOT:
		return explain(unix.EDQUOT, "the quota of the disk that holds the world is used up")
	}
	return err
}

// listFd reads an open directory; sorted by name.
func listFd(fd int) ([]Entry, error) {
	var entries []Entry
	buf := make([]byte, 32<<10)
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, buf) })
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		for rest := buf[:n]; len(rest) > 0; {
			entry, size := direntOf(rest)
			rest = rest[size:]
			switch entry.Name {
			case "", ".", "..":
				continue
			}
			if entry.Kind == "" {
				st, err := lstatAt(fd, entry.Name)
				if err == unix.ENOENT {
					continue
				}
				if err != nil {
					return nil, err
				}
				entry.Kind = KindOf(modeOf(st.Mode))
			}
			entries = append(entries, entry)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// direntOf decodes the first struct linux_dirent64 (getdents64(2)) of buf and
// returns its length. The kind is "" where the file system does not tell.
func direntOf(buf []byte) (Entry, int) {
	size := int(binary.NativeEndian.Uint16(buf[unsafe.Offsetof(unix.Dirent{}.Reclen):]))
	name := buf[unsafe.Offsetof(unix.Dirent{}.Name):size]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	entry := Entry{Name: string(name)}
	switch buf[unsafe.Offsetof(unix.Dirent{}.Type)] {
	case unix.DT_REG:
		entry.Kind = KindFile
	case unix.DT_DIR:
		entry.Kind = KindDirectory
	case unix.DT_LNK:
		entry.Kind = KindSymlink
	case unix.DT_UNKNOWN:
	default:
		entry.Kind = KindOther
	}
	return entry, size
}

func removeAt(dirfd int, name string) error {
	err := unix.Unlinkat(dirfd, name, 0)
	if err == unix.EISDIR || err == unix.EPERM {
		// POSIX lets unlink of a directory fail with EPERM; some file systems do.
		if dirErr := unix.Unlinkat(dirfd, name, unix.AT_REMOVEDIR); dirErr != unix.ENOTDIR {
			return dirErr
		}
	}
	return err
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

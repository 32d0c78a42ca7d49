package vfs

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dir is an open directory of the disk: what is mounted in the world does not show
// in it. Names are relative, slash separated and without "." and ".." (fs.ValidPath,
// but in any encoding, as on the disk);
// no link on the way of a name is followed, so everything stays below the directory
// wherever that is moved meanwhile. Methods may be called from any goroutine. The
// caller closes it.
type Dir struct {
	world *World
	file  *os.File
	conn  syscall.RawConn
	path  string
}

// FileOptions of Dir.CreateFile. The zero value makes a plain file.
type FileOptions struct {
	// Mode holds permission bits, set exactly (no umask); 0 is 0666 less the umask.
	Mode fs.FileMode
	// Sync has the data on the disk before CreateFile returns. Dir.Sync does the same for the name.
	Sync bool
}

// OpenDir opens the directory that the world path p leads to.
func (w *World) OpenDir(p string) (*Dir, error) {
	p, err := clean("open", p)
	if err != nil {
		return nil, err
	}
	fd, err := w.disk.open(p, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, failure("open", p, err)
	}
	return w.newDir(fd, p)
}

func (w *World) newDir(fd int, p string) (*Dir, error) {
	file := os.NewFile(uintptr(fd), p)
	conn, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return nil, failure("open", p, err)
	}
	return &Dir{world: w, file: file, conn: conn, path: p}, nil
}

// Path is the world path the directory was opened by.
func (d *Dir) Path() string { return d.path }

// Close releases the descriptor.
func (d *Dir) Close() error { return d.file.Close() }

// OpenDir opens a directory below d.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	var opened *Dir
	err := d.at("open", name, func(dirfd int, base string) error {
		fd, err := unix.Openat(dirfd, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		opened, err = d.world.newDir(fd, path.Join(d.path, name))
		return err
	})
	return opened, err
}

// CreateFile makes a new file; an existing name is EEXIST. Of a file that cannot be
// written whole nothing stays. The description returned is that of the open file
// after writing: its Sys, a *unix.Stat_t, is what a git index stores.
func (d *Dir) CreateFile(name string, data []byte, options FileOptions) (fs.FileInfo, error) {
	var about fs.FileInfo
	err := d.at("open", name, func(dirfd int, base string) error {
		fd, err := retry(func() (int, error) {
			return unix.Openat(dirfd, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
		})
		if err != nil {
			return clearNoSpace(err)
		}
		st, err := fill(fd, data, options)
		if closeErr := unix.Close(fd); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = unix.Unlinkat(dirfd, base, 0)
			return clearNoSpace(err)
		}
		about = infoOf(base, st)
		return nil
	})
	return about, err
}

func fill(fd int, data []byte, options FileOptions) (*unix.Stat_t, error) {
	if err := writeAll(fd, data); err != nil {
		return nil, err
	}
	if options.Mode != 0 {
		if err := unix.Fchmod(fd, uint32(options.Mode.Perm())); err != nil {
			return nil, err
		}
	}
	if options.Sync {
		if err := unix.Fsync(fd); err != nil {
			return nil, err
		}
	}
	var st unix.Stat_t
	return &st, unix.Fstat(fd, &st)
}

// Symlink makes name a link to target.
func (d *Dir) Symlink(target, name string) error {
	return d.at("symlink", name, func(dirfd int, base string) error {
		return clearNoSpace(unix.Symlinkat(target, dirfd, base))
	})
}

// Mkdir makes one directory with the permission bits of mode, less the umask.
func (d *Dir) Mkdir(name string, mode fs.FileMode) error {
	return d.at("mkdir", name, func(dirfd int, base string) error {
		return clearNoSpace(unix.Mkdirat(dirfd, base, uint32(mode.Perm())))
	})
}

// Rename moves name to toName below to, which may be d itself, and replaces a file
// that is there.
func (d *Dir) Rename(name string, to *Dir, toName string) error {
	var renamed error
	err := d.at("rename", name, func(dirfd int, base string) error {
		return to.at("rename", toName, func(toDir int, toBase string) error {
			renamed = unix.Renameat(dirfd, base, toDir, toBase)
			return nil
		})
	})
	if err != nil {
		return err
	}
	return failure("rename", path.Join(d.path, name), clearNoSpace(renamed))
}

// Remove removes a file, a link or an empty directory.
func (d *Dir) Remove(name string) error { return d.at("rm", name, removeAt) }

// RemoveAll removes a tree; what does not exist is no error.
func (d *Dir) RemoveAll(name string) error {
	return d.at("rm", name, func(dirfd int, base string) error {
		if err := removeAllAt(dirfd, base); err != unix.ENOENT {
			return err
		}
		return nil
	})
}

// Lstat describes name without following it. Sys is a *unix.Stat_t.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	var about fs.FileInfo
	err := d.at("lstat", name, func(dirfd int, base string) error {
		st, err := lstatAt(dirfd, base)
		if err == nil {
			about = infoOf(base, st)
		}
		return err
	})
	return about, err
}

// Read returns what a regular file holds, bounded by Options.MaxRead.
func (d *Dir) Read(name string) ([]byte, error) {
	var data []byte
	err := d.at("open", name, func(dirfd int, base string) error {
		fd, st, err := openRegular(dirfd, base, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		data, err = readAll(fd, st.Size, d.world.options.MaxRead)
		return err
	})
	return data, err
}

// Readlink returns the target of a link as written.
func (d *Dir) Readlink(name string) (string, error) {
	var target string
	err := d.at("readlink", name, func(dirfd int, base string) (err error) {
		target, err = readlinkAt(dirfd, base)
		return err
	})
	return target, err
}

// List returns the names in the directory, sorted.
func (d *Dir) List() ([]Entry, error) {
	var entries []Entry
	err := d.at("scandir", ".", func(dirfd int, base string) error {
		fd, err := unix.Openat(dirfd, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		entries, err = listFd(fd)
		return err
	})
	return entries, err
}

// Sync has the names in the directory on the disk before it returns.
func (d *Dir) Sync() error {
	return d.at("fsync", ".", func(dirfd int, _ string) error { return unix.Fsync(dirfd) })
}

// at runs work on the directory that holds name and the last part of name.
func (d *Dir) at(call, name string, work func(dirfd int, base string) error) error {
	where := path.Join(d.path, name)
	if !fs.ValidPath(strings.ToValidUTF8(name, "?")) || strings.IndexByte(name, 0) >= 0 {
		return &Error{Code: "EINVAL", Path: d.path, Syscall: call,
			Err: explain(unix.EINVAL, "%q is not a relative path without \".\" and \"..\"", name)}
	}
	var failed error
	err := d.conn.Control(func(fd uintptr) {
		at := int(fd)
		parents := strings.Split(name, "/")
		for _, parent := range parents[:len(parents)-1] {
			next, err := unix.Openat(at, parent, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			if at != int(fd) {
				_ = unix.Close(at)
			}
			if err != nil {
				failed = err
				return
			}
			at = next
		}
		failed = work(at, parents[len(parents)-1])
		if at != int(fd) {
			_ = unix.Close(at)
		}
	})
	if err != nil {
		return failure(call, where, unix.EBADF)
	}
	return failure(call, where, failed)
}

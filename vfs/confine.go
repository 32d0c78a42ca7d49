package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Confinement is a way to keep world paths inside the world's root.
type Confinement string

const (
	// InRoot has the kernel resolve every path with the root as "/":
	// openat2(2) with RESOLVE_IN_ROOT, Linux 5.6.
	InRoot Confinement = "openat2"
	// Stepwise follows links by hand and opens what they lead to with os.Root.
	Stepwise Confinement = "os.Root"
)

// resolveTries bounds how often a path is resolved anew because something on it
// was renamed meanwhile.
const resolveTries = 1000

// resolver opens paths below one directory as if that directory were "/".
type resolver interface {
	// open opens a cleaned world path close-on-exec. Links resolve inside the root,
	// the last one too unless flags has O_NOFOLLOW. The caller owns the descriptor.
	open(p string, flags int, mode uint32) (int, error)
	close() error
}

var (
	_ resolver = (*inRoot)(nil)
	_ resolver = (*stepwise)(nil)
)

type inRoot struct {
	root *os.File
	// conn keeps the descriptor from being closed, and its number reused, during a call.
	conn syscall.RawConn
}

func openInRoot(root string) (*inRoot, error) {
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), root)
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r := &inRoot{root: file, conn: conn}
	probe, err := r.open("/", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, unix.Close(probe)
}

func (r *inRoot) open(p string, flags int, mode uint32) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC),
		Mode:    uint64(mode),
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
	}
	opened, failed := -1, error(unix.EAGAIN)
	err := r.conn.Control(func(root uintptr) {
		for range resolveTries {
			opened, failed = unix.Openat2(int(root), p, &how)
			switch failed {
			case unix.EAGAIN:
				// A rename anywhere on the machine while ".." was being resolved.
				runtime.Gosched()
			case unix.EINTR:
			default:
				return
			}
		}
	})
	if err != nil {
		return -1, unix.EBADF
	}
	return opened, failed
}

func (r *inRoot) close() error { return r.root.Close() }

type stepwise struct{ root *os.Root }

func openStepwise(root string) (*stepwise, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return &stepwise{root: r}, nil
}

func (r *stepwise) open(p string, flags int, mode uint32) (int, error) {
	for range resolveTries {
		fd, err := r.attempt(p, flags, mode)
		switch err {
		case unix.EAGAIN:
			runtime.Gosched()
		case unix.EINTR:
		default:
			return fd, err
		}
	}
	return -1, unix.EAGAIN
}

// attempt answers EAGAIN when a link appeared where there was none a moment ago.
func (r *stepwise) attempt(p string, flags int, mode uint32) (int, error) {
	followLast := flags&unix.O_NOFOLLOW == 0 && flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL
	real, err := resolveLinks(p, followLast, r.readlink)
	if err != nil {
		return -1, err
	}
	parent, err := r.root.OpenFile(below(path.Dir(real)), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return -1, rootError(err)
	}
	defer parent.Close()
	name := path.Base(real)
	if real == "/" {
		name = "."
	}
	fd, err := unix.Openat(int(parent.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if !followLast {
		return fd, err
	}
	if err == unix.ELOOP {
		return -1, unix.EAGAIN
	}
	if err == nil && flags&unix.O_PATH != 0 {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			_ = unix.Close(fd)
			return -1, unix.EAGAIN
		}
	}
	return fd, err
}

func (r *stepwise) readlink(p string) (string, error) {
	target, err := r.root.Readlink(below(p))
	if err != nil {
		return "", rootError(err)
	}
	return target, nil
}

func (r *stepwise) close() error { return r.root.Close() }

// below turns a cleaned world path into the relative form that os.Root and io/fs use.
func below(p string) string {
	if p == "/" {
		return "."
	}
	return strings.TrimPrefix(p, "/")
}

// rootError returns the errno of an os.Root error. Without one os.Root refused a
// link that was not there when the path was resolved: EAGAIN.
func rootError(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	if errors.Is(err, fs.ErrClosed) {
		return unix.EBADF
	}
	return unix.EAGAIN
}

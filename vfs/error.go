package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// Error is the failure of one operation on a world path.
//
// It unwraps to a syscall.Errno where there is one, so errors.Is works with
// fs.ErrNotExist, fs.ErrExist, fs.ErrPermission and with errno values.
type Error struct {
	// Code is the name of the errno, for example "ENOENT" or "EROFS".
	Code string
	// Path is the world path the caller gave, cleaned; never a host path.
	Path string
	// Syscall names what failed, for example "open" or "rename".
	Syscall string
	// Err says more. It never names a host path.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %v (%s)", e.Syscall, e.Path, e.Err, e.Code)
}

func (e *Error) Unwrap() error { return e.Err }

// Code returns the errno name of err, or "" when err holds no *Error.
func Code(err error) string {
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Code
	}
	return ""
}

// failure makes an *Error of err. What err says about paths is dropped: it may
// be a host path.
func failure(call, path string, err error) error {
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed
	}
	if said, ok := errors.AsType[*explained](err); ok {
		return &Error{Code: codeOf(said.errno), Path: path, Syscall: call, Err: said}
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return &Error{Code: codeOf(errno), Path: path, Syscall: call, Err: errno}
	}
	for _, known := range []struct {
		err   error
		errno syscall.Errno
	}{
		{fs.ErrNotExist, unix.ENOENT},
		{fs.ErrExist, unix.EEXIST},
		{fs.ErrPermission, unix.EACCES},
		{fs.ErrInvalid, unix.EINVAL},
		{fs.ErrClosed, unix.EBADF},
	} {
		if errors.Is(err, known.err) {
			return &Error{Code: codeOf(known.errno), Path: path, Syscall: call, Err: known.errno}
		}
	}
	return &Error{Code: "EIO", Path: path, Syscall: call, Err: err}
}

func codeOf(errno syscall.Errno) string {
	if name := unix.ErrnoName(errno); name != "" {
		return name
	}
	return fmt.Sprintf("E%d", int(errno))
}

// explained is an errno whose own text would not tell what is wrong.
type explained struct {
	errno syscall.Errno
	text  string
}

func (e *explained) Error() string { return e.text }

func (e *explained) Unwrap() error { return e.errno }

func explain(errno syscall.Errno, format string, args ...any) error {
	return &explained{errno: errno, text: fmt.Sprintf(format, args...)}
}

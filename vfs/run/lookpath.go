package run

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// findProgram returns the path at which the program of p is found. stat describes
// paths as the command will see them.
func findProgram(p process, stat func(string) (fs.FileInfo, error)) (string, error) {
	if about, err := stat(p.Dir); err != nil {
		return "", startError(p, fmt.Errorf("the directory: %w", errnoOf(err)))
	} else if !about.IsDir() {
		return "", startError(p, fmt.Errorf("the directory: %w", unix.ENOTDIR))
	}
	name := p.Argv[0]
	if strings.Contains(name, "/") {
		at := name
		if !path.IsAbs(at) {
			at = path.Join(p.Dir, at)
		}
		if err := executable(at, stat); err != nil {
			return "", startError(p, err)
		}
		return at, nil
	}
	failed := error(unix.ENOENT)
	for dir := range strings.SplitSeq(lookup(p.Env, "PATH"), ":") {
		if !path.IsAbs(dir) {
			dir = path.Join(p.Dir, dir)
		}
		at := path.Join(dir, name)
		err := executable(at, stat)
		if err == nil {
			return at, nil
		}
		if err == unix.EACCES {
			failed = err
		}
	}
	return "", startError(p, failed)
}

func executable(at string, stat func(string) (fs.FileInfo, error)) error {
	about, err := stat(at)
	if err != nil {
		return errnoOf(err)
	}
	if about.IsDir() || about.Mode().Perm()&0o111 == 0 {
		return unix.EACCES
	}
	return nil
}

// errnoOf drops the path an error names: it may be one of the host.
func errnoOf(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}

func startError(p process, err error) error {
	code := "EIO"
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		code = unix.ErrnoName(errno)
	}
	return &StartError{Code: code, Program: p.Argv[0], Dir: p.Dir, Err: err}
}

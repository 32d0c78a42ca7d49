package vfs

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is how many symbolic links one path may lead through (the kernel's limit, path_resolution(7)).
const maxLinks = 40

// Clean returns the shortest form of a world path. A world path is absolute and
// slash separated; ".." above the top stays at the top. A path that is relative,
// empty or holds a NUL byte is an *Error with code EINVAL.
func Clean(p string) (string, error) { return clean("resolve", p) }

func clean(call, p string) (string, error) {
	switch {
	case strings.IndexByte(p, 0) >= 0:
		return "", &Error{Code: "EINVAL", Path: strings.ReplaceAll(p, "\x00", `\x00`), Syscall: call,
			Err: explain(unix.EINVAL, "the path holds a NUL byte")}
	case !strings.HasPrefix(p, "/"):
		return "", &Error{Code: "EINVAL", Path: p, Syscall: call,
			Err: explain(unix.EINVAL, "a world path begins with /")}
	}
	return path.Clean(p), nil
}

// resolveLinks follows the links of a cleaned world path by hand, as if the world
// were "/". readlink gets cleaned paths without links in front of the last name and
// answers EINVAL for what is no link. What does not exist is kept as written.
func resolveLinks(p string, followLast bool, readlink func(string) (string, error)) (string, error) {
	pending := strings.Split(p, "/")
	resolved := "/"
	links := 0
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			resolved = path.Dir(resolved)
			continue
		}
		next := path.Join(resolved, name)
		if len(pending) == 0 && !followLast {
			return next, nil
		}
		target, err := readlink(next)
		switch err {
		case nil:
			if links++; links > maxLinks {
				return "", unix.ELOOP
			}
			if strings.HasPrefix(target, "/") {
				resolved = "/"
			}
			pending = append(strings.Split(target, "/"), pending...)
		case unix.EINVAL, unix.ENOENT:
			resolved = next
		default:
			return "", err
		}
	}
	return resolved, nil
}

package vfs

import (
	"errors"
	"io"
	"strconv"

	"golang.org/x/sys/unix"
)

// removeDepth is how many nested directories are open at once while a tree is removed.
const removeDepth = 32

// removeAllAt removes a tree, however deep, with few descriptors. A name that does
// not exist is ENOENT; what vanishes below it meanwhile is not an error.
func removeAllAt(dirfd int, name string) error {
	err := removeAt(dirfd, name)
	if !notEmpty(err) {
		return err
	}
	top, err := openBelow(dirfd, name)
	if err != nil {
		return err
	}
	r := &removal{top: top}
	for err = r.empty(top, 1); err == nil && r.raised; err = r.empty(top, 1) {
		r.raised = false
		if _, err = unix.Seek(top, 0, io.SeekStart); err != nil {
			break
		}
	}
	_ = unix.Close(top)
	if err != nil {
		return err
	}
	return unix.Unlinkat(dirfd, name, unix.AT_REMOVEDIR)
}

// removal is a tree that is being removed. Directories that are too deep are raised:
// renamed to the top of the tree, which is then gone through again.
type removal struct {
	top    int
	number uint64 // of the next name for a raised directory
	raised bool
}

// empty removes what is in an open directory.
func (r *removal) empty(fd, depth int) error {
	entries, err := listFd(fd)
	for _, entry := range entries {
		if removeErr := r.remove(fd, entry.Name, depth); removeErr != unix.ENOENT {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

func (r *removal) remove(dirfd int, name string, depth int) error {
	err := removeAt(dirfd, name)
	if !notEmpty(err) {
		return err
	}
	if depth == removeDepth {
		return r.raise(dirfd, name)
	}
	fd, err := openBelow(dirfd, name)
	if err != nil {
		return err
	}
	err = r.empty(fd, depth+1)
	_ = unix.Close(fd)
	if err != nil {
		return err
	}
	return unix.Unlinkat(dirfd, name, unix.AT_REMOVEDIR)
}

// raise renames a directory to a name at the top that is free.
func (r *removal) raise(dirfd int, name string) error {
	for {
		r.number++
		err := unix.Renameat2(dirfd, name, r.top, temporaryPrefix+strconv.FormatUint(r.number, 36), unix.RENAME_NOREPLACE)
		if err == unix.EEXIST {
			continue
		}
		r.raised = r.raised || err == nil
		return err
	}
}

func openBelow(dirfd int, name string) (int, error) {
	return unix.Openat(dirfd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// notEmpty reports whether a directory could not be removed because of what is in it.
func notEmpty(err error) bool { return err == unix.ENOTEMPTY || err == unix.EEXIST }

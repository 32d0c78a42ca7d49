package vfs

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FreeSpace returns how many bytes an unprivileged process may still write to the
// file system that holds p. Unlike all else here p is a host path, which the error
// names: what is kept beside a world needs space too.
func FreeSpace(p string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(p, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", p, err)
	}
	return st.Bavail * uint64(st.Frsize), nil
}

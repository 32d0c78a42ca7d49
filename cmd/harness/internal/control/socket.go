package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// maxSocketPath is how long the path of a unix socket may be on Linux: sun_path
// has 108 bytes with the final NUL (unix(7)).
const maxSocketPath = 107

// shortened calls use with a path of the socket that the kernel accepts. One that
// is too long is reached through a descriptor of its folder.
func shortened(socket string, use func(string) error) error {
	if len(socket) <= maxSocketPath {
		return use(socket)
	}
	folder, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return err
	}
	defer folder.Close()
	return use(filepath.Join("/proc/self/fd", strconv.Itoa(int(folder.Fd())), filepath.Base(socket)))
}

// listen makes the socket, in place of one that a dead process left. The caller
// has the world to itself, and removes the socket.
func listen(socket string) (net.Listener, error) {
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("remove the socket of an earlier harness: %w", err)
	}
	var listener net.Listener
	err := shortened(socket, func(path string) error {
		made, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
		if err != nil {
			return err
		}
		// By its short name it could not be removed: the descriptor is closed then.
		made.SetUnlinkOnClose(false)
		listener = made
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", socket, err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen at %s: %w", socket, err), listener.Close())
	}
	return listener, nil
}

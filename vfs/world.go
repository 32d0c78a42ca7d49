// Package vfs is the file system of a world: a directory that plays "/", with
// read-only trees and synthetic files mounted over it.
//
// World paths are absolute and slash separated. Nothing reachable through a World
// lies outside its root: links, absolute ones too, resolve as if the root were "/",
// also while somebody exchanges directories for links. Errors are *Error and name
// world paths only.
package vfs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// DefaultMaxRead is how many bytes one read returns at most unless Options says otherwise.
const DefaultMaxRead = 256 << 20

// DefaultPollInterval is how often watches look by themselves, for file systems that report nothing.
const DefaultPollInterval = 2 * time.Second

// Options of Open. The zero value is the normal case.
type Options struct {
	// Confinement forces one way; "" takes InRoot where the kernel has it, else Stepwise.
	Confinement Confinement
	// MaxRead bounds one read in bytes; 0 is DefaultMaxRead.
	MaxRead int64
	// PollInterval is how often watches look by themselves; 0 is DefaultPollInterval.
	PollInterval time.Duration
	// Now is the clock for the times of synthetic files; nil is time.Now.
	Now func() time.Time
	// Logger gets what no caller can be told; nil discards it.
	Logger *slog.Logger
}

// World is an open world. Its methods may be called from any goroutine.
type World struct {
	root        string
	options     Options
	disk        resolver
	confinement Confinement
	temporary   atomic.Uint64
	mountsLock  sync.Mutex
	mounts      atomic.Pointer[mountTable]
	watches     watches
}

// Open opens the existing directory root, a host path, as a world. /proc is
// synthetic from then on. The caller closes the World.
func Open(root string, options Options) (*World, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open world: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("open world: %w", err)
	}
	options.MaxRead = cmp.Or(options.MaxRead, DefaultMaxRead)
	options.PollInterval = cmp.Or(options.PollInterval, DefaultPollInterval)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	w := &World{root: root, options: options}
	if err := w.confine(); err != nil {
		return nil, fmt.Errorf("open world %s: %w", root, err)
	}
	now := options.Now()
	w.mounts.Store(newMountTable([]*mount{{at: "/proc", tree: emptyTree{since: now}, since: now}}))
	w.watches.world = w
	return w, nil
}

func (w *World) confine() error {
	if w.options.Confinement == "" || w.options.Confinement == InRoot {
		disk, err := openInRoot(w.root)
		if err == nil {
			w.disk, w.confinement = disk, InRoot
			return nil
		}
		if w.options.Confinement == InRoot || !lacksOpenat2(err) {
			return err
		}
	}
	if c := w.options.Confinement; c != "" && c != Stepwise {
		return fmt.Errorf("unknown confinement %q (known: %q, %q)", c, InRoot, Stepwise)
	}
	disk, err := openStepwise(w.root)
	if err != nil {
		return err
	}
	w.disk, w.confinement = disk, Stepwise
	return nil
}

// lacksOpenat2 reports whether the kernel, or a seccomp filter in front of it, has no openat2.
func lacksOpenat2(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.E2BIG) || errors.Is(err, unix.EINVAL)
}

// Close ends all watches, waits for their callbacks, and closes the root. Later
// calls fail with EBADF.
func (w *World) Close() error {
	w.watches.close()
	return w.disk.close()
}

// HostRoot is the host path of the world's root, links resolved.
func (w *World) HostRoot() string { return w.root }

// Confinement says which way of confinement is in use.
func (w *World) Confinement() Confinement { return w.confinement }

// Mount makes tree visible, read-only, at a world path until unmount is called.
// Longest path wins; at one path the newest mount does. Directories on the way that
// the disk lacks show up in listings.
func (w *World) Mount(at string, tree fs.FS) (unmount func(), err error) {
	return w.mount(at, &mount{tree: tree})
}

// Synthetic makes a read-only file whose content is what contents returns each time
// the file is opened. contents may be called from any goroutine. The file is there
// until remove is called.
func (w *World) Synthetic(at string, contents func() ([]byte, error)) (remove func(), err error) {
	return w.mount(at, &mount{bytes: contents})
}

func (w *World) mount(at string, m *mount) (func(), error) {
	at, err := clean("mount", at)
	if err != nil {
		return nil, err
	}
	if at == "/" {
		return nil, failure("mount", at, unix.EBUSY)
	}
	m.at, m.since = at, w.options.Now()
	w.change(func(t *mountTable) *mountTable { return t.with(m) })
	return sync.OnceFunc(func() {
		w.change(func(t *mountTable) *mountTable { return t.without(m) })
	}), nil
}

func (w *World) change(how func(*mountTable) *mountTable) {
	w.mountsLock.Lock()
	defer w.mountsLock.Unlock()
	w.mounts.Store(how(w.mounts.Load()))
}

// Realpath returns the path that p leads to, all links followed. A missing last
// part is no error: it is kept as written.
func (w *World) Realpath(p string) (string, error) {
	p, err := clean("realpath", p)
	if err != nil {
		return "", err
	}
	real, err := w.realpath(p, true)
	return real, failure("realpath", p, err)
}

func (w *World) realpath(p string, followLast bool) (string, error) {
	table := w.mounts.Load()
	return resolveLinks(p, followLast, func(p string) (string, error) {
		if m, _ := table.lookup(p); m != nil {
			return "", unix.EINVAL
		}
		return w.readlinkDisk(p)
	})
}

func (w *World) readlinkDisk(p string) (string, error) {
	fd, err := w.disk.open(p, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	target, err := readlinkAt(fd, "")
	if err == unix.ENOENT {
		// readlinkat(2) with an empty name says ENOENT of what is no link.
		err = unix.EINVAL
	}
	return target, err
}

package run

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/seed-d579e5eb/harness/vfs"
)

// DefaultHostDirs are the host directories whose programs and libraries commands use.
func DefaultHostDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix"}
}

// hostEtc are files of the host's /etc that programs need and that hold no secrets.
func hostEtc() []string {
	return []string{
		"alternatives", "ca-certificates", "ca-certificates.conf", "hosts", "ld.so.cache", "ld.so.conf",
		"ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "pki/ca-trust", "pki/tls/certs",
		"protocols", "resolv.conf", "services", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone",
	}
}

// deviceNames are the devices commands get.
func deviceNames() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }

// deviceLinks are the links of /dev, by name.
func deviceLinks() [][2]string {
	return [][2]string{
		{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
		{"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"},
	}
}

// bind has commands see a host file or directory, read-only.
type bind struct {
	Source string // host path
	Target string // world path
}

// layout is what commands see besides the world itself, in the order of mounting.
type layout struct {
	Root  string // host path of the world
	Binds []bind
	// Init are host directories that only process 1 of a command sees, by their paths below its root.
	Init []bind
}

// makeLayout finds out what is to be mounted and makes the directories for it in the
// world. /proc and /dev are always replaced.
func makeLayout(world *vfs.World, made *private, options Options) (layout, error) {
	l := layout{Root: world.HostRoot(), Init: initBinds()}
	root, err := world.OpenDir("/")
	if err != nil {
		return l, err
	}
	defer root.Close()
	for _, dir := range options.HostDirs {
		if about, err := os.Stat(dir); err != nil || !about.IsDir() {
			continue
		}
		free, err := vacant(root, dir)
		if err != nil {
			return l, err
		}
		if free {
			l.Binds = append(l.Binds, bind{Source: dir, Target: path.Clean(dir)})
		}
	}
	for _, dir := range []string{"proc", "dev"} {
		if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return l, err
		}
		if about, err := root.Lstat(dir); err != nil {
			return l, err
		} else if !about.IsDir() {
			return l, &vfs.Error{Code: "ENOTDIR", Path: "/" + dir, Syscall: "mount", Err: errors.New("commands need a directory here")}
		}
	}
	l.Binds = append(l.Binds, bind{Source: made.proc(), Target: "/proc"})
	for _, name := range slices.Sorted(maps.Keys(options.Programs)) {
		source, err := filepath.Abs(options.Programs[name])
		if err != nil {
			return l, err
		}
		l.Binds = append(l.Binds, bind{Source: source, Target: path.Join(programsDir, name)})
	}
	free, err := vacant(root, "/etc")
	if err != nil || !free {
		return l, err
	}
	l.Binds = append(l.Binds, bind{Source: made.etc(), Target: "/etc"})
	return l, l.addHostEtc(made)
}

// initBinds are what process 1 of a command is run from, whatever commands may see.
func initBinds() []bind {
	var binds []bind
	for _, dir := range DefaultHostDirs() {
		if about, err := os.Stat(dir); err == nil && about.IsDir() {
			binds = append(binds, bind{Source: dir, Target: dir})
		}
	}
	return binds
}

func (l *layout) addHostEtc(made *private) error {
	for _, name := range hostEtc() {
		source, err := filepath.EvalSymlinks(filepath.Join("/etc", name))
		if err != nil {
			continue
		}
		about, err := os.Stat(source)
		if err != nil || !(about.IsDir() || about.Mode().IsRegular()) {
			continue
		}
		at := filepath.Join(made.etc(), name)
		if about.IsDir() {
			err = os.MkdirAll(at, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			err = os.WriteFile(at, nil, 0o644)
		}
		if err != nil {
			return err
		}
		l.Binds = append(l.Binds, bind{Source: source, Target: path.Join("/etc", name)})
	}
	return nil
}

// vacant reports whether the world leaves a directory to the host: it has none, which
// is then made, or an empty one.
func vacant(root *vfs.Dir, p string) (bool, error) {
	name := path.Clean(p)[1:]
	for i := range name {
		if name[i] == '/' {
			if err := root.Mkdir(name[:i], 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return false, err
			}
		}
	}
	if err := root.Mkdir(name, 0o755); err == nil {
		return true, nil
	} else if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	dir, err := root.OpenDir(name)
	if err != nil {
		return false, nil // a link or a file of the world's own
	}
	defer dir.Close()
	entries, err := dir.List()
	return len(entries) == 0, err
}

package run

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Where commands find what the Runner makes for them.
const (
	kernelProc   = "/proc/.kernel"
	initRoot     = "/proc/.init" // the root of process 1, empty for commands
	programsDir  = "/proc/.programs"
	gitConfigAt  = "/proc/.gitconfig"
	kernelName   = ".kernel"
	initName     = ".init"
	programsName = ".programs"
	gitName      = ".gitconfig"
)

// gitConfig is the system configuration of git in commands; that of the home
// directory goes before it. Work that git would leave in the background would be
// killed with its command, so it has none.
const gitConfig = `[safe]
	directory = *
[user]
	name = harness
	email = harness@localhost
[init]
	defaultBranch = main
[gc]
	autoDetach = false
[maintenance]
	autoDetach = false
`

// private is Options.Private: files made for commands, in three folders.
//
//	proc   becomes /proc: links into the kernel's own proc, mounted at .kernel in it,
//	       and published files beside them. Nothing can be bound into the kernel's.
//	etc    becomes /etc of a world that has none
//	bin    links to Options.Programs, for commands that run on the host
type private struct{ dir string }

func makePrivate(options Options) (*private, error) {
	if options.Private == "" {
		return nil, errors.New("the option Private must name a directory outside the world")
	}
	dir, err := filepath.Abs(options.Private)
	if err != nil {
		return nil, err
	}
	p := &private{dir: dir}
	for _, part := range []string{p.proc(), p.etc(), p.bin()} {
		if err := os.RemoveAll(part); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(part, 0o755); err != nil {
			return nil, err
		}
	}
	return p, errors.Join(p.makeProc(), p.makeEtc(), p.makePrograms(options.Programs))
}

func (p *private) proc() string      { return filepath.Join(p.dir, "proc") }
func (p *private) etc() string       { return filepath.Join(p.dir, "etc") }
func (p *private) bin() string       { return filepath.Join(p.dir, "bin") }
func (p *private) gitConfig() string { return filepath.Join(p.proc(), gitName) }

func (p *private) makeProc() error {
	for _, name := range []string{kernelName, initName} {
		if err := os.Mkdir(filepath.Join(p.proc(), name), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(p.gitConfig(), []byte(gitConfig), 0o644); err != nil {
		return err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // no proc on this host, so none in commands
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.Trim(name, "0123456789") != "" {
			if err := os.Symlink(filepath.Join(kernelName, name), filepath.Join(p.proc(), name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *private) makeEtc() error {
	passwd := "root:x:0:0:root:/home:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"
	group := "root:x:0:\nnogroup:x:65534:\n"
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 && uid != 65534 {
		passwd += fmt.Sprintf("user:x:%d:%d:user:/home:/bin/sh\n", uid, gid)
		group += fmt.Sprintf("user:x:%d:\n", gid)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(p.etc(), "passwd"), []byte(passwd), 0o644),
		os.WriteFile(filepath.Join(p.etc(), "group"), []byte(group), 0o644),
	)
}

func (p *private) makePrograms(programs map[string]string) error {
	folder := filepath.Join(p.proc(), programsName)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if !plainName(name) {
			return fmt.Errorf("program name %q is not a file name", name)
		}
		host, err := filepath.Abs(programs[name])
		if err != nil {
			return err
		}
		if about, err := os.Stat(host); err != nil {
			return fmt.Errorf("the program %s: %w", name, err)
		} else if !about.Mode().IsRegular() || about.Mode().Perm()&0o111 == 0 {
			return fmt.Errorf("the program %s: %s is not an executable file", name, host)
		}
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o755); err != nil {
			return err
		}
		if err := os.Symlink(host, filepath.Join(p.bin(), name)); err != nil {
			return err
		}
	}
	return nil
}

func (p *private) publish(name string, data []byte) error {
	at := filepath.Join(p.proc(), name)
	if !plainName(name) || strings.HasPrefix(name, ".") {
		return fmt.Errorf("publish /proc/%s: the name is not a plain file name", name)
	}
	if about, err := os.Lstat(at); err == nil && !about.Mode().IsRegular() {
		return fmt.Errorf("publish /proc/%s: the kernel has a file of that name", name)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("publish /proc/%s: %w", name, err)
	}
	if err := p.replace(at, data); err != nil {
		return fmt.Errorf("publish /proc/%s: %w", name, err)
	}
	return nil
}

// replace writes a file that every start makes anew: whole for its readers, and not
// worth waiting for the disk.
func (p *private) replace(at string, data []byte) error {
	file, err := os.CreateTemp(p.dir, "publish-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), at)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

func plainName(name string) bool {
	return name == filepath.Base(name) && fs.ValidPath(name) && name != "."
}

package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	ownerFile  = "owner"
	formatFile = "format"
	// tableList is badger's list of its tables.
	tableList = "MANIFEST"
	// formatMagic begins the content of formatFile; a version follows.
	formatMagic = "harness-database "
	// formatVersion changes when an older program could not read the folder.
	formatVersion = 1
)

// InUseError is a database that a process has open, perhaps this one.
type InUseError struct {
	// Dir is the folder of the database.
	Dir string
	// Process is the id of the process; 0 when it is not known.
	Process int
}

func (e *InUseError) Error() string {
	by := "another process"
	if e.Process != 0 {
		by = "process " + strconv.Itoa(e.Process)
	}
	return fmt.Sprintf("database %s is in use by %s: stop that, or ask it instead", e.Dir, by)
}

// FormatError is a folder that this program cannot open.
type FormatError struct {
	// Dir is the folder.
	Dir string
	// Version is the newer format that it has; 0 when it is no database of ours.
	Version int
}

func (e *FormatError) Error() string {
	if e.Version == 0 {
		return fmt.Sprintf("folder %s holds something that is not a database of this program: use another folder, or an empty one", e.Dir)
	}
	return fmt.Sprintf("database %s has format %d, and this program knows %d: use a newer program", e.Dir, e.Version, formatVersion)
}

// DamagedError is a database that lacks a file which it cannot be opened without, or
// whose file makes no sense.
type DamagedError struct {
	// Dir is the folder of the database.
	Dir string
	// File is the name of the file, and Reason what is wrong with it.
	File, Reason string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("database %s is damaged, %s: %s; restore a backup into another folder", e.Dir, e.File, e.Reason)
}

// folder is the folder of a database, of which this process is the owner.
type folder struct {
	path  string
	owner *os.File // holds the lock
}

// take makes this process the owner of a folder, which it makes when there is none.
// A folder that is not ours is not touched.
func take(dir string) (*folder, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", dir, err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	f := &folder{path: path}
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := f.lock(); err != nil {
		return nil, err
	}
	return f, nil
}

// check returns an error unless the folder is a database or may become one.
func (f *folder) check() error {
	text, err := os.ReadFile(f.file(formatFile))
	if errors.Is(err, os.ErrNotExist) {
		return f.unused()
	}
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	number, ours := strings.CutPrefix(strings.TrimSpace(string(text)), formatMagic)
	version, err := strconv.Atoi(number)
	switch {
	case !ours || err != nil || version < 1:
		return f.unmarked("it makes no sense")
	case version > formatVersion:
		return &FormatError{Dir: f.path, Version: version}
	}
	return nil
}

// unused returns an error unless there is nothing in the folder but what a process
// leaves that dies while it makes a database.
func (f *folder) unused() error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	for _, entry := range entries {
		if slices.Contains([]string{ownerFile, formatFile + ".new", "lost+found"}, entry.Name()) {
			continue
		}
		return f.unmarked("it is missing", ownerFile)
	}
	return nil
}

// unmarked is the error for a folder whose format file is not there or not ours. With
// some other files of a database in it, that file was lost or spoiled: without it the
// owner file says that the folder is ours and not of another program with badger.
func (f *folder) unmarked(reason string, ours ...string) error {
	for _, name := range ours {
		if _, err := os.Stat(f.file(name)); err != nil {
			return &FormatError{Dir: f.path}
		}
	}
	tables, err := filepath.Glob(f.file("*.sst"))
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if _, err := os.Stat(f.file(tableList)); err == nil || len(tables) > 0 {
		return &DamagedError{Dir: f.path, File: formatFile, Reason: reason}
	}
	return &FormatError{Dir: f.path}
}

// lock locks the owner file, and writes who has done so.
func (f *folder) lock() error {
	file, err := os.OpenFile(f.file(ownerFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		inUse := &InUseError{Dir: f.path, Process: processIn(file)}
		_ = file.Close()
		return inUse
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	}
	if err != nil {
		return fmt.Errorf("lock database %s: %w", f.path, errors.Join(err, file.Close()))
	}
	f.owner = file
	return nil
}

// processIn reads the id that an owner wrote.
func processIn(owner *os.File) int {
	text := make([]byte, 32)
	n, _ := owner.ReadAt(text, 0)
	process, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return 0
	}
	return process
}

// release lets others own the folder.
func (f *folder) release() {
	_ = f.owner.Close() // which unlocks it, whatever it returns
}

// prepare makes what badger can open of the folder that the process owns.
func (f *folder) prepare() error {
	if err := f.check(); err != nil { // again, now that nobody else makes it
		return err
	}
	if err := f.mark(); err != nil {
		return fmt.Errorf("make database %s: %w", f.path, err)
	}
	if err := f.tidy(); err != nil {
		return fmt.Errorf("open database %s: %w", f.path, err)
	}
	return nil
}

// mark writes the format file, unless there is one.
func (f *folder) mark() error {
	if _, err := os.Stat(f.file(formatFile)); err == nil {
		return nil
	}
	next := f.file(formatFile + ".new")
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s%d\n", formatMagic, formatVersion)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, f.file(formatFile)); err != nil {
		return err
	}
	return errors.Join(syncFolder(f.path), syncFolder(filepath.Dir(f.path)))
}

// tidy removes log files without a byte: badger empties a file before it removes it,
// makes one before it fills it, and refuses to open what a process leaves that dies
// between the two. It returns an error for a folder whose list of tables is missing,
// since badger would take all tables for left over and delete them.
func (f *folder) tidy() error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	listed, used := false, false
	for _, entry := range entries {
		listed = listed || entry.Name() == tableList
		extension := filepath.Ext(entry.Name())
		if !slices.Contains([]string{".mem", ".vlog", ".sst"}, extension) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Size() > 0 || extension == ".sst" {
			used = true
			continue
		}
		if err := os.Remove(f.file(entry.Name())); err != nil {
			return err
		}
	}
	if used && !listed {
		return &DamagedError{Dir: f.path, File: tableList, Reason: "it is missing, and there are tables"}
	}
	return nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// syncFolder makes the names in a folder outlast the power.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

package badgerdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	// keyFile is badger's list of the keys of an encryption. There is none here, so that it
	// has random bytes and then keyText only.
	keyFile   = "KEYREGISTRY"
	keyRandom = 16
	keyText   = "Hello Badger"
	// keyNumber is how many bytes of a log say which key it is encrypted with; 0 for none.
	keyNumber = 8
	// discardFile is badger's statistics of values that are gone, by their logs: slots of a
	// number and a count, up to a number of 0.
	discardFile = "DISCARD"
	discardSize = 1 << 20 // or a multiple
	discardSlot = 16
)

// checkFiles returns a [*DamagedError] for files that make no sense to badger, beside its
// tables and their list.
func (f *folder) checkFiles(logger *slog.Logger) error {
	keys, err := os.ReadFile(f.file(keyFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil && (len(keys) != keyRandom+len(keyText) || string(keys[keyRandom:]) != keyText) {
		return f.damaged(keyFile, errors.New("it makes no sense"))
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !slices.Contains([]string{".mem", ".vlog"}, filepath.Ext(entry.Name())) {
			continue
		}
		if err := checkLog(f.file(entry.Name())); err != nil {
			return f.damaged(entry.Name(), err)
		}
	}
	return f.checkDiscards(logger)
}

// checkLog returns an error unless a log begins as one that is not encrypted.
func checkLog(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	begin := make([]byte, logHeader)
	if n, err := io.ReadFull(file, begin); err != nil && n > 0 {
		return fmt.Errorf("it has %d bytes, and begins with %d", n, logHeader)
	} else if err != nil {
		return err
	}
	if binary.BigEndian.Uint64(begin[:keyNumber]) != 0 {
		return errors.New("its beginning makes no sense")
	}
	return nil
}

// checkDiscards removes statistics that make no sense, as a power cut may leave them:
// badger would look for a log that is not there for ever. They are counted anew.
func (f *folder) checkDiscards(logger *slog.Logger) error {
	stats, err := os.ReadFile(f.file(discardFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || sensible(stats) {
		return err
	}
	logger.Warn("database counts anew what space removed values take", "folder", f.path, "file", discardFile)
	return os.Remove(f.file(discardFile))
}

// sensible says whether statistics name each log once.
func sensible(stats []byte) bool {
	if len(stats) == 0 || len(stats)%discardSize != 0 {
		return len(stats) == 0 // badger is about to fill it
	}
	seen := make(map[uint64]bool)
	for ; len(stats) > 0; stats = stats[discardSlot:] {
		log, bytes := binary.BigEndian.Uint64(stats), binary.BigEndian.Uint64(stats[8:])
		if log == 0 {
			return true
		}
		if seen[log] || log > math.MaxUint32 || bytes > math.MaxInt64 {
			return false
		}
		seen[log] = true
	}
	return false
}

// unopened is the error for a folder that badger did not open. What is no error of the
// system is damage, of the file that badger names.
func (f *folder) unopened(err error) error {
	var system syscall.Errno
	if errors.As(err, &system) {
		return fmt.Errorf("open database %s: %w", f.path, err)
	}
	entries, failed := os.ReadDir(f.path)
	if failed != nil {
		return fmt.Errorf("open database %s: %w", f.path, errors.Join(err, failed))
	}
	for _, entry := range entries {
		if strings.Contains(err.Error(), entry.Name()) {
			return f.damaged(entry.Name(), err)
		}
	}
	return f.damaged("one of its files", err)
}

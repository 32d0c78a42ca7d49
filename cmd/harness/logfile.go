package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// logSize is how large the log grows before it is put aside, in bytes. With the
// one before it there are at most two files of this size.
const logSize = 8 << 20

// logFile is the log on the disk. It is safe for concurrent use.
type logFile struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

func openLog(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.reopen()
}

func (l *logFile) reopen() error {
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open the log: %w", err), file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}

// Write implements [io.Writer]. While no new file can be had the old one goes on
// growing: no line is lost.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var failed error
	if l.size > 0 && l.size+int64(len(line)) > logSize {
		failed = l.rotate()
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	return n, errors.Join(failed, err)
}

func (l *logFile) rotate() error {
	// There is nothing to put aside when an earlier try could do that and no more.
	if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put the log aside: %w", err)
	}
	old := l.file
	if err := l.reopen(); err != nil {
		return err
	}
	return old.Close()
}

// Close implements [io.Closer].
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

package badgerdb

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

// unsyncedValues begins what badger logs when large values could not be synced. It
// goes on with the commit as if they were.
const unsyncedValues = "Error while curlf sync"

// badgerLog shows badger's warnings and errors, and finds the one that should have
// been an error of a commit.
type badgerLog struct {
	logger   *slog.Logger
	unsynced atomic.Pointer[string]
}

// failedSync returns an error once badger could not sync large values.
func (l *badgerLog) failedSync() error {
	if why := l.unsynced.Load(); why != nil {
		return fmt.Errorf("large values may not be on the disk: %s", *why)
	}
	return nil
}

func (l *badgerLog) Errorf(format string, args ...any) {
	message := strings.TrimSpace(fmt.Sprintf(format, args...))
	if strings.HasPrefix(format, unsyncedValues) {
		l.unsynced.CompareAndSwap(nil, &message)
	}
	l.logger.Error("database", "message", message)
}

func (l *badgerLog) Warningf(format string, args ...any) {
	l.logger.Warn("database", "message", strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (l *badgerLog) Infof(string, ...any)  {}
func (l *badgerLog) Debugf(string, ...any) {}

var _ badger.Logger = (*badgerLog)(nil)

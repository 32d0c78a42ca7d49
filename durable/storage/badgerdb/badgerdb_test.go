package badgerdb

import (
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storagetest"
)

// opened opens a database, which the test closes.
func opened(t testing.TB, dir string) *DB {
	t.Helper()
	db, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestKeepsThePromisesOfStorage(t *testing.T) {
	storagetest.Run(t, storagetest.Backend{Survives: true, Open: func(t testing.TB, dir string) storage.Storage {
		return opened(t, dir)
	}})
}

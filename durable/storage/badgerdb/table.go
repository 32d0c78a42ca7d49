package badgerdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// errTableShort is a table that has less than its end says.
var errTableShort = errors.New("it is cut off, or its end makes no sense")

var errTableMissing = errors.New("it is missing")

// checkTables returns a [*DamagedError] for tables that badger would panic about or
// leave out, and for tables that the list should name: badger deletes those that it
// does not name. A death leaves tables that are not listed yet, whose content the
// logs or listed tables still have, and tables that are not listed any more.
func (f *folder) checkTables(listed badger.Manifest, logged versions) error {
	var last uint64
	for _, id := range slices.Sorted(maps.Keys(listed.Tables)) {
		name := table.NewFilename(id, f.path)
		version, err := newestInTable(name)
		if errors.Is(err, os.ErrNotExist) {
			err = errTableMissing
		}
		if err != nil {
			return f.damaged(name, err)
		}
		last = max(last, version)
	}
	ever, err := f.everListed()
	if err != nil {
		return err
	}
	names, err := filepath.Glob(f.file("*.sst"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if id, ok := table.ParseFileID(name); !ok || ever[id] {
			continue
		}
		version, err := newestInTable(name)
		if err != nil && (len(listed.Tables) > 0 || len(logged) > 0) {
			continue // a death cut its making off
		}
		if version > last && !logged.has(version) || err != nil {
			return &DamagedError{Dir: f.path, File: tableList, Reason: fmt.Sprintf("its end is missing: it does not name table %s", filepath.Base(name))}
		}
	}
	return nil
}

// damaged is the error for a file that does not read, unless the disk says why.
func (f *folder) damaged(name string, err error) error {
	var failed *os.PathError
	if errors.As(err, &failed) {
		return err
	}
	return &DamagedError{Dir: f.path, File: filepath.Base(name), Reason: err.Error()}
}

// versions are of the commits that logs have whole, in ascending order.
type versions []uint64

func (v versions) has(version uint64) bool {
	_, found := slices.BinarySearch(v, version)
	return found
}

// everListed returns the tables that the list has ever named.
func (f *folder) everListed() (map[uint64]bool, error) {
	ever := make(map[uint64]bool)
	list, err := os.ReadFile(f.file(tableList))
	if errors.Is(err, os.ErrNotExist) {
		return ever, nil
	}
	const header, frame = 8, 8
	for rest := list[min(header, len(list)):]; len(rest) >= frame; {
		size := int(binary.BigEndian.Uint32(rest))
		rest = rest[frame:]
		if size > len(rest) {
			break
		}
		var set pb.ManifestChangeSet
		if err := proto.Unmarshal(rest[:size], &set); err != nil {
			return nil, f.damaged(tableList, err)
		}
		for _, change := range set.Changes {
			ever[change.Id] = true
		}
		rest = rest[size:]
	}
	return ever, err
}

// newestInTable returns the version of the newest commit that a table has something
// of. It reads what badger reads to open the table, its index and its last block, and
// compares both with their checksums.
func newestInTable(path string) (uint64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	index, err := indexOf(file)
	if err != nil {
		return 0, err
	}
	var block fb.BlockOffset
	if n := index.OffsetsLength(); n == 0 || !index.Offsets(&block, n-1) {
		return 0, errTableShort
	}
	return index.MaxVersion(), verifyBlock(file, &block)
}

// indexOf returns the index of a table, once it matches its checksum.
func indexOf(file *os.File) (*fb.TableIndex, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end := &tableEnd{file: file, at: info.Size()}
	sum := end.sized()
	index := end.sized()
	if end.err != nil {
		return nil, end.err
	}
	if err := compare(index, sum); err != nil {
		return nil, err
	}
	return fb.GetRootAsTableIndex(index, 0), nil
}

// verifyBlock returns an error unless a block of a table matches its checksum.
func verifyBlock(file *os.File, block *fb.BlockOffset) error {
	begin := int64(block.Offset())
	end := &tableEnd{file: file, at: begin + int64(block.Len())}
	sum := end.sized()
	content := end.before(end.at - begin)
	if end.err != nil {
		return end.err
	}
	return compare(content, sum)
}

// compare returns an error unless data matches a checksum as badger stores it.
func compare(data, stored []byte) error {
	if len(data) == 0 || len(stored) == 0 {
		return errTableShort
	}
	var sum pb.Checksum
	if err := proto.Unmarshal(stored, &sum); err != nil {
		return err
	}
	return y.VerifyChecksum(data, &sum)
}

// tableEnd reads a table backwards.
type tableEnd struct {
	file *os.File
	at   int64
	err  error
}

// before returns the bytes before a place, which is then before them.
func (e *tableEnd) before(size int64) []byte {
	if e.err == nil && (size < 0 || size > e.at) {
		e.err = errTableShort
	}
	if e.err != nil {
		return nil
	}
	e.at -= size
	data := make([]byte, size)
	if _, e.err = e.file.ReadAt(data, e.at); errors.Is(e.err, io.EOF) {
		e.err = errTableShort
	}
	return data
}

// sized returns what is before a place and its own size.
func (e *tableEnd) sized() []byte {
	size := e.before(4)
	if e.err != nil {
		return nil
	}
	return e.before(int64(binary.BigEndian.Uint32(size)))
}

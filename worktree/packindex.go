package worktree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// The parts of a version 2 pack index (gitformat-pack(5), "Version 2 pack-*.idx
// files"), in bytes.
const (
	packIndexHeader = 8
	packIndexFanOut = 256 * 4
	packIndexEntry  = 20 + 4 + 4 // an id, a checksum, an offset
	packIndexLarge  = 8          // an offset that does not fit into 4 bytes
	packIndexEnd    = 20 + 20
)

// checkPackIndex compares the numbers of objects that a pack's index claims to have
// with its size. go-git makes room for as many as one damaged byte says, which can
// be more than there is memory. The rest of the index it checks itself.
func checkPackIndex(file interface {
	fs.File
	io.ReaderAt
}) error {
	about, err := file.Stat()
	if err != nil {
		return err
	}
	start := make([]byte, packIndexHeader+packIndexFanOut)
	if _, err := file.ReadAt(start, 0); err != nil {
		return fmt.Errorf("the pack index ends in its fan-out table: %w", err)
	}
	last := uint32(0)
	for at := packIndexHeader; at < len(start); at += 4 {
		next := binary.BigEndian.Uint32(start[at:])
		if next < last {
			return errors.New("the pack index has a fan-out table that goes down")
		}
		last = next
	}
	least := packIndexHeader + packIndexFanOut + int64(last)*packIndexEntry + packIndexEnd
	if size := about.Size(); size < least || size > least+int64(last)*packIndexLarge {
		return fmt.Errorf("the pack index has %d bytes, which is not the size of one of %d objects", size, last)
	}
	return nil
}

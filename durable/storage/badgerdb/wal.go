package badgerdb

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

const (
	// logHeader is how many bytes badger's logs begin with before their records.
	logHeader = 20
	// commitKey begins the key of the record that ends a commit; the version follows in
	// 8 bytes.
	commitKey = "!badger!txn"
	// commitHeader is how many bytes are before that key: the mark of the end of a
	// commit, user meta, the lengths of key and value, and an expiry of 0.
	commitHeader = 5
	commitMark   = 1 << 7
)

// committed returns the versions of the commits in the logs.
func (f *folder) committed() (versions, error) {
	logs, err := filepath.Glob(f.file("*.mem"))
	if err != nil {
		return nil, err
	}
	var found versions
	for _, name := range logs {
		log, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found = append(found, commitsIn(log)...)
	}
	slices.Sort(found)
	return found, nil
}

// commitsIn returns the versions of the commits whose last record is in a log, in
// the order in which they are there.
func commitsIn(log []byte) (found versions) {
	for at := logHeader + commitHeader; at < len(log); {
		next := bytes.Index(log[at:], []byte(commitKey))
		if next < 0 {
			break
		}
		at += next
		if version, ok := commitAt(log[at-commitHeader:]); ok {
			found = append(found, version)
		}
		at += len(commitKey)
	}
	return found
}

// commitAt returns the version of the record that ends a commit, when that is whole.
func commitAt(record []byte) (uint64, bool) {
	const key = len(commitKey) + 8
	if record[0] != commitMark || record[2] != byte(key) || record[3] > 20 || record[4] != 0 {
		return 0, false
	}
	end := commitHeader + key + int(record[3])
	if len(record) < end+crc32.Size {
		return 0, false
	}
	if crc32.Checksum(record[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.BigEndian.Uint32(record[end:]) {
		return 0, false
	}
	version, err := strconv.ParseUint(string(record[commitHeader+key:end]), 10, 64)
	return version, err == nil
}

package badgerdb

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// committed returns the versions of the commits in the logs, and a [*DamagedError]
// when one between two is missing. Each commit is synced before the next begins, and
// has the next version; so a death or the power tears the last one only, and what
// badger would drop from a tear on had been acknowledged.
func (f *folder) committed() (versions, error) {
	logs, err := filepath.Glob(f.file("*.mem"))
	if err != nil {
		return nil, err
	}
	var found versions
	torn := false
	for _, name := range logs {
		log, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		whole, behind := commitsIn(log)
		for i, version := range slices.Concat(whole, behind) {
			last := len(found) - 1
			if torn || last >= 0 && version > found[last]+1 {
				return nil, &DamagedError{Dir: f.path, File: filepath.Base(name), Reason: fmt.Sprintf("it has commit %d, and one before that is missing or does not match its checksum", version)}
			}
			if torn = i >= len(whole); !torn {
				found = append(found, version)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// commitsIn returns the versions of the commits that are whole in a log, up to the
// first record that is not, and of those whose last record is behind that.
func commitsIn(log []byte) (whole, behind versions) {
	at := min(logHeader, len(log))
	for size := recordSize(log[at:]); size > 0; size = recordSize(log[at:]) {
		if version, ok := commitAt(log[at:]); ok {
			whole = append(whole, version)
		}
		at += size
	}
	for {
		next := bytes.Index(log[at:], []byte(commitKey))
		if next < 0 {
			return whole, behind
		}
		if next >= commitHeader {
			if version, ok := commitAt(log[at+next-commitHeader:]); ok {
				behind = append(behind, version)
			}
		}
		at += next + len(commitKey)
	}
}

// recordSize returns how long the record is that a log goes on with, or 0 when there
// is none that matches its checksum.
func recordSize(log []byte) int {
	at, sizes := 2, [3]uint64{} // of the key, of the value, and when it expires
	for i := range sizes {
		n := 0
		if at < len(log) {
			sizes[i], n = binary.Uvarint(log[at:])
		}
		if n <= 0 {
			return 0
		}
		at += n
	}
	room := uint64(len(log))
	if sizes[0] == 0 || sizes[0] > room || sizes[1] > room {
		return 0
	}
	end := uint64(at) + sizes[0] + sizes[1]
	if end+crc32.Size > room || !matches(log[:end], log[end:]) {
		return 0
	}
	return int(end) + crc32.Size
}

// matches says whether a record has its checksum behind it.
func matches(record, sum []byte) bool {
	return crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli)) == binary.BigEndian.Uint32(sum)
}

// commitAt returns the version of the record that ends a commit, when that is whole.
func commitAt(record []byte) (uint64, bool) {
	const key = len(commitKey) + 8
	if len(record) < commitHeader+key || record[0] != commitMark || string(record[commitHeader:commitHeader+len(commitKey)]) != commitKey || record[2] != byte(key) || record[3] > 20 || record[4] != 0 {
		return 0, false
	}
	end := commitHeader + key + int(record[3])
	if len(record) < end+crc32.Size || !matches(record[:end], record[end:]) {
		return 0, false
	}
	version, err := strconv.ParseUint(string(record[commitHeader+key:end]), 10, 64)
	return version, err == nil
}

package storage

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

// A backup is the line backupMagic, backupVersion, "\n"; the pairs in ascending
// order of their keys, each as length and bytes of the key, then of the value; a
// length of 0; the number of pairs; and the SHA-256 of all that. Lengths and the
// number are unsigned varints.
const (
	backupMagic   = "harness-backup "
	backupVersion = 1
)

// Copied is how much a backup or a restore went through.
type Copied struct {
	// Pairs is how many keys there are.
	Pairs int
	// Bytes is what their keys and values have together.
	Bytes int64
}

// BackupError is a stream that [Restore] does not take: it is not a backup, it has a
// version that this program does not know, or it was cut off or damaged.
type BackupError struct {
	// Offset is the byte at which that was noticed.
	Offset int64
	// Reason says what was noticed.
	Reason string
}

func (e *BackupError) Error() string {
	return fmt.Sprintf("not a whole backup: byte %d: %s", e.Offset, e.Reason)
}

// ErrNotEmpty is returned by [Restore] for a storage that holds something.
var ErrNotEmpty = errors.New("restore needs an empty storage, and this one has keys")

// Backup writes everything that a snapshot sees as one stream, which [Restore]
// reads, into a storage of any backend. Commits may run meanwhile. An error of w, of
// the snapshot or of ctx ends it; what was written is then no backup.
func Backup(ctx context.Context, from Snapshot, w io.Writer) (Copied, error) {
	var copied Copied
	sum := sha256.New()
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := io.MultiWriter(buffered, sum)
	var failed error
	write := func(parts ...[]byte) {
		for _, part := range parts {
			if failed == nil {
				_, failed = out.Write(part)
			}
		}
	}
	write([]byte(backupMagic + strconv.Itoa(backupVersion) + "\n"))
	for pair, err := range from.Scan(Range{}) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return copied, fmt.Errorf("backup after %d keys: %w", copied.Pairs, err)
		}
		write(length(len(pair.Key)), pair.Key, length(len(pair.Value)), pair.Value)
		if failed != nil {
			break
		}
		copied.add(pair)
	}
	write(length(0), length(copied.Pairs))
	write(sum.Sum(nil))
	if failed == nil {
		failed = buffered.Flush()
	}
	if failed != nil {
		return copied, fmt.Errorf("write backup after %d keys: %w", copied.Pairs, failed)
	}
	return copied, nil
}

// Restore fills an empty storage with what [Backup] wrote. The storage is good only
// when Restore returns no error: the checksum is the last thing read, and much was
// committed by then.
//
// A stream that is not a whole backup is a [*BackupError]; a storage that is not
// empty is [ErrNotEmpty].
func Restore(ctx context.Context, into Storage, r io.Reader) (Copied, error) {
	if err := empty(into); err != nil {
		return Copied{}, err
	}
	in := &backupReader{from: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
	if err := in.header(); err != nil {
		return Copied{}, err
	}
	var (
		copied Copied
		batch  []Write
		size   Size
	)
	flush := func() error {
		err := into.Commit(ctx, batch)
		batch, size = batch[:0], Size{}
		if err != nil {
			return fmt.Errorf("restore after %d keys: %w", copied.Pairs, err)
		}
		return nil
	}
	for {
		pair, more, err := in.pair()
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return copied, err
		}
		if !more {
			break
		}
		var one Size
		one.Add(Write(pair))
		if !size.With(one).Fits() {
			if err := flush(); err != nil {
				return copied, err
			}
		}
		batch, size = append(batch, Write(pair)), size.With(one)
		copied.add(pair)
	}
	if err := in.trailer(copied.Pairs); err != nil {
		return copied, err
	}
	return copied, flush()
}

func (c *Copied) add(pair Pair) {
	c.Pairs++
	c.Bytes += int64(len(pair.Key) + len(pair.Value))
}

// empty returns an error unless a storage has no keys.
func empty(s Storage) error {
	at, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer at.Close()
	for _, err := range at.Scan(Range{KeysOnly: true}) {
		if err != nil {
			return err
		}
		return ErrNotEmpty
	}
	return nil
}

func length(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// backupReader takes a backup apart.
type backupReader struct {
	from *bufio.Reader
	sum  hash.Hash
	at   int64
	last []byte // the key before
}

func (r *backupReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.sum.Write(p[:n])
	r.at += int64(n)
	return n, err
}

// ReadByte implements [io.ByteReader].
func (r *backupReader) ReadByte() (byte, error) {
	b, err := r.from.ReadByte()
	if err == nil {
		r.sum.Write([]byte{b})
		r.at++
	}
	return b, err
}

func (r *backupReader) refuse(format string, args ...any) error {
	return &BackupError{Offset: r.at, Reason: fmt.Sprintf(format, args...)}
}

// failed turns an error of reading into what is returned.
func (r *backupReader) failed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.refuse("it ends here, before its end: the rest was cut off")
	}
	return fmt.Errorf("read backup at byte %d: %w", r.at, err)
}

func (r *backupReader) header() error {
	var line []byte
	for len(line) < len(backupMagic)+10 && !bytes.HasSuffix(line, []byte("\n")) {
		b, err := r.ReadByte()
		if err != nil {
			return r.failed(err)
		}
		line = append(line, b)
	}
	text, named := strings.CutPrefix(string(line), backupMagic)
	version, err := strconv.Atoi(strings.TrimSuffix(text, "\n"))
	switch {
	case !named || err != nil:
		return r.refuse("it does not begin as a backup does")
	case version != backupVersion:
		return r.refuse("it has version %d and this program reads version %d: restore it with the program that wrote it", version, backupVersion)
	}
	return nil
}

// pair returns the next pair, or false at the end of the pairs.
func (r *backupReader) pair() (Pair, bool, error) {
	key, err := r.bytes("key", MaxKey)
	if err != nil || len(key) == 0 {
		return Pair{}, false, err
	}
	if bytes.Compare(key, r.last) <= 0 {
		return Pair{}, false, r.refuse("a key is not above the one before it: it was damaged")
	}
	r.last = key
	value, err := r.bytes("value", MaxValue)
	return Pair{Key: key, Value: value}, err == nil, err
}

func (r *backupReader) bytes(what string, most uint64) ([]byte, error) {
	n, err := r.number()
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, r.refuse("a %s of %d bytes, and there are none above %d: it was damaged", what, n, most)
	}
	read := make([]byte, n)
	if _, err := io.ReadFull(r, read); err != nil {
		return nil, r.failed(err)
	}
	return read, nil
}

// number reads a varint. What is wrong with one that overflows is not that it ends.
func (r *backupReader) number() (uint64, error) {
	before := r.at
	n, err := binary.ReadUvarint(r)
	switch {
	case err != nil && r.at-before >= binary.MaxVarintLen64:
		return 0, r.refuse("a number is too large: it was damaged")
	case err != nil:
		return 0, r.failed(err)
	}
	return n, nil
}

// trailer checks what follows the pairs.
func (r *backupReader) trailer(pairs int) error {
	count, err := r.number()
	if err != nil {
		return err
	}
	if count != uint64(pairs) {
		return r.refuse("it has %d keys and says that it has %d: it was damaged", pairs, count)
	}
	want := r.sum.Sum(nil)
	got := make([]byte, sha256.Size)
	if _, err := io.ReadFull(r, got); err != nil {
		return r.failed(err)
	}
	if !bytes.Equal(got, want) {
		return r.refuse("its checksum does not match what was read: it was damaged")
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		if err != nil {
			return r.failed(err)
		}
		return r.refuse("something follows its end: it was damaged")
	}
	return nil
}

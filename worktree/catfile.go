package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// readGit asks git cat-file for the objects that are not in found: git fetches
// those of a partial clone, and reads formats that the object store does not.
func (o *objects) readGit(ctx context.Context, kind plumbing.ObjectType, want []wanted, found map[Hash][]byte) error {
	var ask bytes.Buffer
	var asked []wanted
	for _, w := range want {
		if _, done := found[w.hash]; !done {
			found[w.hash] = nil // asked once, however often it is wanted
			asked = append(asked, w)
			fmt.Fprintln(&ask, w.hash)
		}
	}
	out, err := o.repo.opts.Git(ctx, o.repo.at, ask.Bytes(), "cat-file", "--batch")
	if err != nil {
		return &MissingObjectError{Object: asked[0].hash, Kind: kind.String(), Path: asked[0].path,
			Err: fmt.Errorf("%w, and git cat-file failed: %w", errNotThere, err)}
	}
	for _, w := range asked {
		data, rest, err := nextObject(kind, w.hash, out)
		if err != nil {
			return w.failure(kind, err)
		}
		if err := verify(kind, w.hash, data); err != nil {
			return w.failure(kind, err)
		}
		if o.budget -= int64(len(data)); o.budget < 0 {
			return &TooLargeError{What: "bytes", Limit: o.repo.opts.MaxBytes}
		}
		o.count++
		found[w.hash], out = bytes.Clone(data), rest
	}
	return nil
}

// nextObject takes one answer off the output of git cat-file --batch: the line
// "<id> <type> <size>", the contents and a newline, or the line "<id> missing"
// (git-cat-file(1), BATCH OUTPUT).
func nextObject(kind plumbing.ObjectType, hash Hash, out []byte) (data, rest []byte, err error) {
	line, rest, _ := bytes.Cut(out, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) == 2 && fields[0] == hash.String() && fields[1] == "missing" {
		return nil, rest, plumbing.ErrObjectNotFound
	}
	if len(fields) != 3 || fields[0] != hash.String() {
		return nil, nil, fmt.Errorf("git cat-file answered %q", line)
	}
	if fields[1] != kind.String() {
		return nil, nil, fmt.Errorf("it is a %s", fields[1])
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size < 0 || size >= len(rest) {
		return nil, nil, errors.New("git cat-file gave less than the whole object")
	}
	return rest[:size], rest[size+1:], nil
}

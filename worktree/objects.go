package worktree

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// alternatesDepth is how far git follows alternates of alternates.
const alternatesDepth = 5

// errNotThere is the reason of a MissingObjectError when nothing else went wrong.
var errNotThere = errors.New("it is not in the object store")

// emptyTree is the id of the tree without entries, which git knows without having
// it in the object store.
var emptyTree Hash = sha1.Sum([]byte("tree 0\x00"))

// wanted is an object to read, and where in the commit it stands.
type wanted struct {
	hash Hash
	path string
}

// objects reads the objects of one load. It opens the object store when it is
// made: a store kept over a repack finds neither old nor new objects.
// It is used by one goroutine.
type objects struct {
	repo   *Repo
	stores []*filesystem.ObjectStorage
	// budget is how many more bytes may be read.
	budget int64
	// count is how many objects were read.
	count int
}

func (r *Repo) openObjects() *objects {
	o := &objects{repo: r, budget: r.opts.MaxBytes}
	o.open()
	return o
}

func (o *objects) open() {
	o.close()
	seen := map[string]bool{}
	o.openStore(o.repo.git, seen, 0)
}

// openStore opens the store of one .git directory and those that it borrows from
// (gitrepository-layout(5), objects/info/alternates).
func (o *objects) openStore(git string, seen map[string]bool, depth int) {
	if seen[git] || depth > alternatesDepth {
		return
	}
	seen[git] = true
	dir := dotgit.New(objectFiles{world: o.repo.world, root: git})
	o.stores = append(o.stores, filesystem.NewObjectStorageWithOptions(dir, cache.NewObjectLRUDefault(), filesystem.Options{
		KeepDescriptors: true,
		// What is larger is refused anyway, and is not read into memory before that.
		LargeObjectThreshold: o.repo.opts.MaxBytes,
	}))
	data, err := o.repo.world.Read(path.Join(git, alternates))
	if err != nil {
		if !absent(err) {
			o.repo.opts.Logger.Warn("alternates cannot be read", "path", path.Join(git, alternates), "error", err)
		}
		return
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !path.IsAbs(line) {
			line = path.Join(git, "objects", line)
		}
		o.openStore(path.Dir(path.Clean(line)), seen, depth+1)
	}
}

// close gives the descriptors of the packs back.
func (o *objects) close() {
	for _, store := range o.stores {
		if err := store.Close(); err != nil {
			o.repo.opts.Logger.Warn("an object store was not closed", "error", err)
		}
	}
	o.stores = nil
}

// read gives the contents of objects of one kind. What the store does not have is
// looked for again in a store opened anew (a repack may have moved it), and then
// asked of git.
func (o *objects) read(ctx context.Context, kind plumbing.ObjectType, want []wanted) (map[Hash][]byte, error) {
	found := make(map[Hash][]byte, len(want))
	failures, err := o.readStores(ctx, kind, want, found)
	if err != nil || len(failures) == 0 {
		return found, err
	}
	o.open()
	failures, err = o.readStores(ctx, kind, want, found)
	if err != nil || len(failures) == 0 {
		return found, err
	}
	if o.repo.opts.Git != nil {
		return found, o.readGit(ctx, kind, want, found)
	}
	for _, w := range want {
		if err := failures[w.hash]; err != nil {
			return nil, w.failure(kind, err)
		}
	}
	return found, nil
}

func (w wanted) failure(kind plumbing.ObjectType, err error) error {
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return &MissingObjectError{Object: w.hash, Kind: kind.String(), Path: w.path, Err: errNotThere}
	}
	return &CorruptObjectError{Object: w.hash, Kind: kind.String(), Path: w.path, Err: err}
}

// readStores adds to found what is not there yet and the stores have, and says why
// the rest could not be read. Its error is one that no other try can help.
func (o *objects) readStores(ctx context.Context, kind plumbing.ObjectType, want []wanted, found map[Hash][]byte) (map[Hash]error, error) {
	var failures map[Hash]error
	for _, w := range want {
		if _, done := found[w.hash]; done {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		data, err := o.readStored(kind, w.hash)
		if int64(len(data)) > o.budget {
			return nil, &TooLargeError{What: "bytes", Limit: o.repo.opts.MaxBytes}
		}
		if err == nil {
			err = verify(kind, w.hash, data)
		}
		if err != nil {
			if failures == nil {
				failures = map[Hash]error{}
			}
			failures[w.hash] = err
			continue
		}
		o.budget -= int64(len(data))
		o.count++
		found[w.hash] = data
	}
	return failures, nil
}

// readStored reads one object from the first store that has it. Anybody in the world
// can write a pack, and go-git's decoders are not made for hostile ones: a panic
// there is an error of this object and no more.
func (o *objects) readStored(kind plumbing.ObjectType, hash Hash) (data []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the object store gave up: %v", cause)
		}
	}()
	if kind == plumbing.TreeObject && hash == emptyTree {
		return nil, nil
	}
	for _, store := range o.stores {
		var object plumbing.EncodedObject
		object, err = store.EncodedObject(kind, plumbing.Hash(hash))
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return contents(object, o.budget)
	}
	return nil, plumbing.ErrObjectNotFound
}

// contents reads an object, and one byte more than its limit when it is too large.
func contents(object plumbing.EncodedObject, limit int64) (_ []byte, err error) {
	reader, err := object.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var buffer bytes.Buffer
	// The size is what the object claims; one that lies must not make room for it.
	buffer.Grow(int(max(0, min(object.Size(), limit, 1<<20))) + bytes.MinRead)
	if _, err := buffer.ReadFrom(io.LimitReader(reader, limit+1)); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// verify recomputes an object's id, which neither go-git nor git cat-file does.
// Caches of what follows are keyed by that id.
func verify(kind plumbing.ObjectType, hash Hash, data []byte) error {
	sum := sha1.New()
	sum.Write(append(strconv.AppendInt([]byte(kind.String()+" "), int64(len(data)), 10), 0))
	sum.Write(data)
	if got := Hash(sum.Sum(nil)); got != hash {
		return fmt.Errorf("its contents have the id %s", got)
	}
	return nil
}

// hasCommit says whether the repository has a commit.
func (r *Repo) hasCommit(ctx context.Context, commit Hash) error {
	o := r.openObjects()
	defer o.close()
	_, err := o.read(ctx, plumbing.CommitObject, []wanted{{hash: commit}})
	return err
}

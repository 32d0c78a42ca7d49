package worktree

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// treeDepth bounds nested folders; no longer path could be written to a disk.
const treeDepth = 1000

// Snapshot is the file tree of one commit, whole and in memory. It never changes
// and is safe for concurrent use.
type Snapshot struct {
	commit Hash
	path   string
	top    *tree
	time   time.Time
}

// Commit gives the id of the commit.
func (s *Snapshot) Commit() Hash { return s.commit }

// Path gives the world path at which the commit is mounted and materialised.
func (s *Snapshot) Path() string { return s.path }

// Files gives the number of files, links and submodules.
func (s *Snapshot) Files() int64 { return s.top.files }

// Bytes gives the size of all contents together.
func (s *Snapshot) Bytes() int64 { return s.top.bytes }

// FS gives the tree for reading. Files are 0444 or 0555, all of them as old as the
// commit. Symbolic links are followed inside the commit only: one that leads out
// of it is a *LeavesSnapshotError. A submodule is listed with fs.ModeIrregular,
// and reading it is a *SubmoduleError. It implements fs.ReadFileFS, fs.ReadDirFS,
// fs.StatFS and fs.ReadLinkFS.
func (s *Snapshot) FS() fs.FS { return snapshotFS{s} }

// Blob gives the id of a file's contents, links followed, and whether there is
// such a file. The path is one that fs.ValidPath accepts.
func (s *Snapshot) Blob(name string) (Hash, bool) {
	found, err := s.find("open", name, true)
	if err != nil || found.kind != regular && found.kind != executable {
		return Hash{}, false
	}
	return found.hash, true
}

// Snapshot reads a commit into memory. Folders and contents that previous (which
// may be nil) has at the same place are shared with it and not read again.
//
// Errors: *MissingObjectError, *CorruptObjectError, *EntryError, *TooLargeError,
// *NoRepositoryError, and the cause of ctx. Nothing on disk changes.
func (r *Repo) Snapshot(ctx context.Context, commit Hash, previous *Snapshot) (*Snapshot, error) {
	if err := r.diagnose(); err != nil {
		return nil, err
	}
	objects := r.openObjects()
	defer objects.close()
	return r.snapshot(ctx, objects, commit, previous)
}

func (r *Repo) snapshot(ctx context.Context, objects *objects, commit Hash, previous *Snapshot) (*Snapshot, error) {
	load := &load{objects: objects, commit: commit, trees: map[Hash]*tree{}}
	found, err := objects.read(ctx, plumbing.CommitObject, []wanted{{hash: commit}})
	if err != nil {
		return nil, err
	}
	header, err := decodeCommit(found[commit])
	if err != nil {
		return nil, &CorruptObjectError{Object: commit, Kind: "commit", Err: err}
	}
	var old *tree
	if previous != nil {
		old = previous.top
	}
	top, err := load.top(ctx, Hash(header.TreeHash), old)
	if err != nil {
		var large *TooLargeError
		if errors.As(err, &large) {
			large.Commit = commit
		}
		return nil, err
	}
	return &Snapshot{
		commit: commit,
		path:   path.Join(r.snapshots, commit.String()),
		top:    top,
		time:   header.Committer.When,
	}, nil
}

func decodeCommit(data []byte) (*object.Commit, error) {
	encoded := &plumbing.MemoryObject{}
	encoded.SetType(plumbing.CommitObject)
	if _, err := encoded.Write(data); err != nil {
		return nil, err
	}
	commit, err := object.DecodeCommit(nil, encoded)
	if err == nil && commit.TreeHash.IsZero() {
		err = errors.New("it names no tree")
	}
	return commit, err
}

// load builds the tree of one commit, level by level, so that each level is one
// request to whatever holds the objects.
type load struct {
	objects *objects
	commit  Hash
	trees   map[Hash]*tree // read in this load
	blobs   []pendingBlob
}

// pendingTree is a folder to be read, and what was at its place in the previous snapshot.
type pendingTree struct {
	tree *tree
	old  *tree
	path string
}

type pendingBlob struct {
	entry *entry
	path  string
}

func (l *load) top(ctx context.Context, hash Hash, old *tree) (*tree, error) {
	if old != nil && old.hash == hash {
		return old, nil
	}
	top := &tree{hash: hash}
	l.trees[hash] = top
	level := []pendingTree{{tree: top, old: old, path: "."}}
	for depth := 0; len(level) > 0; depth++ {
		if depth == treeDepth {
			return nil, &TooLargeError{What: "nested folders", Limit: treeDepth}
		}
		next, err := l.level(ctx, level)
		if err != nil {
			return nil, err
		}
		level = next
	}
	if err := l.readBlobs(ctx); err != nil {
		return nil, err
	}
	top.count()
	if limit := l.objects.repo.opts.MaxFiles; top.files > limit {
		return nil, &TooLargeError{What: "files", Limit: limit}
	}
	if limit := l.objects.repo.opts.MaxBytes; top.bytes > limit {
		return nil, &TooLargeError{What: "bytes", Limit: limit}
	}
	return top, nil
}

// level reads folders that are equally deep, and gives those below them that are not known.
func (l *load) level(ctx context.Context, level []pendingTree) ([]pendingTree, error) {
	want := make([]wanted, len(level))
	for i, p := range level {
		want[i] = wanted{hash: p.tree.hash, path: p.path}
	}
	found, err := l.objects.read(ctx, plumbing.TreeObject, want)
	if err != nil {
		return nil, err
	}
	var next []pendingTree
	for _, p := range level {
		p.tree.entries, err = parseTree(p.tree.hash, p.path, found[p.tree.hash])
		if err != nil {
			return nil, err
		}
		for i := range p.tree.entries {
			below, err := l.resolve(p, &p.tree.entries[i])
			if err != nil {
				return nil, err
			}
			if below != nil {
				next = append(next, *below)
			}
		}
	}
	return next, nil
}

// resolve takes what an entry stands for from the previous snapshot or from this
// load; else it notes the blob, or gives the folder, that must be read.
func (l *load) resolve(in pendingTree, e *entry) (*pendingTree, error) {
	old := in.old.find(e.name)
	at := path.Join(in.path, e.name)
	switch e.kind {
	case submodule:
	case folder:
		if old != nil && old.kind == folder && old.hash == e.hash {
			e.tree = old.tree
			return nil, nil
		}
		if e.tree = l.trees[e.hash]; e.tree != nil {
			return nil, nil
		}
		e.tree = &tree{hash: e.hash}
		l.trees[e.hash] = e.tree
		below := &pendingTree{tree: e.tree, path: at}
		if old != nil {
			below.old = old.tree
		}
		return below, nil
	default:
		if old != nil && old.hash == e.hash && old.hasBlob() {
			e.data = old.data
			return nil, nil
		}
		l.blobs = append(l.blobs, pendingBlob{entry: e, path: at})
	}
	return nil, nil
}

func (l *load) readBlobs(ctx context.Context) error {
	if len(l.blobs) == 0 {
		return nil
	}
	want := make([]wanted, len(l.blobs))
	for i, p := range l.blobs {
		want[i] = wanted{hash: p.entry.hash, path: p.path}
	}
	found, err := l.objects.read(ctx, plumbing.BlobObject, want)
	if err != nil {
		return err
	}
	for _, p := range l.blobs {
		p.entry.data = found[p.entry.hash]
	}
	return nil
}

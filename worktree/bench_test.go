package worktree

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// many commits n small files in folders of ten.
func (f *fixture) many(n int) Hash {
	f.Helper()
	for i := range n {
		f.write(fmt.Sprintf("extensions/e%d/f%d.ts", i/10, i%10), fmt.Sprintf("export const n = %d\n", i))
	}
	return f.commit("many")
}

// ratio reports how long the work took beside its floor, which is measured in the
// same run.
func ratio(b *testing.B, floor, work time.Duration) {
	b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "floor-µs/op")
	b.ReportMetric(float64(work)/float64(max(floor, 1)), "×floor")
}

// From a ref that is renamed into place to a caller that has read it; the floor is
// the reading.
func BenchmarkNotification(b *testing.B) {
	f := newFixture(b, Options{MissingGrace: time.Nanosecond})
	commits := [2]Hash{f.commit("a"), f.commit("b")}
	ctx, cancel := context.WithCancel(context.Background())
	seen, done := make(chan Hash, 16), make(chan error, 1)
	go func() {
		var last Hash
		done <- f.repo.Watch(ctx, func() {
			if hash, err := f.repo.Tip(ctx); err == nil && hash != last {
				last = hash
				seen <- hash
			}
		})
	}()
	<-seen
	var floor, work time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		to := commits[i%2]
		lock := f.repo.git + "/refs/heads/main.lock"
		if err := f.repo.create(lock, []byte(to.String()+"\n"), false); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		start := time.Now()
		if err := f.repo.rename(lock, f.repo.git+"/refs/heads/main"); err != nil {
			b.Fatal(err)
		}
		for <-seen != to {
		}
		work += time.Since(start)
		start = time.Now()
		if _, err := f.repo.Tip(ctx); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(start)
	}
	ratio(b, floor, work)
	cancel()
	<-done
}

// A commit that changes one file of many; the floor is the object store's bare
// reading of that file.
func BenchmarkSnapshotOneChanged(b *testing.B) {
	for _, files := range []int{100, 1000} {
		for _, packed := range []bool{false, true} {
			b.Run(fmt.Sprintf("files=%d/packed=%t", files, packed), func(b *testing.B) {
				f := newFixture(b, Options{})
				commit := f.many(files)
				if packed {
					f.git("gc", "-q")
				}
				before := f.snapshot(commit, nil)
				f.write("extensions/e3/f3.ts", "export const n = 'changed'\n")
				commit = f.commit("changed")
				blob := plumbing.NewHash(f.git("rev-parse", "HEAD:extensions/e3/f3.ts"))
				var floor, work time.Duration
				for b.Loop() {
					start := time.Now()
					f.snapshot(commit, before)
					work += time.Since(start)
					start = time.Now()
					bareRead(b, f, blob)
					floor += time.Since(start)
				}
				ratio(b, floor, work)
			})
		}
	}
}

func bareRead(b *testing.B, f *fixture, blobs ...plumbing.Hash) {
	store := filesystem.NewStorageWithOptions(osfs.New(f.dir+"/.git"), cache.NewObjectLRUDefault(), filesystem.Options{KeepDescriptors: true})
	for _, blob := range blobs {
		object, err := store.EncodedObject(plumbing.BlobObject, blob)
		if err != nil {
			b.Fatal(err)
		}
		reader, err := object.Reader()
		if err != nil {
			b.Fatal(err)
		}
		data := make([]byte, object.Size())
		if _, err := reader.Read(data); err != nil && len(data) > 0 {
			b.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}

// A commit of which nothing is known yet; the floor is the object store's bare
// reading of all its files.
func BenchmarkSnapshotWhole(b *testing.B) {
	for _, files := range []int{100, 1000} {
		for _, packed := range []bool{false, true} {
			b.Run(fmt.Sprintf("files=%d/packed=%t", files, packed), func(b *testing.B) {
				f := newFixture(b, Options{})
				commit := f.many(files)
				if packed {
					f.git("gc", "-q")
				}
				var blobs []plumbing.Hash
				f.snapshot(commit, nil).top.walk(func(e *entry) { blobs = append(blobs, plumbing.Hash(e.hash)) })
				var floor, work time.Duration
				for b.Loop() {
					start := time.Now()
					f.snapshot(commit, nil)
					work += time.Since(start)
					start = time.Now()
					bareRead(b, f, blobs...)
					floor += time.Since(start)
				}
				ratio(b, floor, work)
			})
		}
	}
}

// walk visits the files of a tree.
func (t *tree) walk(visit func(*entry)) {
	for i := range t.entries {
		if e := &t.entries[i]; e.kind == folder {
			e.tree.walk(visit)
		} else {
			visit(e)
		}
	}
}

// A worktree written, registered and removed; the floor is real git doing the same.
func BenchmarkMaterialise(b *testing.B) {
	for _, files := range []int{100, 1000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			f := newFixture(b, Options{})
			commit := f.many(files)
			s := f.snapshot(commit, nil)
			at := f.host("/tmp/by-git")
			var floor, work time.Duration
			for b.Loop() {
				start := time.Now()
				if err := f.repo.Materialise(b.Context(), s); err != nil {
					b.Fatal(err)
				}
				if err := f.repo.Remove(b.Context(), commit); err != nil {
					b.Fatal(err)
				}
				work += time.Since(start)
				start = time.Now()
				f.git("worktree", "add", "-q", "--detach", at, commit.String())
				f.git("worktree", "remove", "--force", at)
				floor += time.Since(start)
			}
			ratio(b, floor, work)
		})
	}
}

// A ref moved and on the disk; the floor is git update-ref.
func BenchmarkSetRef(b *testing.B) {
	f := newFixture(b, Options{})
	commits := [2]Hash{f.commit("a"), f.commit("b")}
	f.git("update-ref", "refs/sausage/good", commits[1].String())
	var floor, work time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := f.repo.SetRef(b.Context(), "refs/sausage/good", commits[i%2], commits[(i+1)%2]); err != nil {
			b.Fatal(err)
		}
		work += time.Since(start)
		start = time.Now()
		f.git("update-ref", "refs/sausage/by-git", commits[i%2].String())
		floor += time.Since(start)
	}
	ratio(b, floor, work)
}

package worktree

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDamagedRepositoriesAreErrors(t *testing.T) {
	for _, withGit := range []bool{false, true} {
		for name, test := range map[string]struct {
			damage func(f *fixture, blob string)
			kind   string
			lost   bool
		}{
			"blob removed":    {func(f *fixture, blob string) { f.remove(loose(blob)) }, "blob", true},
			"blob not zlib":   {func(f *fixture, blob string) { f.replace(loose(blob), []byte("no zlib")) }, "blob", false},
			"blob cut":        {func(f *fixture, blob string) { f.truncate(loose(blob), 20) }, "blob", false},
			"blob empty":      {func(f *fixture, blob string) { f.truncate(loose(blob), 0) }, "blob", false},
			"blob is another": {func(f *fixture, blob string) { f.replace(loose(blob), packed("blob 1\x00x")) }, "blob", false},
			"tree removed":    {func(f *fixture, _ string) { f.remove(loose(f.git("rev-parse", "HEAD:extensions"))) }, "tree", true},
			"commit removed":  {func(f *fixture, _ string) { f.remove(loose(f.git("rev-parse", "HEAD"))) }, "commit", true},
		} {
			t.Run(fmt.Sprintf("%s/git %t", name, withGit), func(t *testing.T) {
				f := newFixture(t, Options{})
				if withGit {
					f.repo.opts.Git = worldGit(f.root)
				}
				f.write("extensions/a/server.ts", strings.Repeat("content ", 100))
				commit := f.commit("first")
				test.damage(f, f.git("rev-parse", "HEAD:extensions/a/server.ts"))
				_, err := f.repo.Snapshot(t.Context(), commit, nil)
				var missing *MissingObjectError
				var corrupt *CorruptObjectError
				switch {
				case errors.As(err, &missing) && missing.Kind == test.kind && (test.lost || withGit):
				case errors.As(err, &corrupt) && corrupt.Kind == test.kind && !test.lost:
				default:
					t.Fatalf("unexpected error (%T): %v", err, err)
				}
				if test.kind == "blob" && !strings.Contains(err.Error(), "extensions/a/server.ts") {
					t.Errorf("it does not say where: %v", err)
				}
			})
		}
	}
}

func loose(id string) string { return ".git/objects/" + id[:2] + "/" + id[2:] }

func packed(content string) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return out.Bytes()
}

func (f *fixture) replace(name string, data []byte) {
	f.Helper()
	f.remove(name)
	f.write(name, string(data))
}

func (f *fixture) truncate(name string, size int64) {
	f.Helper()
	at := filepath.Join(f.dir, name)
	if err := errors.Join(os.Chmod(at, 0o600), os.Truncate(at, size)); err != nil {
		f.Fatal(err)
	}
}

// An index that claims more objects than it has room for is refused before memory is
// made for them.
func TestDamagedPackIndexCostsNoMemory(t *testing.T) {
	f := newFixture(t, Options{})
	commit := f.sample()
	f.git("repack", "-adq")
	found, err := filepath.Glob(filepath.Join(f.dir, ".git/objects/pack/*.idx"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	whole, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(found[0], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{8, 8 + 128*4, 8 + 255*4, 8 + 255*4 + 1} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x7f
		if err := os.WriteFile(found[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := f.repo.Snapshot(t.Context(), commit, nil)
		runtime.ReadMemStats(&after)
		if !errors.As(err, new(*CorruptObjectError)) || !strings.Contains(err.Error(), "pack index") {
			t.Errorf("damaged at %d: %v", at, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 50<<20 {
			t.Errorf("damaged at %d: %d MiB of memory", at, used>>20)
		}
	}
}

// A pack may be cut or overwritten at any byte; that must be an error or the right
// content, and never a panic.
func TestDamagedPacksNeverPanic(t *testing.T) {
	f := newFixture(t, Options{})
	long := strings.Repeat("the same line again and again\n", 100)
	var commit Hash
	for i := range 4 {
		f.write("long", long+fmt.Sprint(i))
		commit = f.commit("longer")
	}
	f.git("repack", "-adfq", "--depth=50")
	for _, pattern := range []string{"*.pack", "*.idx"} {
		found, err := filepath.Glob(filepath.Join(f.dir, ".git/objects/pack", pattern))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		whole, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(found[0], 0o600); err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += max(1, len(whole)/150) {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 0x5a
			for _, data := range [][]byte{damaged, whole[:at]} {
				if err := os.WriteFile(found[0], data, 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := f.repo.Snapshot(t.Context(), commit, nil)
				if err != nil {
					continue
				}
				if got, err := fs.ReadFile(s.FS(), "long"); err != nil || string(got) != long+"3" {
					t.Errorf("%s damaged at %d: read %d bytes, %v", pattern, at, len(got), err)
				}
			}
		}
		if err := os.WriteFile(found[0], whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDangerousEntriesAreRefused(t *testing.T) {
	f := newFixture(t, Options{})
	blob := f.object("blob", []byte("x"))
	empty := f.object("tree", nil)
	for name, data := range map[string][]byte{
		"dot":             rawTree("100644", ".", blob),
		"dot dot":         rawTree("40000", "..", empty),
		"git folder":      rawTree("40000", ".git", empty),
		"git upper case":  rawTree("100644", ".GIT", blob),
		"git mixed case":  rawTree("120000", ".gIt", blob),
		"no name":         rawTree("100644", "", blob),
		"slash":           rawTree("100644", "a/b", blob),
		"twice":           rawTree("100644", "a", blob, "100644", "a", blob),
		"file and folder": rawTree("100644", "a", blob, "40000", "a", empty),
		"device":          rawTree("20644", "a", blob),
		"no mode":         rawTree("", "a", blob),
	} {
		below := f.object("tree", rawTree("40000", "below", f.object("tree", data)))
		_, err := f.repo.Snapshot(t.Context(), f.commitTree(below), nil)
		var refused *EntryError
		if !errors.As(err, &refused) || refused.Path != "below" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range map[string][]byte{
		"cut":      rawTree("100644", "a", blob)[:20],
		"no space": []byte("100644"),
		"rubbish":  []byte("\x00\x00\x00"),
	} {
		_, err := f.repo.Snapshot(t.Context(), f.commitTree(f.object("tree", data)), nil)
		if !errors.As(err, new(*CorruptObjectError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.repo.Snapshot(t.Context(), f.object("commit", []byte("nonsense")), nil); !errors.As(err, new(*CorruptObjectError)) {
		t.Errorf("commit of nonsense: %v", err)
	}
}

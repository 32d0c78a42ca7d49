package worktree

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-d579e5eb/harness/vfs"
)

const (
	// symbolicDepth is how many symbolic refs git follows (SYMREF_MAXDEPTH).
	symbolicDepth = 5
	// emptyRetries times emptyPause is how long an empty ref file is taken for one
	// that another program is writing in place.
	emptyRetries = 100
	emptyPause   = 2 * time.Millisecond
)

// Tip gives the newest commit of the branch. When there is none it waits for
// [Options].MissingGrace before it gives a *NoRepositoryError, *UnbornError or
// *NoBranchError. Other errors: *UnsupportedError, *BrokenRefError, the cause of
// ctx, and errors of the file system.
func (r *Repo) Tip(ctx context.Context) (Hash, error) {
	deadline := r.opts.Clock.Now().Add(r.opts.MissingGrace)
	for {
		hash, err := r.tipNow(ctx)
		if err == nil || !isMissing(err) || !r.opts.Clock.Now().Before(deadline) {
			return hash, err
		}
		if err := r.wait(ctx, min(10*time.Millisecond, r.opts.MissingGrace)); err != nil {
			return Hash{}, err
		}
	}
}

func (r *Repo) tipNow(ctx context.Context) (Hash, error) {
	hash, found, err := r.Ref(ctx, r.branch)
	if err != nil || found {
		return hash, err
	}
	if err := r.diagnose(); err != nil {
		return Hash{}, err
	}
	head, _, err := r.readRef(ctx, "HEAD")
	if err != nil {
		return Hash{}, err
	}
	if head.symbolic == r.branch {
		return Hash{}, &UnbornError{Path: r.at, Branch: r.opts.Branch}
	}
	others, err := r.branches()
	if err != nil {
		return Hash{}, err
	}
	return Hash{}, &NoBranchError{Path: r.at, Branch: r.opts.Branch, Others: others}
}

// Ref gives what a ref (its full name) leads to, symbolic refs followed, and
// whether it exists. Errors: *RefNameError, *BrokenRefError, *UnsupportedError, the
// cause of ctx, and errors of the file system.
func (r *Repo) Ref(ctx context.Context, ref string) (Hash, bool, error) {
	if err := checkRefName(ref); err != nil {
		return Hash{}, false, err
	}
	_, value, found, err := r.resolveRef(ctx, ref)
	if err != nil || found {
		return value.hash, found, err
	}
	if tables, err := r.reftable(); err != nil || !tables {
		return Hash{}, false, err
	}
	return r.reftableRef(ctx, ref)
}

// resolveRef follows symbolic refs, and gives the name of the last one too.
func (r *Repo) resolveRef(ctx context.Context, ref string) (string, refValue, bool, error) {
	for range symbolicDepth {
		value, found, err := r.readRef(ctx, ref)
		if err != nil || !found || value.symbolic == "" {
			return ref, value, found, err
		}
		if err := checkRefName(value.symbolic); err != nil {
			return ref, refValue{}, false, &BrokenRefError{Ref: ref, Content: "ref: " + value.symbolic}
		}
		ref = value.symbolic
	}
	return ref, refValue{}, false, fmt.Errorf("ref %s: more than %d symbolic refs lead to one another", ref, symbolicDepth)
}

// refValue is what a ref holds: an id, or the name of another ref.
type refValue struct {
	hash     Hash
	symbolic string
}

// readRef reads one ref. The loose file comes first and packed-refs second: git
// writes packed-refs before it removes a loose file, so that the other order could
// give an old value.
func (r *Repo) readRef(ctx context.Context, ref string) (refValue, bool, error) {
	for try := 0; ; try++ {
		data, err := r.world.Read(path.Join(r.git, ref))
		if err != nil {
			if !noLooseRef(err) {
				return refValue{}, false, fmt.Errorf("read ref %s: %w", ref, err)
			}
			return r.packedRef(ref)
		}
		text := strings.TrimSpace(string(data))
		if text != "" {
			value, err := r.parseRef(ref, text)
			return value, err == nil, err
		}
		if try == emptyRetries {
			return refValue{}, false, &BrokenRefError{Ref: ref}
		}
		if err := r.wait(ctx, emptyPause); err != nil {
			return refValue{}, false, err
		}
	}
}

// noLooseRef reports whether an error means that a ref has no file of its own; a
// folder of that name, which pack-refs leaves behind, is none.
func noLooseRef(err error) bool {
	return absent(err) || errors.Is(err, syscall.EISDIR)
}

func (r *Repo) parseRef(ref, text string) (refValue, error) {
	if target, ok := strings.CutPrefix(text, "ref:"); ok {
		return refValue{symbolic: strings.TrimSpace(target)}, nil
	}
	if hash, err := ParseHash(text); err == nil {
		return refValue{hash: hash}, nil
	}
	if _, err := hex.DecodeString(text); err == nil && len(text) == 64 {
		return refValue{}, &UnsupportedError{Path: r.at, Format: "object format sha256", Advice: "make it anew with git init --object-format=sha1"}
	}
	return refValue{}, &BrokenRefError{Ref: ref, Content: text[:min(len(text), 80)]}
}

func (r *Repo) packedRef(ref string) (refValue, bool, error) {
	data, err := r.world.Read(path.Join(r.git, "packed-refs"))
	if absent(err) {
		return refValue{}, false, nil
	}
	if err != nil {
		return refValue{}, false, fmt.Errorf("read packed-refs: %w", err)
	}
	line, found := packedLine(data, ref)
	if !found {
		return refValue{}, false, nil
	}
	value, err := r.parseRef(ref, string(data[line:line+bytes.IndexByte(data[line:], ' ')]))
	return value, err == nil, err
}

// packedLine gives the offset of a ref's line in a packed-refs file, whose lines
// are "<id> <ref>", "^<id>" for the line above, or a comment
// (gitrepository-layout(5), packed-refs).
func packedLine(data []byte, ref string) (int, bool) {
	needle := []byte(" " + ref + "\n")
	for from := 0; ; {
		at := bytes.Index(data[from:], needle)
		if at < 0 {
			return 0, false
		}
		at += from
		line := bytes.LastIndexByte(data[:at], '\n') + 1
		if data[line] != '#' && !bytes.ContainsRune(data[line:at], ' ') {
			return line, true
		}
		from = at + 1
	}
}

// branches lists the short names of all branches, loose and packed, sorted.
func (r *Repo) branches() ([]string, error) {
	const prefix = "refs/heads/"
	found := map[string]bool{}
	data, err := r.world.Read(path.Join(r.git, "packed-refs"))
	if err != nil && !absent(err) {
		return nil, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		_, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		if short, ok := strings.CutPrefix(ref, prefix); ok {
			found[short] = true
		}
	}
	if err := r.looseBranches("", found); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (r *Repo) looseBranches(below string, found map[string]bool) error {
	entries, err := r.world.List(path.Join(r.git, "refs/heads", below))
	if absent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list branches: %w", err)
	}
	for _, entry := range entries {
		name := path.Join(below, entry.Name)
		switch {
		case entry.Kind == vfs.KindDirectory:
			if err := r.looseBranches(name, found); err != nil {
				return err
			}
		case entry.Kind == vfs.KindFile && !strings.HasSuffix(name, ".lock"):
			found[name] = true
		}
	}
	return nil
}

// reftableRef asks git for a ref that is kept in the reftable format.
func (r *Repo) reftableRef(ctx context.Context, ref string) (Hash, bool, error) {
	if r.opts.Git == nil {
		return Hash{}, false, r.noReftable(errors.New("there is no git program"))
	}
	out, err := r.opts.Git(ctx, r.at, nil, "for-each-ref", "--format=%(objectname) %(refname)", ref)
	if err != nil {
		return Hash{}, false, r.noReftable(err)
	}
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == ref {
			hash, err := ParseHash(id)
			return hash, err == nil, err
		}
	}
	return Hash{}, false, nil
}

func (r *Repo) noReftable(err error) error {
	return fmt.Errorf("%w (%w)", &UnsupportedError{
		Path: r.at, Format: "ref format reftable",
		Advice: "install git 2.45 or newer in the world, or run git refs migrate --ref-format=files",
	}, err)
}

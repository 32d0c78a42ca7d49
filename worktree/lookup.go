package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// linkDepth and linkLength are how many symbolic links a path may lead through and
// how long the target of one may be, as on Linux (path_resolution(7)).
const (
	linkDepth  = 40
	linkLength = 4095
)

// step is one name of a path that is being followed.
type step struct {
	name string
	link *LeavesSnapshotError // what is wrong when this step leaves the snapshot: the link it comes from
}

func steps(to string, link *LeavesSnapshotError) []step {
	names := strings.Split(to, "/")
	all := make([]step, len(names))
	for i, name := range names {
		all[i] = step{name: name, link: link}
	}
	return all
}

// find gives the entry that a path leads to; with follow, also through a link at
// its end. The top is an entry of its own, named ".".
func (s *Snapshot) find(op, name string, follow bool) (*entry, error) {
	if !fs.ValidPath(strings.ToValidUTF8(name, "?")) { // names of git are in any encoding
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	w := &walk{
		stack: []*entry{{name: ".", kind: folder, hash: s.top.hash, tree: s.top}},
		left:  steps(name, nil),
	}
	for len(w.left) > 0 {
		if err := w.step(follow); err != nil {
			return nil, &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return w.here(), nil
}

// walk is a path being followed: where it has come to, and the way that is left.
type walk struct {
	stack  []*entry // from the top to here
	places []string // names of the stack above the top
	left   []step
	links  int // followed so far
}

func (w *walk) here() *entry { return w.stack[len(w.stack)-1] }

// step goes on by one name.
func (w *walk) step(follow bool) error {
	part, link := w.left[0].name, w.left[0].link
	w.left = w.left[1:]
	switch w.here().kind {
	case folder:
	case submodule:
		return &SubmoduleError{Commit: w.here().hash}
	default:
		return fs.ErrNotExist
	}
	switch part {
	case ".", "":
		return nil
	case "..":
		if len(w.places) == 0 {
			return link
		}
		w.stack, w.places = w.stack[:len(w.stack)-1], w.places[:len(w.places)-1]
		return nil
	}
	next := w.here().tree.find(part)
	if next == nil {
		return fs.ErrNotExist
	}
	if next.kind == symlink && (follow || len(w.left) > 0) {
		return w.followLink(next)
	}
	w.stack, w.places = append(w.stack, next), append(w.places, part)
	return nil
}

// followLink puts the target of a link in front of the way that is left.
func (w *walk) followLink(link *entry) error {
	if w.links++; w.links > linkDepth {
		return errors.New("too many levels of symbolic links")
	}
	target := string(link.data)
	leaves := &LeavesSnapshotError{Link: path.Join(path.Join(w.places...), link.name), Target: target}
	if path.IsAbs(target) {
		return leaves
	}
	if target == "" || len(target) > linkLength {
		return fmt.Errorf("the target of the symbolic link %s has %d bytes", leaves.Link, len(target))
	}
	w.left = append(steps(target, leaves), w.left...)
	return nil
}

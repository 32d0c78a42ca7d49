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
	fail := func(err error) (*entry, error) { return nil, &fs.PathError{Op: op, Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	stack := []*entry{{name: ".", kind: folder, hash: s.top.hash, tree: s.top}}
	var places []string // names of the stack above the top
	left := steps(name, nil)
	for links := 0; len(left) > 0; {
		part, link := left[0].name, left[0].link
		left = left[1:]
		here := stack[len(stack)-1]
		if here.kind == submodule {
			return fail(&SubmoduleError{Commit: here.hash})
		}
		if here.kind != folder {
			return fail(fs.ErrNotExist)
		}
		if part == "." || part == "" {
			continue
		}
		if part == ".." {
			if len(places) == 0 {
				return fail(link)
			}
			stack, places = stack[:len(stack)-1], places[:len(places)-1]
			continue
		}
		next := here.tree.find(part)
		if next == nil {
			return fail(fs.ErrNotExist)
		}
		if next.kind != symlink || len(left) == 0 && !follow {
			stack, places = append(stack, next), append(places, part)
			continue
		}
		if links++; links > linkDepth {
			return fail(errors.New("too many levels of symbolic links"))
		}
		target := string(next.data)
		leaves := &LeavesSnapshotError{Link: path.Join(path.Join(places...), part), Target: target}
		if path.IsAbs(target) {
			return fail(leaves)
		}
		if target == "" || len(target) > linkLength {
			return fail(fmt.Errorf("the target of the symbolic link %s has %d bytes", leaves.Link, len(target)))
		}
		left = append(steps(target, leaves), left...)
	}
	return stack[len(stack)-1], nil
}

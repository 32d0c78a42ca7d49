package worktree

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// linkDepth is how many symbolic links a path may lead through, as on Linux.
const linkDepth = 40

// find gives the entry that a path leads to; with follow, also through a link at
// its end. The top is an entry of its own, named ".".
func (s *Snapshot) find(op, name string, follow bool) (*entry, error) {
	fail := func(err error) (*entry, error) { return nil, &fs.PathError{Op: op, Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	stack := []*entry{{name: ".", kind: folder, hash: s.top.hash, tree: s.top}}
	var places []string // names of the stack above the top
	var leaves LeavesSnapshotError
	left := strings.Split(name, "/")
	for links := 0; len(left) > 0; {
		part := left[0]
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
				return fail(&leaves)
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
		leaves = LeavesSnapshotError{Link: path.Join(path.Join(places...), part), Target: target}
		if path.IsAbs(target) {
			return fail(&leaves)
		}
		left = append(strings.Split(target, "/"), left...)
	}
	return stack[len(stack)-1], nil
}

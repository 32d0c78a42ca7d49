// Package worktree is the git side of the world: it says when a branch may have
// moved, reads a commit into memory, lays a commit out on disk as a linked
// worktree that real git lists and works in, and moves refs without losing
// anybody's update.
//
// Everything goes through the confined file system of the world, so that a
// command which replaces a part of .git by a link reaches nothing outside. No git
// program is needed, except for what the object store cannot read (a partial
// clone, a pack without an index) and for reftable; there the program is run
// through [Options].Git.
//
// Blobs are the bytes of the commit, not of a checkout: no line ending
// conversion, no filter and no replacement ref is applied.
package worktree

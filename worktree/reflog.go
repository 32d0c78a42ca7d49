package worktree

import (
	"context"
	"fmt"
	"path"
)

// logRef adds a move to the logs that git keeps of the ref, and of HEAD when HEAD
// names the ref. A line is "<old> <new> <identity> <seconds> <zone>\t<message>"
// (gitrepository-layout(5), logs). A log that cannot be written does not stop the
// move: the ref is what counts.
func (r *Repo) logRef(ctx context.Context, ref string, old, to Hash) {
	now := r.opts.Clock.Now()
	line := fmt.Sprintf("%s %s %s %d %s\tharness: moved\n", old, to, r.opts.Identity, now.Unix(), now.Format("-0700"))
	names := []string{ref}
	if head, found, err := r.readRef(ctx, "HEAD"); err == nil && found && head.symbolic == ref {
		names = append(names, "HEAD")
	}
	for _, name := range names {
		log := path.Join(r.git, "logs", name)
		info, err := r.world.Lstat(log)
		if absent(err) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err == nil {
			err = r.world.Append(log, []byte(line))
		}
		if err != nil {
			r.opts.Logger.Warn("the log of a ref was not written", "ref", name, "error", err)
		}
	}
}

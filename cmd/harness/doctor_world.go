package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/worktree"
)

func (p *program) checkWorld(context.Context) []finding {
	f := finding{Check: "world", Verdict: fine, Message: p.world}
	_, err := os.Stat(p.world)
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.Verdict, f.Message = warning, "there is none at "+p.world
		f.Advice = "make one with harness init, or name one with --world"
	case err != nil:
		f.Verdict, f.Message = failure, err.Error()
	case !isFolder(p.layout().Root()):
		f.Verdict, f.Message = failure, p.world+" has no folder root"
		f.Advice = "name the directory that harness init made, not one inside it"
	case p.layout().Check() != nil:
		f.Verdict, f.Message = failure, p.layout().Check().Error()
	default:
		for _, dir := range []string{p.layout().Root(), p.layout().State()} {
			if err := unix.Access(dir, unix.W_OK); err != nil && !errors.Is(err, os.ErrNotExist) {
				f.Verdict, f.Message = failure, fmt.Sprintf("%s cannot be written to: %v", dir, err)
				f.Advice = "run as the user that the world belongs to"
			}
		}
	}
	return []finding{f}
}

// checkRepository looks for the branch. Without a world it has nothing to say.
func (p *program) checkRepository(ctx context.Context) []finding {
	if p.layout().Check() != nil {
		return nil
	}
	f := finding{Check: "repository", Verdict: fine}
	tip, err := p.tip(ctx)
	var noRepository *worktree.NoRepositoryError
	var noBranch *worktree.NoBranchError
	var unborn *worktree.UnbornError
	switch {
	case errors.As(err, &noRepository):
		f.Advice = "make one: git init --initial-branch=main, in root" + host.Repository
	case errors.As(err, &unborn):
		f.Advice = "commit something"
	case errors.As(err, &noBranch):
		f.Advice = "rename the branch that you work on: git branch --move main"
	}
	if err != nil {
		f.Verdict, f.Message = failure, err.Error()
	} else {
		f.Message = "main is at " + short(tip.String())
	}
	return []finding{f}
}

func (p *program) tip(ctx context.Context) (tip worktree.Hash, err error) {
	world, err := vfs.Open(p.layout().Root(), vfs.Options{})
	if err != nil {
		return tip, err
	}
	defer closing(&err, world)
	repository, err := worktree.Open(world, host.Repository, worktree.Options{})
	if err != nil {
		return tip, err
	}
	return repository.Tip(ctx)
}

// checkHarness says whether one runs, what is live, and whether the database can
// be read.
func (p *program) checkHarness(ctx context.Context) []finding {
	if p.layout().Check() != nil {
		return nil
	}
	var status host.Status
	message := "none runs; the database can be read"
	err := p.reach(ctx, func(client *control.Client) (err error) {
		message = "one runs and answers"
		status, err = client.Status(ctx)
		return err
	}, func() (err error) {
		status, err = host.ReadStatus(ctx, p.world)
		return err
	})
	if err != nil {
		return []finding{{Check: "serving", Verdict: failure, Message: err.Error()}}
	}
	findings := []finding{{Check: "serving", Verdict: fine, Message: message}}
	if status.Error != nil {
		findings = append(findings, finding{
			Check: "newest commit", Verdict: warning, Message: "it is not live: " + *status.Error,
			Advice: "commit a fix, or go back with harness revert",
		})
	}
	return findings
}

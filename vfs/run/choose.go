package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// probeTimeout bounds trying out one way.
const probeTimeout = 30 * time.Second

// order lists the ways, the best first.
func order() []Name { return []Name{Chroot, UserNS, Bubblewrap, Plain} }

// choose takes the first way in which a command runs.
func (r *Runner) choose(ctx context.Context) error {
	var reasons []string
	for _, name := range order() {
		if r.options.Way != "" && r.options.Way != name {
			continue
		}
		opened, err := r.open(ctx, name)
		if err != nil {
			reasons = append(reasons, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if name == Plain && r.options.Way != Plain {
			r.options.Logger.Warn("commands are not confined to the world", "because", reasons, "unconfined", unconfinedBy(Plain))
		}
		r.way = Way{Name: name, Unconfined: unconfinedBy(name)}
		r.base = r.environment(name)
		r.starter = opened
		return nil
	}
	if len(reasons) == 0 {
		return fmt.Errorf("unknown way %q (known: %v)", r.options.Way, order())
	}
	return errors.New(strings.Join(reasons, "; "))
}

// Ways tries out every way of running commands on this machine, the best first.
func (r *Runner) Ways(ctx context.Context) []Way {
	var ways []Way
	for _, name := range order() {
		way := Way{Name: name, Unconfined: unconfinedBy(name)}
		opened, err := r.open(ctx, name)
		if err == nil {
			err = opened.close()
		}
		if err != nil {
			way.Reason = err.Error()
		}
		ways = append(ways, way)
	}
	return ways
}

// open makes a way ready and runs a command in it.
func (r *Runner) open(ctx context.Context, name Name) (starter, error) {
	opened, err := r.openUntried(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := r.try(ctx, name, opened); err != nil {
		return nil, errors.Join(err, opened.close())
	}
	return opened, nil
}

func (r *Runner) openUntried(ctx context.Context, name Name) (starter, error) {
	if name == Plain {
		return &plain{world: r.world}, nil
	}
	describe := func() (layout, error) { return makeLayout(r.world, r.private, r.options) }
	if name == UserNS {
		return openHelper(ctx, describe, r.options)
	}
	mounts, err := describe()
	if err != nil {
		return nil, err
	}
	switch name {
	case Chroot:
		if os.Geteuid() != 0 {
			return nil, errors.New("needs root")
		}
		return openLauncher(mounts, false)
	case Bubblewrap:
		return openBubblewrap(r.world, mounts)
	}
	return nil, fmt.Errorf("unknown way %q", name)
}

func (r *Runner) try(ctx context.Context, name Name, opened starter) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	p := process{
		Argv:  []string{"/bin/sh", "-c", "exit 7"},
		Env:   merged(r.environment(name)),
		Dir:   "/",
		files: [3]*os.File{r.null, r.null, r.null},
	}
	started, err := opened.start(ctx, p)
	if err != nil {
		return err
	}
	ended, _, err := r.await(ctx, started, probeTimeout)
	started.end()
	if err == nil && ended.code() != 7 {
		err = fmt.Errorf("a command that ends with 7 ended with %d", ended.code())
	}
	return err
}

func (r *Runner) environment(name Name) []EnvVar {
	if name != Plain {
		return environment(programsDir, gitConfigAt, "/home", "/tmp")
	}
	root := r.world.HostRoot()
	env := environment(r.private.bin(), r.private.gitConfig(), filepath.Join(root, "/home"), filepath.Join(root, "/tmp"))
	return append(env, EnvVar{"HARNESS_ROOT", root})
}

func unconfinedBy(name Name) []string {
	network := "the network is the host's"
	if name != Plain {
		return []string{network}
	}
	return []string{
		"/ is the host's: every file that this user may read or write can be reached",
		"absolute paths are host paths; the world is at $HARNESS_ROOT",
		"processes of the host can be seen and signalled",
		"a process that clears its environment can outlive its command",
		"/proc has no files of the harness",
		network,
	}
}

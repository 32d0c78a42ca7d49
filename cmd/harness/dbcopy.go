package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/host"
)

type dbBackupCommand struct {
	File string `arg:"" optional:"" default:"-" placeholder:"FILE" help:"The file to write; - is the standard output."`
}

// Help implements [kong.HelpProvider].
func (*dbBackupCommand) Help() string {
	return `A running harness goes on meanwhile; the backup shows one moment, and ends with a checksum. A file that exists is
replaced once the backup is whole and on the disk. The files below DIR/root are not in it: git and cp copy those.

Examples:

    harness db backup world.backup
    harness db backup | ssh elsewhere 'cat > world.backup'`
}

// Run writes the backup.
func (c *dbBackupCommand) Run(ctx context.Context, p *program) error {
	var copied storage.Copied
	write := func(w io.Writer) error {
		return p.withDatabase(ctx, func(d database) (err error) {
			copied, err = d.Backup(ctx, w)
			return err
		})
	}
	if c.File == "-" {
		if p.out.terminal {
			return usage("a backup is not for a terminal: name a file, or redirect the output")
		}
		return write(p.out)
	}
	path, err := backupPath(c.File, p.world)
	if err != nil {
		return fmt.Errorf("backup to %s: %w", c.File, err)
	}
	if err := writeWhole(path, write); err != nil {
		return fmt.Errorf("backup to %s: %w", c.File, err)
	}
	p.say("%d keys, %s", copied.Pairs, size(uint64(copied.Bytes)))
	return nil
}

// backupPath returns where a backup is written, links followed. The folder of the
// world's state is no place for it: it would replace a file of the database.
func backupPath(file, world string) (string, error) {
	path, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		var folder string
		if _, is := os.Readlink(file); is == nil {
			return "", errors.New("it is a link to a file that is not there: name that file")
		}
		folder, err = filepath.EvalSymlinks(filepath.Dir(file))
		path = filepath.Join(folder, filepath.Base(file))
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", err
	}
	state, err := os.Stat(host.Layout{Dir: world}.State())
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		folder, err := os.Stat(at)
		if err != nil {
			return "", err
		}
		if os.SameFile(folder, state) {
			return "", errors.New("that is in the state of the world, which a backup is to outlast: name another folder")
		}
		if at == filepath.Dir(at) {
			return path, nil
		}
	}
}

// writeWhole writes a file that nobody else may read, and gives it its name once it
// is whole and on the disk. What is there and is no file, like a pipe, is written to.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

type dbRestoreCommand struct {
	File string `arg:"" placeholder:"FILE" help:"The backup; - is the standard input."`
	Dir  string `arg:"" optional:"" placeholder:"DIR" help:"The world; the one of --world when there is none."`
}

// Help implements [kong.HelpProvider].
func (*dbRestoreCommand) Help() string {
	return `No harness may have the world, and it must have no database: move the old one, DIR/state/database, aside. A file
that is not a whole backup is refused, and leaves no database.

Example:

    mv world/state/database world/state/database.old
    harness db restore world.backup`
}

// Run restores the backup.
func (c *dbRestoreCommand) Run(ctx context.Context, p *program) (err error) {
	world := p.world
	if c.Dir != "" {
		if world, err = filepath.Abs(c.Dir); err != nil {
			return fmt.Errorf("find the world: %w", err)
		}
	}
	from := p.in
	if c.File != "-" {
		if from, err = os.Open(c.File); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		defer closing(&err, from)
	}
	copied, err := host.RestoreDatabase(ctx, world, &interruptible{ctx: ctx, from: from})
	var running *host.RunningError
	switch {
	case errors.As(err, &running):
		return fmt.Errorf("a database is restored while no harness has the world: %w", err)
	case err != nil:
		return err
	}
	p.say("%d keys, %s", copied.Pairs, size(uint64(copied.Bytes)))
	return nil
}

// interruptible reads until its context ends, which nothing else can do to a read of
// a pipe or of a terminal.
type interruptible struct {
	ctx  context.Context
	from io.Reader
	own  []byte // what the read that runs fills
}

// Read implements [io.Reader]. After an error of the context the read that runs is
// left behind on purpose; it ends with the process at the latest.
func (r *interruptible) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	type result struct {
		n   int
		err error
	}
	if r.own == nil {
		r.own = make([]byte, 64<<10)
	}
	into := r.own[:min(len(r.own), len(p))]
	ended := make(chan result, 1)
	go func() {
		n, err := r.from.Read(into)
		ended <- result{n, err}
	}()
	select {
	case got := <-ended:
		return copy(p, into[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	if err := writeWhole(c.File, write); err != nil {
		return fmt.Errorf("backup to %s: %w", c.File, err)
	}
	p.say("%d keys, %s", copied.Pairs, size(uint64(copied.Bytes)))
	return nil
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
	copied, err := host.RestoreDatabase(ctx, world, from)
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

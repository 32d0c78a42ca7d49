package main

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/host"
)

type dbCommand struct {
	Backup  dbBackupCommand  `cmd:"" help:"Write everything that is stored into a file."`
	Restore dbRestoreCommand `cmd:"" help:"Make a world's database of a backup."`
	Check   dbCheckCommand   `cmd:"" help:"Read the whole database and say what is wrong in it."`
	Stats   dbStatsCommand   `cmd:"" help:"Show how much is stored, and what it takes of the disk."`
}

// database is that of a harness that runs, reached through its socket, or of a world
// that none serves.
type database interface {
	Backup(ctx context.Context, w io.Writer) (storage.Copied, error)
	Check(ctx context.Context) iter.Seq2[durable.Violation, error]
	Stats(ctx context.Context) (host.DatabaseStats, error)
}

var (
	_ database = (*control.Client)(nil)
	_ database = (*host.Database)(nil)
)

// withDatabase uses the world's database.
func (p *program) withDatabase(ctx context.Context, use func(database) error) error {
	return p.reach(ctx, func(client *control.Client) error { return use(client) }, func() (err error) {
		own, err := host.OpenDatabase(p.world)
		if err != nil {
			return err
		}
		defer closing(&err, own)
		return use(own)
	})
}

type dbCheckCommand struct {
	Most int `default:"20" placeholder:"N" help:"Print that many at most, 20 by default; 0 for all."`
}

// Help implements [kong.HelpProvider].
func (*dbCheckCommand) Help() string {
	return `It reads every row, compares checksums, looks at what rows say of each other, and replays every document. It
changes no row, and a running harness goes on. It fails when something is wrong.

Example:

    harness db check`
}

// Run prints what is wrong.
func (c *dbCheckCommand) Run(ctx context.Context, p *program) error {
	found, more := 0, ""
	err := p.withDatabase(ctx, func(d database) error {
		for violation, err := range d.Check(ctx) {
			if err != nil {
				return err
			}
			if c.Most > 0 && found == c.Most {
				more = ", and there is more"
				break
			}
			found++
			p.say("%s", violation)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case found > 0:
		return fmt.Errorf("the database is damaged: %d found%s; stop the harness, move the database aside, and restore a backup", found, more)
	}
	p.say("nothing is wrong")
	return nil
}

type dbStatsCommand struct {
	JSON bool `name:"json" help:"Print a JSON document, whose sizes are in bytes."`
}

// Help implements [kong.HelpProvider].
func (*dbStatsCommand) Help() string {
	return `Example:

    harness db stats`
}

// Run shows the measures.
func (c *dbStatsCommand) Run(ctx context.Context, p *program) error {
	var stats host.DatabaseStats
	err := p.withDatabase(ctx, func(d database) (err error) {
		stats, err = d.Stats(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(p.out, stats)
	}
	p.say("commits      %d, in format %d", stats.Commits, stats.Format)
	p.say("stored       %d conversations with %d entries, %d tasks (%d live), %d submissions (%d open)",
		stats.Conversations, stats.Entries, stats.Tasks, stats.LiveTasks, stats.Submissions, stats.OpenSubmissions)
	p.say("             %d documents (%d live) in %d rows, %d events, %d consumers",
		stats.Documents, stats.LiveDocuments, stats.Contents, stats.Events, stats.Consumers)
	if disk := stats.Disk; disk != nil {
		p.say("folder       %s, in format %d", disk.Folder, disk.Format)
		p.say("on the disk  %s: tables %s, large values %s, log %s", size(disk.Used), size(disk.Tables), size(disk.Values), size(disk.Log))
		free := size(disk.Free)
		if disk.Free < disk.Need {
			free = p.out.paint(red, free)
		}
		p.say("free         %s; below %s commits are refused", free, size(disk.Need))
	}
	return nil
}

// size is a number of bytes as people read it.
func size(bytes uint64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", bytes)
}

package durable

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// taskMigration is what a definition makes of a task of an older version.
type taskMigration struct {
	definition *TaskDefinition
	of         record.Task
	// done says that it is known what that is.
	done bool
	migrated
}

// migrated is a task's input and checkpoint in a newer version, or why there are none.
type migrated struct {
	input, checkpoint json.RawMessage
	err               error
}

// fits says whether the migration is what a definition makes of a task as it is now.
func (m *taskMigration) fits(definition *TaskDefinition, task record.Task) bool {
	return m.definition == definition && m.of.Version == task.Version && string(m.of.State.Checkpoint) == string(task.State.Checkpoint)
}

// migrated has a definition take on a task of an older version. It returns when the
// definition's code does.
func (d *TaskDefinition) migrated(ctx context.Context, task record.Task) (m migrated) {
	m.err = apart(func() error {
		input, checkpoint, err := d.Migrate(ctx, task.Input, task.State.Checkpoint, task.Version)
		if err != nil {
			return err
		}
		if m.input, err = normalized(fmt.Sprintf("the input of a migrated task %q", d.Name), input); err != nil {
			return err
		}
		m.checkpoint, err = d.checkpoint(checkpoint)
		return err
	})
	return m
}

// migrations are the older tasks, until these run. The scheduler's mutex guards them.
type migrations struct {
	of map[record.TaskID]*taskMigration
	// underway counts those that may take more time, and later are the tasks whose turn
	// comes once they are fewer.
	underway int
	later    []record.TaskID
}

// crowded is how many migrations go on at once. They would use up each other's time.
const crowded = 16

// next takes out the tasks whose turn has come.
func (m *migrations) next() []record.TaskID {
	turn := m.later[:min(len(m.later), max(crowded-m.underway, 0))]
	m.later = m.later[len(turn):]
	return turn
}

// unsettled returns the tasks that another definition may have go another way.
func (m *migrations) unsettled() []record.TaskID {
	found := m.later
	m.later = nil
	for id, one := range m.of {
		if !one.done {
			found = append(found, id)
		}
	}
	return found
}

// migration returns how the migration of a task stands; nil when there is none.
func (c *scheduler) migration(id record.TaskID) *taskMigration {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.migrations.of[id]
	if m == nil {
		return nil
	}
	now := *m
	return &now
}

// migrate has the older tasks of an adopted pass migrated, each on a goroutine of its
// own. Each is looked at anew when it is known what became of it.
func (p *pass) migrate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.older {
		id := one.of.ID
		begun := p.migrations.of[id]
		switch {
		case begun != nil && begun.fits(one.definition, one.of):
		case p.redefined != p.of:
			p.again = append(p.again, id)
		case p.migrations.underway >= crowded:
			p.migrations.later = append(p.migrations.later, id)
		default:
			m := &taskMigration{definition: one.definition, of: one.of}
			p.migrations.of[id] = m
			p.migrations.underway++
			from := p.definitions.retain()
			p.running.Go(func() { p.scheduler.await(m, from) })
		}
	}
}

// await calls the code of a migration, and goes on without it when its time is over.
func (c *scheduler) await(m *taskMigration, from *lease) {
	defer from.Release()
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(context.Canceled)
	if budget := c.session.options.CommitBudget; budget > 0 {
		defer c.session.options.Clock.AfterFunc(budget, func() {
			late := &MigrationTimeoutError{budget}
			c.conclude(m, migrated{err: late})
			cancel(late)
		})()
	}
	c.conclude(m, m.definition.migrated(ctx, m.of))
}

// conclude notes what became of a migration: the first that is said counts.
func (c *scheduler) conclude(m *taskMigration, became migrated) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.done {
		return
	}
	m.done, m.migrated = true, became
	c.migrations.underway--
	if id := m.of.ID; c.migrations.of[id] == m {
		c.again = append(c.again, id)
	}
	c.wake()
}

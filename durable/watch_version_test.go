package durable_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// tally is a document of the tests in several versions: version 2 counts in tens.
func tally(version int) *durable.DocumentDefinition {
	return &durable.DocumentDefinition{
		Kind: "test.tally", Version: version, Scope: record.SessionScope,
		Initial: func(json.RawMessage) (*value.Object, error) { return ofN(0), nil },
		Migrate: func(old *value.Object, version int) (*value.Object, error) {
			n, _ := old.Get("n")
			if n == value.Number(13) {
				return nil, errors.New("unlucky")
			}
			return ofN(10 * n.(value.Number)), nil
		},
	}
}

func ofN(n value.Number) *value.Object { return value.NewObject(value.Member{Key: "n", Value: n}) }

func tallied(s *opened, version int, n value.Number) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		draft, err := tx.Draft(tally(version), durable.InSession(), "", nil)
		if err != nil {
			return err
		}
		return draft.Set(ofN(n))
	})
}

// watching returns a client of a tally that is 1, in the first version.
func watching(t *testing.T, version int) (*opened, *client) {
	s := open(t, durable.Options{})
	tallied(s, 1, 1)
	watch, err := s.WatchDocument(within(t), tally(version), durable.InSession(), "")
	return s, attach(t, watch, err)
}

func TestAWatchMigratesWhatOlderDefinitionsCommit(t *testing.T) {
	s, c := watching(t, 2)
	c.shows(`{"n":10}`)
	tallied(s, 1, 2)
	tallied(s, 1, 3)
	requireOps(t, c.next(), `[["s",["n"],20]]`)
	requireOps(t, c.next(), `[["s",["n"],30]]`)
	tallied(s, 2, 31)
	tallied(s, 2, 32)
	requireOps(t, c.next(), `[["s",["n"],31]]`)
	requireOps(t, c.next(), `[["s",["n"],32]]`)
}

func TestACommitThatOnlyChangesTheVersionIsNoFrame(t *testing.T) {
	s, c := watching(t, 2)
	tallied(s, 2, 10) // the same as it was migrated to
	tallied(s, 2, 11)
	requireOps(t, c.next(), `[["s",["n"],11]]`)
}

func TestManyOldFramesAreOneOfTheNewVersion(t *testing.T) {
	s, c := watching(t, 2)
	for n := range 101 {
		tallied(s, 1, value.Number(n+2))
	}
	requireOps(t, c.next(), `[["r",{"n":1020}]]`)
	tallied(s, 1, 103)
	requireOps(t, c.next(), `[["s",["n"],1030]]`)
}

func TestAWatchEndsWhenADefinitionIsTooOldForIt(t *testing.T) {
	s, c := watching(t, 1)
	tallied(s, 1, 2)
	tallied(s, 2, 21)
	c.next()
	end := c.ended(durable.WatchListenerError)
	if version, is := errors.AsType[*durable.VersionError](end); !is || version.Stored != 2 || version.Known != 1 {
		t.Fatal(end)
	}
	if _, err := s.WatchDocument(within(t), tally(1), durable.InSession(), ""); err == nil {
		t.Fatal("a document is watched by a definition that cannot read it")
	}
}

func TestAWatchEndsWhenAMigrationFails(t *testing.T) {
	s, c := watching(t, 2)
	tallied(s, 1, 13)
	c.ended(durable.WatchListenerError)
	c.shows(`{"n":10}`)
	if watch, err := s.WatchDocument(within(t), tally(2), durable.InSession(), ""); err == nil || watch != nil {
		t.Fatal(watch, err)
	}
}

func TestAMigrationMayWatchWhatItMigrates(t *testing.T) {
	s := open(t, durable.Options{})
	tallied(s, 1, 1)
	newer := tally(2)
	migrate := newer.Migrate
	newer.Migrate = func(old *value.Object, version int) (*value.Object, error) {
		watch, err := s.WatchDocument(within(t), tally(1), durable.InSession(), "")
		if err != nil {
			return nil, err
		}
		watch.Stop()
		return migrate(old, version)
	}
	watch, err := s.WatchDocument(within(t), newer, durable.InSession(), "")
	attach(t, watch, err).shows(`{"n":10}`)
}

func TestWatchesOfSeveralVersionsShareADocument(t *testing.T) {
	s, newer := watching(t, 2)
	watch, err := s.WatchDocument(within(t), tally(1), durable.InSession(), "")
	older := attach(t, watch, err)
	tallied(s, 1, 4)
	newer.next()
	older.next()
	newer.shows(`{"n":40}`)
	older.shows(`{"n":4}`)
	tallied(s, 2, 41)
	newer.next()
	older.ended(durable.WatchListenerError)
	newer.shows(`{"n":41}`)
}

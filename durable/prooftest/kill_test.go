package prooftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
)

// childVariable says in the environment of a process that it works through the load
// in a folder, instead of running tests.
const childVariable = "HARNESS_TEST_LOAD"

// forEver is a target that no load reaches.
const forEver = 1 << 30

const lanes = 4

// effects opens the journal of what tasks did outside of the session.
func effects(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "effects"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// child works through the load until it dies, and says what is acknowledged.
func child(dir string) error {
	journal, err := effects(dir)
	if err != nil {
		return err
	}
	db, err := badgerdb.Open(filepath.Join(dir, "session"), badgerdb.Options{})
	if err != nil {
		return err
	}
	l, err := begin(context.Background(), db, lanes, forEver, os.Stdout, journal)
	if err != nil {
		return err
	}
	for part, err := range l.run(context.Background()) {
		if !errors.Is(err, errDone) {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	return errDone
}

// killed has a child work, kills it when it has acknowledged so much or after so
// long, and returns the lines that it said.
func killed(t *testing.T, dir string, lines int, after time.Duration) string {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), childVariable+"="+dir), os.Stderr
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	death := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer death.Stop()
	var said strings.Builder
	buffer := make([]byte, 4096)
	for counted := 0; ; {
		n, err := output.Read(buffer)
		said.Write(buffer[:n])
		if counted += strings.Count(string(buffer[:n]), "\n"); counted >= lines {
			_ = c.Process.Kill()
		}
		if err != nil {
			break
		}
	}
	rest, _ := io.ReadAll(output)
	said.Write(rest)
	if err := c.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the child was not killed: %v\n%s", err, said.String())
	}
	return said.String()[:strings.LastIndexByte(said.String(), '\n')+1]
}

// TestADeathAtAnyInstantLosesNothingThatWasAcknowledged kills a process that works
// through the load, also while it opens what the one before left, and looks at what
// is there. In the end the load is driven to its end.
func TestADeathAtAnyInstantLosesNothingThatWasAcknowledged(t *testing.T) {
	dir, seed := t.TempDir(), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var said, fresh string // fresh is what was not looked for yet
	for round := range rounds(20, 200) {
		lines, after := 1+random.IntN(120), time.Minute
		if round%4 == 1 {
			lines, after = forEver, time.Duration(random.IntN(300))*time.Millisecond
		}
		fresh += killed(t, dir, lines, after)
		if round%2 == 0 {
			continue // the next child recovers, and dies of it perhaps
		}
		inspect(t, dir, fresh)
		said, fresh = said+fresh, ""
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	said += fresh
	journal, err := effects(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	l := opened(t, dir, journal)
	at, _, err := places().Read(t.Context(), l, durable.InSession())
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range at.Lanes {
		count, _, err := tally().Read(t.Context(), l, durable.InConversation(lane))
		if err != nil {
			t.Fatal(err)
		}
		l.target = max(l.target, count.Steps+4)
	}
	for part, err := range l.run(t.Context()) {
		if err != nil && !errors.Is(err, errDone) {
			t.Errorf("%s: %v", part, err)
		}
	}
	verify(t, l.Session)
	verifyEnd(t, l.Session, l.target)
	steps := verifyAcknowledged(t, l.Session, said)
	t.Logf("%d of %d steps were acknowledged before a death", steps, l.target*lanes)
	if steps == 0 {
		t.Error("no child lived long enough to acknowledge a step")
	}
	shut(t, l)
	inspectEffects(t, dir)
}

// inspect looks at what a dead process left, without going on with it.
func inspect(t *testing.T, dir, said string) {
	t.Helper()
	l := opened(t, dir, io.Discard)
	verify(t, l.Session)
	verifyAcknowledged(t, l.Session, said)
	shut(t, l)
	inspectEffects(t, dir)
}

func inspectEffects(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	verifyEffects(t, string(text))
}

// opened opens a database in this process.
func opened(t *testing.T, dir string, effects io.Writer) *load {
	t.Helper()
	db, err := badgerdb.Open(filepath.Join(dir, "session"), badgerdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := begin(t.Context(), db, lanes, 0, io.Discard, effects)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func shut(t *testing.T, l *load) {
	t.Helper()
	if err := l.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

package host

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWhateverHappensToTheRepositoryTheNewestGoodCommitServes does what people do to
// a repository, in any order, and compares the harness with a model of it: the tip
// is live when it is good, else the commit that was live before.
func TestWhateverHappensToTheRepositoryTheNewestGoodCommitServes(t *testing.T) {
	histories, steps := "3", "20"
	if *soak {
		histories, steps = "100", "50"
	}
	for name, value := range map[string]string{"rapid.checks": histories, "rapid.steps": steps} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, pair(0))
		m := &imagined{testWorld: w, versions: map[string]int{}, live: 0}
		m.noted(w.git("rev-parse", "HEAD"), 0)
		m.start(r)
		defer m.stop(r)
		r.Repeat(map[string]func(*rapid.T){
			"":                m.settled,
			"good commit":     m.good,
			"broken commit":   m.broken,
			"several":         m.several,
			"reset":           m.reset,
			"pack refs":       func(*rapid.T) { w.git("pack-refs", "--all") },
			"collect":         func(*rapid.T) { w.git("gc", "--quiet", "--prune=now") },
			"restart":         func(r *rapid.T) { m.stop(r); m.start(r) },
			"no change":       func(*rapid.T) { w.git("update-ref", "refs/heads/main", w.git("rev-parse", "HEAD")) },
			"reload":          m.reload,
			"amend":           m.amend,
			"linked worktree": m.linked,
		})
	})
}

// imagined is a world with what the harness must make of it.
type imagined struct {
	*testWorld
	host     *testHost
	versions map[string]int // of good commits; broken ones have -1
	commits  []string
	tip      string
	live     int // the version that serves
	next     int
}

func (m *imagined) noted(commit string, version int) {
	m.versions[commit] = version
	m.commits = append(m.commits, commit)
	m.moved(commit)
}

// moved follows the branch to a commit.
func (m *imagined) moved(commit string) {
	m.tip = commit
	if version := m.versions[commit]; version >= 0 {
		m.live = version
	}
}

func (m *imagined) start(r *rapid.T) {
	h, err := m.tryOpen()
	if err != nil {
		r.Fatal(err)
	}
	m.host = h
}

func (m *imagined) stop(r *rapid.T) {
	if err := m.host.Close(m.Context()); err != nil {
		r.Error(err)
	}
}

func (m *imagined) good(*rapid.T) {
	m.next++
	m.noted(m.commit(pair(m.next)), m.next)
	m.await()
}

func (m *imagined) broken(r *rapid.T) {
	m.next++
	how := rapid.SampledFrom([]string{"export default (", `throw new Error("broken");`, `import "./none.ts";`, "export default () => { throw 1; };"}).Draw(r, "how")
	m.noted(m.commit(files{server("a"): fmt.Sprintf("// %d\n%s", m.next, how)}), -1)
	m.await()
}

// several moves the branch on before the harness has settled: only the last counts,
// and those in between may or may not have served.
func (m *imagined) several(*rapid.T) {
	for range 3 {
		m.next++
		m.noted(m.commit(pair(m.next)), m.next)
	}
	m.await()
}

func (m *imagined) reset(r *rapid.T) {
	to := rapid.SampledFrom(m.commits).Draw(r, "to")
	if !m.has(to) {
		return
	}
	m.git("reset", "--quiet", "--hard", to)
	m.moved(to)
	m.await()
}

// has reports whether the repository still has a commit: what nothing refers to is
// collected.
func (m *imagined) has(commit string) bool {
	return strings.Contains(m.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"), commit)
}

func (m *imagined) amend(*rapid.T) {
	version := m.versions[m.tip]
	m.git("commit", "--quiet", "--amend", "--allow-empty", fmt.Sprintf("--message=amended after %d", m.next))
	m.noted(m.git("rev-parse", "HEAD"), version)
	m.await()
}

func (m *imagined) linked(*rapid.T) {
	m.next++
	at := m.path("tmp/linked")
	m.git("worktree", "add", "--quiet", "--detach", at, "HEAD")
	m.write(pair(m.next))
	m.git("worktree", "remove", "--force", at)
	m.noted(m.commit(nil), m.next)
	m.await()
}

func (m *imagined) reload(r *rapid.T) {
	if err := m.host.Reload(m.Context()); err != nil {
		r.Error(err)
	}
}

// await waits until the harness has judged the tip.
func (m *imagined) await() {
	if m.versions[m.tip] < 0 {
		m.host.refused(m.tip)
		return
	}
	m.host.live(m.tip)
}

// settled compares the harness with the model.
func (m *imagined) settled(r *rapid.T) {
	m.await()
	if got, want := m.host.call("pair"), fmt.Sprintf("%d=%d", m.live, m.live); got != want {
		r.Fatalf("%s serves, want %s; status %s", got, want, asJSON(m.host.Status()))
	}
	status := m.host.Status()
	if m.versions[*status.Good] != m.live {
		r.Fatalf("good is version %d, want %d", m.versions[*status.Good], m.live)
	}
	if ref := m.git("rev-parse", GoodRef); ref != *status.Good {
		r.Fatalf("%s is %s, want %s", GoodRef, ref, *status.Good)
	}
}

package host

import (
	"context"
	"encoding/json"
	"log/slog"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/testdata/world"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// testLog writes log lines to the test.
type testLog struct{ t testing.TB }

func (l testLog) Write(line []byte) (int, error) {
	l.t.Helper()
	l.t.Log(string(line))
	return len(line), nil
}

func openWorld(t testing.TB, dir string) *Host {
	t.Helper()
	h, err := Open(context.Background(), Options{
		Dir: dir, Logger: slog.New(slog.NewTextHandler(testLog{t}, nil)), Store: &MemoryStore{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	command := exec.Command("git", append([]string{"-C", filepath.Join(dir, "root/src/sausage"), "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, output)
	}
}

func TestExampleWorldGoesLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "world")
	if err := Init(context.Background(), dir, world.Files()); err != nil {
		t.Fatal(err)
	}
	h := openWorld(t, dir)
	status := h.Status()
	text, _ := json.MarshalIndent(status, "", " ")
	if status.Good == nil {
		t.Fatalf("nothing is live:\n%s", text)
	}
	t.Logf("%s", text)
	start := time.Now()
	for _, member := range h.Registry().Current().Tools() {
		t.Log(member.Name, string(member.Parameters))
	}
	t.Log(time.Since(start))
}

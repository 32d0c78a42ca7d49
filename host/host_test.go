package host

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/seed-d579e5eb/harness/testdata/world"
)

func TestTheExampleWorldGoesLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "world")
	if err := Init(context.Background(), dir, world.Files()); err != nil {
		t.Fatal(err)
	}
	w := &testWorld{TB: t, dir: dir}
	h := w.open()
	h.live(w.git("rev-parse", "HEAD"))
	if tools := h.Registry().Current().Tools(); len(tools) < 8 {
		t.Errorf("%d tools are live", len(tools))
	}
}

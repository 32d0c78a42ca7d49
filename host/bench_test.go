package host

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// benchExtension is an extension of about 200 lines whose tool answers version.
func benchExtension(name string, version int) string {
	source := fmt.Sprintf("import { defineExtension, defineTool } from \"@earendil-works/pi-durable\";\n\nconst version = %d;\n", version)
	for i := range 36 {
		source += fmt.Sprintf(`
interface Shape%[1]d { width: number; height: number; label?: string }
function area%[1]d(shape: Shape%[1]d): number {
  const { width, height, label = "none" } = shape;
  return label.length + width * height;
}
`, i)
	}
	return source + fmt.Sprintf(`
export default defineExtension({
  name: %q,
  tools: [defineTool({
    name: "%s_version",
    description: "Says which version this is.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: async () => ({ output: String(version + area0({ width: 0, height: 0, label: "" })) }),
  })],
});
`, name, name)
}

// benchWorld makes a world with extensions and opens it.
func benchWorld(b *testing.B, extensions int) (*Host, string) {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "world")
	tree := fstest.MapFS{}
	for i := range extensions {
		name := fmt.Sprintf("ext%03d", i)
		tree["src/sausage/extensions/"+name+"/server.ts"] = &fstest.MapFile{Data: []byte(benchExtension(name, 0)), Mode: 0o644}
	}
	if err := Init(context.Background(), dir, tree); err != nil {
		b.Fatal(err)
	}
	h, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close(context.Background()) })
	if h.liveCommit() == "" {
		b.Fatalf("nothing is live: %+v", h.Status().Problems)
	}
	return h, dir
}

// prepareCommit makes a commit with one file changed and returns its id; the
// branch stays.
func prepareCommit(b *testing.B, dir string, version int) string {
	b.Helper()
	if err := os.WriteFile(changedFile(dir), []byte(benchExtension("ext000", version)), 0o644); err != nil {
		b.Fatal(err)
	}
	git(b, dir, "checkout", "--quiet", "--detach")
	git(b, dir, "commit", "--quiet", "--all", "--message", fmt.Sprint(version))
	head, err := os.ReadFile(filepath.Join(dir, "root/src/sausage/.git/HEAD"))
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(head))
}

// BenchmarkReload measures from the rename of the ref file to the first call that
// new code answers.
func BenchmarkReload(b *testing.B) {
	for _, extensions := range []int{1, 20, 100} {
		b.Run(fmt.Sprint(extensions), func(b *testing.B) {
			h, dir := benchWorld(b, extensions)
			bare := newFloor(b, extensions)
			var took, floor time.Duration
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				settle(h, extensions)
				id := prepareCommit(b, dir, i+1)
				ref := filepath.Join(dir, "root/src/sausage/.git/refs/heads/main")
				if err := os.WriteFile(ref+".new", []byte(id+"\n"), 0o644); err != nil {
					b.Fatal(err)
				}
				want := fmt.Sprint(i + 1)
				b.StartTimer()
				began := time.Now()
				if err := os.Rename(ref+".new", ref); err != nil {
					b.Fatal(err)
				}
				for h.CallTool(context.Background(), ToolCall{Tool: "ext000_version", Arguments: json.RawMessage("{}")}).Text() != want {
					time.Sleep(20 * time.Microsecond)
				}
				took += time.Since(began)
				b.StopTimer()
				floor += bare.measure(changedFile(dir))
				b.StartTimer()
			}
			perOp, floorOp := took/time.Duration(b.N), floor/time.Duration(b.N)
			b.ReportMetric(float64(perOp)/1e6, "ms/op")
			b.ReportMetric(float64(floorOp)/1e6, "floor-ms/op")
			b.ReportMetric(float64(perOp)/float64(floorOp), "x-floor")
			b.ReportMetric(float64(perOp)/float64(2*floorOp+5*time.Millisecond), "x-budget")
		})
	}
}

// settle waits until the last reload has left no work behind.
func settle(h *Host, extensions int) {
	for len(h.registry.Draining()) > 0 || h.spares.count() < min(extensions, maxSpares) {
		time.Sleep(time.Millisecond)
	}
}

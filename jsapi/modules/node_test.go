package modules_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// oracle runs all tests of a bundle under Node and prints those that fail.
const oracle = `
import tests from "./tests.ts";
for (const [name, test] of Object.entries(tests)) {
  try { await test(); } catch (error) { console.log(name + ": " + error.stack); }
}
`

// TestNodeAgrees runs the tests of the node: modules over Node's own modules, so
// that what they expect is what Node does.
func TestNodeAgrees(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("skipped: %v; install Node.js", err)
	}
	// The tests of node:fs write to the root of the world, which a machine's is not.
	for _, name := range []string{"assert", "buffer", "crypto", "events", "path", "timers", "url", "util"} {
		t.Run(name, func(t *testing.T) {
			directory, err := filepath.Abs("testdata/run")
			if err != nil {
				t.Fatal(err)
			}
			script := strings.Replace(oracle, "./tests.ts", "./"+name+".ts", 1)
			built := api.Build(api.BuildOptions{
				Stdin:    &api.StdinOptions{Contents: script, ResolveDir: directory, Loader: api.LoaderTS},
				Bundle:   true,
				Format:   api.FormatESModule,
				Platform: api.PlatformNode,
				Target:   api.ES2022,
			})
			if len(built.Errors) > 0 {
				t.Fatalf("%v", built.Errors)
			}
			command := exec.CommandContext(t.Context(), node, "--input-type=module")
			command.Stdin = strings.NewReader(string(built.OutputFiles[0].Contents))
			if output, err := command.CombinedOutput(); err != nil || len(output) > 0 {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

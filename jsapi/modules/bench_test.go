package modules_test

import (
	"testing"
	"testing/fstest"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

// BenchmarkImport measures a fresh isolate that imports one module; the case
// "nothing" is the floor.
func BenchmarkImport(b *testing.B) {
	for _, name := range append([]string{"nothing"}, modules.Names()...) {
		source := "export {};"
		if name != "nothing" {
			source = "import * as all from \"" + name + "\"; export default typeof all;"
		}
		tree := fstest.MapFS{"main.ts": {Data: []byte(source)}}
		graph := compile(b, tree)
		supplied := map[string]*jsapi.Object{modules.Native: natives(b)}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				isolate, err := jsapi.New(jsapi.Options{Supplied: supplied})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := isolate.Evaluate(b.Context(), job, graph); err != nil {
					b.Fatal(err)
				}
				isolate.Close()
			}
		})
	}
}

package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"
	"pgregory.net/rapid"
)

func TestVLQNumbersSurviveARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.IntRange(-1<<31, 1<<31), 1, 5).Draw(t, "numbers")
		var b strings.Builder
		for _, n := range numbers {
			appendVLQ(&b, n)
		}
		if got := decodeVLQ(b.String()); fmt.Sprint(got) != fmt.Sprint(numbers) {
			t.Fatalf("%v became %q became %v", numbers, b.String(), got)
		}
	})
}

// Every mapping of the shifted map is the one of the original, one line down and one column right.
func TestTheMapOfAWrappedModuleCountsFromOne(t *testing.T) {
	source := "type T = 1;\nexport const a = (x: T) => { throw x };\n  export default class { m() { return a(1) } }\n\nexport { b } from './b.ts'"
	result := api.Transform(source, transformOptions(target{formSource, "dir/x.ts"}))
	shifted, err := sourceMap(result.Map, "dir/x.ts")
	if err != nil {
		t.Fatal(err)
	}
	before, err := sourcemap.Parse("", result.Map)
	if err != nil {
		t.Fatal(err)
	}
	after, err := sourcemap.Parse("", shifted)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, line := range strings.Split(string(result.Code), "\n") {
		for column := range len(line) {
			_, _, wantLine, wantColumn, ok := before.Source(i+1, column)
			file, _, gotLine, gotColumn, gotOK := after.Source(i+2, column+1)
			if ok != gotOK {
				t.Fatalf("%d:%d: mapped %v, was %v", i+1, column, gotOK, ok)
			}
			if !ok {
				continue
			}
			found++
			if file != "x.ts" || gotLine != wantLine || gotColumn != wantColumn+1 {
				t.Fatalf("%d:%d: %s:%d:%d, was %d:%d from zero", i+1, column, file, gotLine, gotColumn, wantLine, wantColumn)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d mapped columns", found)
	}
}

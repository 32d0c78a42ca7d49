package compile

import (
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// A new esbuild may spell its helpers otherwise; then the copies are back.
func TestHelpersOfEsbuildAreTheOnesThatAreReplaced(t *testing.T) {
	source := `import * as all from "./other.ts"; export * from "./more.ts"; export const sum = all.one + 1;`
	result := api.Transform(source, transformOptions(target{name: "main.ts"}))
	code := withoutCopies(result.Code)
	for _, copying := range []string{`__copyProps(__defProp({}, "__esModule"`, "target) => (target = mod != null"} {
		if strings.Contains(code, copying) {
			t.Errorf("the helper still copies: %s", copying)
		}
	}
	if strings.Count(code, "\n") != strings.Count(string(result.Code), "\n") {
		t.Error("line numbers have changed")
	}
	for _, replaced := range []string{`__defProp(mod, "__esModule"`, "mod.__esModule ? mod :"} {
		if !strings.Contains(code, replaced) {
			t.Errorf("the code lacks %s", replaced)
		}
	}
}

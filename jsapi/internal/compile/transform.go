package compile

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"
)

// mapName is where a program says its source map is; no file of that name is ever read.
const mapName = "map"

// compileSource compiles source code to a program. It returns problems instead when it cannot.
func compileSource(t target, text string) (program *goja.Program, kind Kind, problems []Problem) {
	defer func() {
		if cause := recover(); cause != nil {
			program, problems = nil, []Problem{{File: t.name, Message: fmt.Sprintf("the compiler failed: %v", cause)}}
		}
	}()
	source := parseable(text)
	result := api.Transform(source, transformOptions(t))
	if len(result.Errors) > 0 {
		for _, m := range result.Errors {
			problems = append(problems, messageProblem(m, t.name))
		}
		return nil, KindSource, problems
	}
	kind = kindOf(t, result.Code)
	mapping, err := sourceMap(result.Map, t.name)
	if err != nil {
		return nil, kind, []Problem{{File: t.name, Message: err.Error()}}
	}
	wrapped := wrap(withoutCopies(result.Code), kind)
	program, err = compileProgram(t.name, wrapped, mapping, kind != KindCommonJS)
	if err != nil {
		return nil, kind, engineProblems(t, source, mapping, err)
	}
	return program, kind, nil
}

// kindOf tells an ECMAScript module from a script. JavaScript that imports but exports nothing counts
// as a script: nothing can tell the difference, as esbuild makes it strict.
func kindOf(t target, code []byte) Kind {
	switch {
	case t.form == formSynthetic:
		return KindSynthetic
	case isModule(t):
		return KindSource
	case path.Ext(t.name) != ".cjs" && strings.Contains(string(code), exportsMarker):
		return KindSource
	}
	return KindCommonJS
}

// wrap makes the module's function of its code. A module gets a block of its own, so that it may
// declare names like exports; a script must not, as its directives would be lost.
func wrap(code string, kind Kind) string {
	opening, closing := "{{", "}}"
	if kind == KindCommonJS {
		opening, closing = "{", "}"
	}
	var b strings.Builder
	b.Grow(len(code) + 128)
	b.WriteString("(function(exports,require,module," + importMeta + ")" + opening + "\n")
	b.WriteString(code)
	b.WriteString("\n" + closing + ")\n//# sourceMappingURL=" + mapName)
	return b.String()
}

// compileProgram compiles with goja. The source map comes from mapping whatever the code says.
func compileProgram(name, code string, mapping []byte, strict bool) (*goja.Program, error) {
	loader := parser.WithSourceMapLoader(func(string) ([]byte, error) { return mapping, nil })
	tree, err := goja.Parse(name, code, loader)
	if err != nil {
		return nil, err
	}
	return goja.CompileAST(tree, strict)
}

// engineProblems converts errors of goja's parser, whose positions are in the generated code, and of
// its compiler, whose positions are in the source.
func engineProblems(t target, source string, mapping []byte, err error) []Problem {
	var list parser.ErrorList
	var syntax *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list):
		consumer, mapError := sourcemap.Parse("", mapping)
		if mapError != nil {
			break
		}
		var problems []Problem
		for _, e := range list {
			problems = append(problems, engineProblem(t, source, mapped(consumer, e.Position), e.Message))
		}
		return problems
	case errors.As(err, &syntax) && syntax.File != nil:
		return []Problem{engineProblem(t, source, syntax.File.Position(syntax.Offset), syntax.Message)}
	}
	return []Problem{{File: t.name, Message: err.Error()}}
}

func mapped(c *sourcemap.Consumer, p file.Position) file.Position {
	if _, _, line, column, ok := c.Source(p.Line, p.Column); ok {
		return file.Position{Line: line, Column: column}
	}
	return file.Position{}
}

func engineProblem(t target, source string, at file.Position, message string) Problem {
	p := Problem{File: t.name, Message: message}
	lines := strings.Split(source, "\n")
	if at.Line > 0 && at.Line <= len(lines) {
		p.Line, p.Column, p.Text = at.Line, at.Column, strings.TrimSuffix(lines[at.Line-1], "\r")
	}
	return p
}

package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckSource(t *testing.T) {
	repeat := strings.Repeat
	for name, test := range map[string]struct {
		source string
		line   int // of the error, 0 for none
	}{
		"empty":                        {"", 0},
		"flat statements":              {repeat("f(1)\n", 100_000), 0},
		"statements without newlines":  {repeat("function f(){return 1}", 50_000), 0},
		"a long array":                 {"[" + repeat("1,", 100_000) + "]", 0},
		"awaits":                       {repeat("await f()\n", 60_000), 0},
		"a class of many methods":      {"class A {" + repeat(" m(a) { return a }\n", 40_000) + "}", 0},
		"brackets in strings":          {repeat(`f("((((", '[[[[')`+"\n", 10_000), 0},
		"brackets in templates":        {repeat("f(`((((${a}[[[[`)\n", 10_000), 0},
		"brackets in comments":         {repeat("/* (((( */ // [[[[\n", 10_000), 0},
		"brackets in patterns":         {repeat(`x = /[(\]]\(/.test(a)`+"\n", 10_000), 0},
		"a division is no pattern":     {repeat("a = (b) / c; d = e / f\n", 10_000), 0},
		"nested templates":             {"`${`${1}`}` + 1", 0},
		"at the limit":                 {repeat("[", 1000) + repeat("]", 1000), 0},
		"arrays":                       {"\n" + repeat("[", 1001), 2},
		"parentheses":                  {repeat("(", 1001), 1},
		"blocks":                       {repeat("{\n", 1001), 1001},
		"functions":                    {repeat("function f(){", 1001), 1},
		"templates":                    {repeat("`${", 1001), 1},
		"mixed":                        {repeat("([{", 400), 1},
		"unary operators":              {repeat("!", 60_000) + "1", 1},
		"typeof":                       {repeat("typeof ", 60_000) + "1", 1},
		"sums":                         {"1" + repeat("+1", 60_000), 1},
		"sums over lines":              {"1" + repeat("\n+1", 60_000), 25_001},
		"arrows":                       {repeat("x=>", 60_000) + "1", 1},
		"else if":                      {repeat("if(0);else ", 60_000), 1},
		"else if with blocks":          {repeat("if(0){}else ", 60_000), 1},
		"members":                      {"a" + repeat(".b", 60_000), 1},
		"an expression over levels":    {repeat("["+repeat("!", 1000), 100), 1},
		"an unfinished string":         {`"abc`, 0},
		"an unfinished escape":         {`"abc\`, 0},
		"an unfinished template":       {"`abc\\", 0},
		"an unfinished comment":        {"/* abc", 0},
		"an unfinished pattern":        {`/abc\`, 0},
		"more closed than opened":      {"}}}}))))]]]]", 0},
		"not UTF-8":                    {"\xff\xfe(", 0},
		"a comment that only seems so": {"/*/ (", 0},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckSource(test.source, 1000)
			var nesting *NestingError
			if got := errors.As(err, &nesting); got != (test.line > 0) {
				t.Fatalf("error %v, want one: %v", err, test.line > 0)
			}
			if nesting != nil && nesting.Line != test.line {
				t.Errorf("line %d, want %d", nesting.Line, test.line)
			}
		})
	}
}

// TestCheckSourceAcceptsRealPrograms guards against refusals of what people write, with a bound far below the default.
func TestCheckSourceAcceptsRealPrograms(t *testing.T) {
	files, err := filepath.Glob("*.go") // braces, quotes and slashes like anywhere; run on the TypeScript of this module too
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("../../..", func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".js")) {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			continue // removed meanwhile
		}
		if err := CheckSource(string(source), 100); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	t.Logf("%d files", len(files))
}

func BenchmarkCheckSource(b *testing.B) {
	source, err := os.ReadFile("nesting.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if err := CheckSource(string(source), 1000); err != nil {
			b.Fatal(err)
		}
	}
}

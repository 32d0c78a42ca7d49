package rules

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestEveryTestedPackageWaitsForItsGoroutines asks for goleak in the tests of each
// package: every goroutine has an owner that waits for it.
func TestEveryTestedPackageWaitsForItsGoroutines(t *testing.T) {
	for folder, files := range packages(t) {
		if within(folder, "internal") {
			continue // they start nothing
		}
		tested, checked := false, false
		for _, file := range files {
			if !file.test() {
				continue
			}
			tested = tested || len(calls(file.syntax, "testing.M")) > 0 || declaresTest(file.syntax)
			checked = checked || len(calls(file.syntax, "goleak.VerifyTestMain", "goleak.Find")) > 0
		}
		if tested && !checked {
			t.Errorf("%s: TestMain does not call goleak.VerifyTestMain", folder)
		}
	}
}

// TestSkipsSayWhy asks for the reason in each skip: a run that skipped something
// must not look like one that tested it.
func TestSkipsSayWhy(t *testing.T) {
	for _, file := range sources(t) {
		if !file.test() {
			continue
		}
		for _, call := range calls(file.syntax, "t.Skip", "t.Skipf", "b.Skip", "b.Skipf") {
			if len(call.Args) == 0 {
				t.Errorf("%s: a skip without a reason", file.at(call))
			}
		}
		for _, call := range calls(file.syntax, "t.SkipNow", "b.SkipNow") {
			t.Errorf("%s: a skip without a reason", file.at(call))
		}
	}
}

// pauses are the sleeps that nothing waits by, by file and function, with what they
// are instead.
var pauses = map[string]string{
	"jsapi/internal/guard/regexp_test.go TestSlowProgramsAreNotTakenForSlowSearches": "is the slow program",
	"jsapi/call_test.go TestWholeClockOfAJobThatWaited":                              "passes by the clock of a synctest bubble",
}

// TestTestsDoNotSleep refuses time.Sleep as a way to wait: on a busy machine the
// time is too short, on every other one too long. A loop may pause between looks at
// what nothing announces.
func TestTestsDoNotSleep(t *testing.T) {
	for _, file := range sources(t) {
		if !file.test() {
			continue
		}
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || pauses[file.path+" "+function.Name.Name] != "" {
				continue
			}
			polls := polling(function)
			for _, call := range calls(function, "time.Sleep") {
				if !slices.ContainsFunc(polls, func(loop *ast.ForStmt) bool { return loop.Pos() < call.Pos() && call.End() < loop.End() }) {
					t.Errorf("%s: %s sleeps: wait for the event itself, or look for it in a loop", file.at(call), function.Name.Name)
				}
			}
		}
	}
}

// polling returns the loops of a function.
func polling(function *ast.FuncDecl) []*ast.ForStmt {
	var loops []*ast.ForStmt
	ast.Inspect(function, func(node ast.Node) bool {
		if loop, ok := node.(*ast.ForStmt); ok {
			loops = append(loops, loop)
		}
		return true
	})
	return loops
}

// calls returns the calls under a node of functions with the names given.
func calls(node ast.Node, names ...string) []*ast.CallExpr {
	var found []*ast.CallExpr
	ast.Inspect(node, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok && slices.Contains(names, written(call.Fun)) {
			found = append(found, call)
		}
		return true
	})
	return found
}

// declaresTest says whether a file has a test of its own.
func declaresTest(file *ast.File) bool {
	return slices.ContainsFunc(file.Decls, func(declaration ast.Decl) bool {
		function, ok := declaration.(*ast.FuncDecl)
		return ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") && function.Name.Name != "TestMain"
	})
}

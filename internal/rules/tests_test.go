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

// pauses are the tests that sleep, by file and function: each as the pause of a loop
// that waits for what nothing announces, or as the slow program that a test needs.
var pauses = map[string]string{
	"host/bench_test.go BenchmarkReload":                                             "polls for the first call that new code answers",
	"jsapi/internal/guard/regexp_test.go TestSlowProgramsAreNotTakenForSlowSearches": "is the slow program",
	"jsapi/isolate_test.go TestRunningBudgetInterruptsAndLosesIsolate":               "polls for the end of an isolate",
	"worktree/fixture_test.go eventually":                                            "polls for what another process does",
}

// TestTestsDoNotSleep refuses time.Sleep as a way to wait: on a busy machine the
// time is too short, on every other one too long.
func TestTestsDoNotSleep(t *testing.T) {
	for _, file := range sources(t) {
		if !file.test() {
			continue
		}
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, call := range calls(function, "time.Sleep") {
				if pauses[file.path+" "+function.Name.Name] == "" {
					t.Errorf("%s: %s sleeps: wait for the event itself", file.at(call), function.Name.Name)
				}
			}
		}
	}
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

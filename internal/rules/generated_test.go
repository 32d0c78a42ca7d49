package rules

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/host/bind"
)

var update = flag.Bool("update", false, "write the generated parts of docs/ anew")

// TestDocumentsShowWhatTheCodeSays generates the tables in docs/ that repeat facts
// of the code: a limit that a page states and nothing keeps is worse than none.
func TestDocumentsShowWhatTheCodeSays(t *testing.T) {
	for _, part := range []struct {
		page, name string
		text       func(t *testing.T) string
	}{
		{"docs/isolation.md", "limits", limitsTable},
		{"docs/isolation.md", "remaining", remainingTable},
		{"docs/isolation.md", "tried", triedTables},
		{"docs/isolation.md", "ways", waysTable},
		{"docs/tutorial.md", "plan", exampleExtension("plan")},
		{"docs/tutorial.md", "policy", exampleExtension("policy")},
		{"docs/tutorial.md", "delegate", exampleExtension("delegate")},
		{"docs/tutorial.md", "reminder", exampleExtension("reminder")},
	} {
		t.Run(part.page+"/"+part.name, func(t *testing.T) {
			file := "../../" + part.page
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			begin, end := "<!-- generated: "+part.name+" -->\n", "<!-- end -->"
			before, rest, found := strings.Cut(string(page), begin)
			shown, after, closed := strings.Cut(rest, end)
			if !found || !closed {
				t.Fatalf("%s has no part between %q and %q", part.page, begin, end)
			}
			want := "\n" + part.text(t) + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, shown); diff != "" {
				t.Errorf("run make generate (-code +page):\n%s", diff)
			}
		})
	}
}

// exampleExtension shows an extension of the example world, which tests of host run.
func exampleExtension(name string) func(t *testing.T) string {
	return func(t *testing.T) string {
		file := "extensions/" + name + "/server.ts"
		return "```ts\n// " + file + "\n" + read(t, "testdata/world/root/src/sausage/"+file) + "```\n"
	}
}

func limitsTable(*testing.T) string {
	limits := bind.DefaultLimits()
	table := "| job | running without yielding | whole job |\n| --- | --- | --- |\n"
	for _, row := range []struct {
		job   string
		limit bind.Limit
	}{
		{"modules of one extension", limits.Modules},
		{"factory; `create` of a resource", limits.Factory},
		{"all factories of a commit together", bind.Limit{Whole: limits.Commit}},
		{"hook, section, wrap, `prepareArguments`", limits.Hook},
		{"tool call, phase of a task", limits.Tool},
		{"callback of a commit, handler of a reactor, code of documents", limits.Change},
		{"service call, timer, watch, `onOutput`, `onOpen`, `onClose`, `dispose`", limits.Callback},
	} {
		table += fmt.Sprintf("| %s | %s | %s |\n", row.job, bound(row.limit.Running), bound(row.limit.Whole))
	}
	return table + fmt.Sprintf("| any call, waiting for its turn | – | %s |\n", bound(limits.Queue))
}

func bound(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) + " s"
}

// line is a row of the list of scripts in package guard.
type line struct {
	area, script, outcome string
	bound                 time.Duration
}

// lines reads the list from its source, since only jsapi may import the package.
func lines(t *testing.T) []line {
	t.Helper()
	var found []line
	for _, file := range packages(t)["jsapi/internal/guard"] {
		for _, variable := range packageVariables(file.syntax) {
			if variable.name.Name != "Lines" {
				continue
			}
			for _, element := range variable.value.(*ast.CompositeLit).Elts {
				found = append(found, readLine(t, element.(*ast.CompositeLit)))
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("package guard has no list of lines")
	}
	return found
}

func readLine(t *testing.T, literal *ast.CompositeLit) line {
	t.Helper()
	var read line
	for _, element := range literal.Elts {
		field := element.(*ast.KeyValueExpr)
		switch written(field.Key) {
		case "Area":
			read.area = unquoted(t, field.Value)
		case "Script":
			read.script = unquoted(t, field.Value)
		case "Outcome":
			read.outcome = strings.ToLower(written(field.Value))
		case "Bound":
			product := field.Value.(*ast.BinaryExpr)
			count, err := strconv.Atoi(product.X.(*ast.BasicLit).Value)
			if err != nil || written(product.Y) != "time.Second" {
				t.Fatalf("the bound of %q is not a number of seconds", read.script)
			}
			read.bound = time.Duration(count) * time.Second
		}
	}
	return read
}

func unquoted(t *testing.T, expression ast.Expr) string {
	t.Helper()
	text, err := strconv.Unquote(expression.(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// remainingTable lists what is neither refused nor stopped in time.
func remainingTable(t *testing.T) string {
	table := "| script | what becomes of it |\n| --- | --- |\n"
	for _, line := range lines(t) {
		switch line.outcome {
		case "late":
			table += fmt.Sprintf("| %s | stops at most %s after it was interrupted |\n", code(line.script), bound(line.bound))
		case "fatal":
			table += fmt.Sprintf("| %s | ends the process, or keeps a processor busy for minutes |\n", code(line.script))
		}
	}
	return table
}

// triedTables lists every line, by area.
func triedTables(t *testing.T) string {
	all := lines(t)
	var areas []string
	for _, line := range all {
		if !slices.Contains(areas, line.area) {
			areas = append(areas, line.area)
		}
	}
	var tables strings.Builder
	for _, area := range areas {
		fmt.Fprintf(&tables, "\n### %s\n\n| script | outcome |\n| --- | --- |\n", area)
		for _, line := range all {
			if line.area == area {
				fmt.Fprintf(&tables, "| %s | %s |\n", code(line.script), line.outcome)
			}
		}
	}
	return strings.TrimPrefix(tables.String(), "\n")
}

// code shows a script in a cell of a table.
func code(script string) string {
	fence, pad := "`", ""
	if strings.Contains(script, "`") {
		fence, pad = "``", " "
	}
	return fence + pad + strings.ReplaceAll(script, "|", `\|`) + pad + fence
}

// waysTable lists what commands are not kept from, as package run says it.
func waysTable(t *testing.T) string {
	var gaps []string
	for _, file := range packages(t)["vfs/run"] {
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Name.Name != "unconfinedBy" {
				continue
			}
			ast.Inspect(function, func(node ast.Node) bool {
				if literal, ok := node.(*ast.BasicLit); ok {
					gaps = append(gaps, unquoted(t, literal))
				}
				return true
			})
		}
	}
	if len(gaps) < 2 {
		t.Fatal("package run does not say what commands are not kept from")
	}
	table := "| way | what commands are not kept from |\n| --- | --- |\n"
	table += "| `chroot`, `userns`, `bwrap` | " + gaps[0] + " |\n"
	table += "| `plain` | " + strings.Join(append(gaps[1:], gaps[0]), "; ") + " |\n"
	return table
}

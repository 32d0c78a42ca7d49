package rules

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// fixed are the functions whose results hold nothing that changes afterwards, or
// nothing that two users of a process could see of each other.
var fixed = []string{
	"errors.New", "fmt.Errorf", "regexp.MustCompile", "reflect.TypeFor", "reflect.TypeOf", "strings.NewReplacer",
	"strings.Repeat", "sync.OnceValue", "sync.OnceValues", "goja.MustCompile", "netip.MustParsePrefix", "slices.Sorted",
	"DefineDocument", "DefineFamily", "durable.DefineDocument", "durable.DefineFamily",
}

// processState are the variables that change or are computed in other ways, with
// the reason for each.
var processState = map[string]string{
	"jsapi/internal/guard.matchTimeout": "the pattern library has one limit for the process, and no other way in",
	"jsapi/internal/globals.programs":   "a table of functions that compile an embedded script once",
	"worktree.emptyTree":                "a name, computed from nothing",
	"vfs.errNotRegular":                 "an error value, made by a function of the package",
}

// TestNoStateInPackages refuses variables of packages that change: two harnesses
// in one process share nothing but embedded files and tables.
func TestNoStateInPackages(t *testing.T) {
	for folder, files := range packages(t) {
		variables := make(map[string]bool)
		for _, file := range files {
			if file.test() {
				continue
			}
			for _, declared := range packageVariables(file.syntax) {
				key := folder + "." + declared.name.Name
				variables[declared.name.Name] = processState[key] == ""
				if processState[key] == "" && !constant(declared) {
					t.Errorf("%s: %s is a variable of the package: inject it, or make it a table", file.at(declared.name), declared.name.Name)
				}
			}
		}
		for _, file := range files {
			for _, name := range assigned(file.syntax, variables) {
				t.Errorf("%s: %s is changed: a table of a package stays as it was declared", file.at(name), name.Name)
			}
		}
	}
}

// TestNoInit refuses code that runs because a package is imported.
func TestNoInit(t *testing.T) {
	for _, file := range sources(t) {
		for _, declaration := range file.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
				t.Errorf("%s: func init: do it where it is needed", file.at(function))
			}
		}
	}
}

// declared is one variable of a package.
type declared struct {
	name  *ast.Ident
	kind  ast.Expr // nil when the value gives it
	value ast.Expr // nil when it has none of its own
}

// packageVariables returns the variables that a file declares for its package,
// without those named _.
func packageVariables(file *ast.File) []declared {
	var found []declared
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, name := range spec.Names {
				variable := declared{name: name, kind: spec.Type}
				if i < len(spec.Values) {
					variable.value = spec.Values[i]
				}
				if name.Name != "_" {
					found = append(found, variable)
				}
			}
		}
	}
	return found
}

// constant says whether a variable's declaration gives it a value that nothing
// needs to change: an embedded tree, a table, an error, a compiled pattern.
func constant(variable declared) bool {
	if variable.value == nil {
		return written(variable.kind) == "embed.FS"
	}
	value := variable.value
	if address, ok := value.(*ast.UnaryExpr); ok {
		value = address.X
	}
	switch value := value.(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return true
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		function := value.Fun
		if index, ok := function.(*ast.IndexExpr); ok {
			function = index.X
		}
		_, conversion := function.(*ast.ArrayType)
		return conversion || slices.Contains(fixed, written(function))
	}
	return false
}

// written returns a name, or a qualified name, as it is in the source.
func written(expression ast.Expr) string {
	switch expression := expression.(type) {
	case *ast.Ident:
		return expression.Name
	case *ast.SelectorExpr:
		return written(expression.X) + "." + expression.Sel.Name
	}
	return ""
}

// assigned returns the names in a file, among those of variables, that a function
// sets, or sets a part of. A function that declares the same name itself is passed over.
func assigned(file *ast.File, variables map[string]bool) []*ast.Ident {
	var found []*ast.Ident
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		own := ownNames(function)
		ast.Inspect(function.Body, func(node ast.Node) bool {
			var targets []ast.Expr
			switch node := node.(type) {
			case *ast.AssignStmt:
				if node.Tok != token.DEFINE {
					targets = node.Lhs
				}
			case *ast.IncDecStmt:
				targets = []ast.Expr{node.X}
			}
			for _, target := range targets {
				if name := root(target); name != nil && variables[name.Name] && !own[name.Name] {
					found = append(found, name)
				}
			}
			return true
		})
	}
	return found
}

// ownNames returns the names that a function declares: parameters and variables.
func ownNames(function *ast.FuncDecl) map[string]bool {
	own := make(map[string]bool)
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Field:
			for _, name := range node.Names {
				own[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range node.Names {
				own[name.Name] = true
			}
		case *ast.AssignStmt:
			for _, target := range node.Lhs {
				if name, ok := target.(*ast.Ident); ok && node.Tok == token.DEFINE {
					own[name.Name] = true
				}
			}
		case *ast.RangeStmt:
			for _, target := range []ast.Expr{node.Key, node.Value} {
				if name, ok := target.(*ast.Ident); ok && node.Tok == token.DEFINE {
					own[name.Name] = true
				}
			}
		}
		return true
	})
	return own
}

// root returns the variable that an assignment's target is, or is a part of.
func root(target ast.Expr) *ast.Ident {
	switch target := target.(type) {
	case *ast.Ident:
		return target
	case *ast.IndexExpr:
		return root(target.X)
	case *ast.SelectorExpr:
		return root(target.X)
	case *ast.StarExpr:
		return root(target.X)
	case *ast.ParenExpr:
		return root(target.X)
	}
	return nil
}

package rules

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// TestPackagesSayWhatTheyAre asks for a comment on each package: its folder's name
// alone tells nobody where to start.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	for folder, files := range packages(t) {
		documented, code := false, false
		for _, file := range files {
			code = code || !file.test()
			documented = documented || !file.test() && file.syntax.Doc != nil
		}
		if code && !documented {
			t.Errorf("%s: no file has a package comment", folder)
		}
	}
}

// TestExportsAreDocumented asks for a comment on each exported identifier: shapes,
// units, ownership and errors are the contract of a package. What another
// declaration describes needs none: methods of the error interface and its kin,
// and constants of a type that lists them.
func TestExportsAreDocumented(t *testing.T) {
	for _, file := range sources(t) {
		if file.test() || file.syntax.Name.Name == "main" {
			continue
		}
		for _, declaration := range file.syntax.Decls {
			for _, name := range undocumented(declaration) {
				t.Errorf("%s: %s has no doc comment", file.at(name), name.Name)
			}
		}
	}
}

// undocumented returns the exported identifiers of a declaration that no comment
// describes. A comment on a group describes its members.
func undocumented(declaration ast.Decl) []*ast.Ident {
	switch declaration := declaration.(type) {
	case *ast.FuncDecl:
		described := declaration.Recv != nil && slices.Contains([]string{"Error", "Unwrap", "String"}, declaration.Name.Name)
		if declaration.Doc == nil && declaration.Name.IsExported() && exportedReceiver(declaration) && !described {
			return []*ast.Ident{declaration.Name}
		}
	case *ast.GenDecl:
		if declaration.Tok == token.IMPORT || declaration.Doc != nil || enumeration(declaration) {
			return nil
		}
		var names []*ast.Ident
		for _, spec := range declaration.Specs {
			names = append(names, undocumentedSpec(spec)...)
		}
		return names
	}
	return nil
}

// enumeration says whether a group holds the constants of a named type.
func enumeration(group *ast.GenDecl) bool {
	first, ok := group.Specs[0].(*ast.ValueSpec)
	return ok && group.Tok == token.CONST && first.Type != nil
}

func undocumentedSpec(spec ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
			names = append(names, spec.Name)
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if spec.Doc == nil && spec.Comment == nil && name.IsExported() {
				names = append(names, name)
			}
		}
	}
	return names
}

// exportedReceiver says whether callers can name what a function belongs to.
func exportedReceiver(function *ast.FuncDecl) bool {
	if function.Recv == nil {
		return true
	}
	exported := true
	ast.Inspect(function.Recv.List[0].Type, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok {
			exported = name.IsExported()
			return false
		}
		return true
	})
	return exported
}

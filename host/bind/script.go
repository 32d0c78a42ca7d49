package bind

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

//go:embed script/*.ts
var scripts embed.FS

// scriptPrefix starts the specifiers of the scripts. Only synthetic modules can
// import them.
const scriptPrefix = "harness:bind/"

// Entry is the specifier of the script that reads declarations, and Importer the
// module ID under which Go imports it.
const (
	Entry    = scriptPrefix + "declaration"
	Importer = "synthetic:" + scriptPrefix + "go"
)

// Modules are the synthetic modules of a harness: those of package modules, the
// scripts of this package, and packages that an embedder registers. It is safe
// for concurrent use once made.
type Modules struct {
	registered map[string]*jsapi.Object // by specifier
	scopes     []string
}

// NewModules returns the synthetic modules with registered ones beside them.
// exports are copied into each isolate that imports them. A specifier is the
// registered namespace, or a subpath of it. Error: a [*NamespaceError].
func NewModules(registered map[string]*jsapi.Object) (*Modules, error) {
	made := &Modules{registered: registered, scopes: slices.Sorted(maps.Keys(registered))}
	for _, namespace := range made.scopes {
		if namespace == "" || strings.HasPrefix(namespace, ".") || strings.HasPrefix(namespace, "/") || modules.Scope(namespace) {
			return nil, &NamespaceError{Namespace: namespace}
		}
	}
	return made, nil
}

// NamespaceError is a registered namespace that cannot be imported, or that is one
// of the harness's own.
type NamespaceError struct{ Namespace string }

func (e *NamespaceError) Error() string {
	return fmt.Sprintf("modules cannot be registered as %q: choose a package name that is not the harness's own, such as \"acme\" or \"@acme/tools\"", e.Namespace)
}

// Names implements [jsapi.CompilerOptions]'s Synthetic.
func (m *Modules) Names() []string {
	names := append(modules.Names(), m.scopes...)
	slices.Sort(names)
	return names
}

// Scope implements Synthetic: a registered namespace is as closed as our own.
func (m *Modules) Scope(specifier string) bool {
	return modules.Scope(specifier) || slices.ContainsFunc(m.scopes, func(scope string) bool {
		return specifier == scope || strings.HasPrefix(specifier, scope+"/")
	})
}

// Source implements Synthetic.
func (m *Modules) Source(specifier string) ([]byte, bool) {
	if name, ok := strings.CutPrefix(specifier, scriptPrefix); ok {
		source, err := scripts.ReadFile("script/" + name + ".ts")
		return source, err == nil
	}
	return modules.Source(specifier)
}

// Exports implements Synthetic.
func (m *Modules) Exports(specifier string) ([]string, bool) {
	if specifier == modules.Native {
		return []string{"native"}, true
	}
	exports, ok := m.registered[specifier]
	if !ok {
		return nil, false
	}
	return exports.Keys(), true
}

// Supplied returns what the modules without source export in an isolate over a
// world.
func (m *Modules) Supplied(world *World) map[string]*jsapi.Object {
	supplied := maps.Clone(m.registered)
	if supplied == nil {
		supplied = make(map[string]*jsapi.Object)
	}
	supplied[modules.Native] = nativeModule(world)
	return supplied
}

package registry

import (
	"context"
	"encoding/json"
)

// Extension is a declaration: it keeps no state, says where it lives, and makes
// instances.
type Extension interface {
	// Manifest gives the declaration. It returns the same value each time and
	// is called from any goroutine.
	Manifest() Manifest
	// Instantiate makes what the extension contributes at one scope. It is
	// called from any goroutine, and returns when ctx ends.
	Instantiate(ctx context.Context, at ScopeContext) (*Instance, error)
}

// Source says where a declaration comes from. Sources stand in this order.
type Source int

const (
	SourceBuiltin Source = iota // Go code of the harness or of its embedder
	SourceMCP                   // a configured MCP server
	SourceWorld                 // the world's repository
)

// String gives "builtin", "mcp" or "world".
func (s Source) String() string {
	switch s {
	case SourceMCP:
		return "mcp"
	case SourceWorld:
		return "world"
	}
	return "builtin"
}

// APIVersion is the version of this package's contract with extensions.
const APIVersion = 1

// Manifest is what an extension declares. Only Name is required.
type Manifest struct {
	Name   string // ^[a-z][a-z0-9_-]*$
	Ref    ExtensionRef
	Source Source
	Order  float64 // place among the extensions of one source, then Name; finite
	API    int     // the [APIVersion] it was written for; zero means the present one
	Scopes []Scope // where it lives; empty means global scope only

	// Derived says that the author wrote no manifest: hook kinds and
	// capabilities then follow from the instance, and nothing is undeclared.
	// Otherwise only declared hook kinds may have a handler.
	Derived   bool
	HookKinds []HookKind // in either spelling

	Provides []CapabilityKey
	Requires []CapabilityRequest // refused when nobody provides them
	Requests []CapabilityRequest // may be absent

	Settings json.RawMessage // JSON Schema of the extension's settings, with defaults; nil for none

	Where Position // of the declaration, for problems
}

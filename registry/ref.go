package registry

import (
	"encoding/json"
	"fmt"
)

// RefKind is the tag of an [ExtensionRef].
type RefKind string

const (
	RefBuiltin  RefKind = "builtin"
	RefGit      RefKind = "git"
	RefMCP      RefKind = "mcp"
	RefEidetica RefKind = "eidetica" // accepted when read, never produced
	RefIPLD     RefKind = "ipld"     // accepted when read, never produced
)

// ExtensionRef identifies one version of an extension. It is comparable: two
// refs are the same version when they are equal. Its JSON is an object with the
// tag "kind" and the fields of that kind.
type ExtensionRef struct {
	Kind    RefKind `json:"kind"`
	Name    string  `json:"name"`
	Version string  `json:"version,omitempty"` // builtin, eidetica
	Repo    string  `json:"repo,omitempty"`    // git: world path of the repository
	SHA     string  `json:"sha,omitempty"`     // git: the commit
	Graph   string  `json:"graph,omitempty"`   // git: hash of the extension's own module graph
	Server  string  `json:"server,omitempty"`  // mcp
	DBID    string  `json:"db_id,omitempty"`   // eidetica
	CID     string  `json:"cid,omitempty"`     // ipld
}

// BuiltinRef identifies a built-in extension of a harness version.
func BuiltinRef(name, version string) ExtensionRef {
	return ExtensionRef{Kind: RefBuiltin, Name: name, Version: version}
}

// GitRef identifies a world extension: the commit it was loaded from and the
// hash of its own module graph.
func GitRef(name, repo, sha, graph string) ExtensionRef {
	return ExtensionRef{Kind: RefGit, Name: name, Repo: repo, SHA: sha, Graph: graph}
}

// MCPRef identifies the extension of a configured MCP server.
func MCPRef(name, server string) ExtensionRef {
	return ExtensionRef{Kind: RefMCP, Name: name, Server: server}
}

// Identity is what tells two versions of one extension apart: the version, the
// module graph (so that an unrelated commit is no new version; the commit when
// the graph is unknown), the server or the content id.
func (r ExtensionRef) Identity() string {
	switch r.Kind {
	case RefGit:
		if r.Graph != "" {
			return r.Graph
		}
		return r.SHA
	case RefMCP:
		return r.Server
	case RefIPLD:
		return r.CID
	default:
		return r.Version
	}
}

// UnmarshalJSON reads a ref of any known kind. Another kind, or no name, is an
// error that says so.
func (r *ExtensionRef) UnmarshalJSON(data []byte) error {
	type plain ExtensionRef
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("extension ref: %w", err)
	}
	if err := ExtensionRef(p).validate(); err != nil {
		return err
	}
	*r = ExtensionRef(p)
	return nil
}

func (r ExtensionRef) validate() error {
	switch r.Kind {
	case RefBuiltin, RefGit, RefMCP, RefEidetica, RefIPLD:
	default:
		return fmt.Errorf("extension ref: unknown kind %q; known are builtin, git, mcp, eidetica and ipld", r.Kind)
	}
	if r.Name == "" {
		return fmt.Errorf("extension ref of kind %s: no name", r.Kind)
	}
	return nil
}

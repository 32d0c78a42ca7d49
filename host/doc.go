// Package host loads the commits of a world and serves what they contribute: it
// is the whole program, for a Go program to embed.
//
//	h, err := host.Open(ctx, host.Options{Dir: "world"})
//	if err != nil { ... }
//	defer h.Close(context.Background())
//	result := h.CallTool(ctx, host.ToolCall{Tool: "add_todo", Arguments: json.RawMessage(`{"text":"milk"}`)})
//
// # The path of a commit
//
// The watcher says that the branch may have moved (loader.go). The tip's files
// are read into memory, compiled, evaluated in fresh isolates, one for each
// extension, and their factories called (load.go). The candidate is validated
// whole, by package registry. Then, in this order (promote.go): the status
// document is stored, refs/sausage/good is moved, the helper file is replaced,
// the registry's pointer is swapped, onOpen callbacks run, and the old generation
// drains and closes. Whatever fails before the document is stored drops the
// candidate and leaves the live generation alone.
//
// # The path of a tool call
//
// CallTool holds the current generation; the registry validates the arguments and
// runs the hooks; the tool's function is reached by its path in the declaration
// (extension.go), in the isolate that stands behind it at that moment, which is
// replaced when it was lost (replace.go).
//
// # What is stored
//
// The session of package durable is opened first and closed last (session.go). The
// status document is one of its documents, and embedders keep theirs there too. What
// it stands on is a [Database], which is backed up and checked while the host
// serves, and alone when none does (database.go, restore.go).
package host

// Package registry is the extension framework: what an extension declares and
// contributes, how a commit's extensions are validated together, and the
// immutable generation that everybody reads while work goes on.
//
// # From a commit to a generation
//
// A [Registry] holds the generation that serves now. A loader calls
// [Registry.Stage] for a commit, adds each [Extension] with its global
// [Instance] to the [Candidate], and asks [Candidate.Validate] for either a
// [Generation] or every problem the commit has. [Registry.Promote] makes the
// generation current by one pointer swap. A commit with problems changes
// nothing.
//
// [Registry.Install] adds one extension at run time. That makes a generation too, of
// the same members and the new one.
//
// # Agents
//
// What takes part in one conversation is an [Agent], which a generation resolves
// from an [AgentChoice]: the selected extensions in their order, their tools with
// those that wrap them, their sections and their hooks. A call of a tool is
// [Agent.Admit], [Agent.Execute] and [Agent.AfterTool]; a call from outside of
// conversations is one of the agent of all extensions. A session of durable
// conversations has the tasks of extensions from [Registry.Definitions], and a phase
// of a task finds its generation with [GenerationOf].
//
// # Units of work
//
// Every unit of work (a tool call, a model request, a task phase) takes the
// current generation once, with [Registry.Acquire], and holds it to its end.
// Nothing of a generation closes before its last unit has ended
// ([Generation.Drained], [Generation.Close]). Services are the one exception:
// [Registry.CallService] resolves the provider that is current at each call.
//
// # Providers
//
// Go built-ins, TypeScript extensions and MCP servers are all values of
// [Extension]; nothing here can tell them apart. What crosses to a provider is
// plain data: JSON as [encoding/json.RawMessage], or values made of nil, bool,
// numbers, string, []byte, []any and map[string]any.
//
// Global scope is dispatched. Agent and session scopes are declared, validated
// and listed by the same types.
package registry

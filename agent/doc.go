// Package agent has conversations that think: they answer what is said to them with a
// language model and the tools of extensions, over the sessions of package durable.
//
//	h, err := agent.Open(ctx, storage, agent.Options{Registry: extensions, Models: models})
//	...
//	root, err := h.Root(ctx, durable.ConversationOptions{Agent: durable.AgentChange{Model: durable.Set(ref)}})
//	...
//	submission, err := root.Submit(ctx, durable.Input{Content: message.Content{Text: "What is the time?"}})
//	...
//	settled, err := submission.Wait(ctx)
//
// # The path of an input
//
// An input begins a run, and a run is a chain of tasks of three kinds, each a state
// machine whose steps are commits:
//
//   - a generation (generation.go) writes what changed of the prompt, asks the model,
//     and decides what the response is: an answer, a round of tool calls, or a failure
//     that is tried again. It waits for the calls of its round and passes the run on.
//   - a tool call (tool.go) settles the arguments, stores that they are about to be
//     used, runs the tool, and stores the result.
//   - a compaction puts a summary in the place of the older part of the context.
//
// What each step does next follows from what is stored, never from memory: a harness
// that was killed goes on where it was. A tool that was running then runs again only
// when it says that this is safe.
//
// # What takes part
//
// A conversation stores choices by name. They are resolved for each phase against the
// registry's generation that the phase holds, into a [registry.Agent]: its tools, the
// sections of its prompt, and its hooks. So a reload shows with the next phase, and a
// call that runs keeps its code.
package agent

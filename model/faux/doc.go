// Package faux has a provider whose models answer by script, for tests and for trying
// things without a model.
//
// # From Go
//
// A [Provider] answers with the steps that were queued, one for each request:
//
//	provider := faux.New(faux.Options{})
//	provider.Set(
//		faux.Answer(faux.Calls(faux.Call("look", map[string]any{"at": "door"}))),
//		faux.Answer(faux.Says("It is open.")),
//	)
//	models.Set(provider)
//
// A [Step] that is a function of the request makes its message when it is asked.
// Without a step the response fails with "No more faux responses queued".
//
// # From a file
//
// A [Script] chooses its answer from the conversation and from nothing else, so that a
// conversation that is taken up again after a restart goes on as it would have. It is
// given as [Options.Otherwise] and used while no step is queued:
//
//	script, err := faux.ReadScript("faux.json")
//	provider := faux.New(script.Options())
//
// # What it simulates
//
// Text, thinking and arguments arrive in pieces, at once or at a number of tokens per
// second. A token is four UTF-16 units. A request with a session id finds the prompt
// of the session's last request in a cache: what both begin with are cache reads, the
// rest is written to the cache, and no input is left. Without a session id, and with
// the retention none, all is input. So a test sees whether a prompt stays the same
// from its beginning on.
package faux

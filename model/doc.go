// Package model puts language models behind one streaming interface.
//
// A [Provider] has models and answers requests. [Models] holds the providers of a
// harness, finds models by name, and is where a response begins:
//
//	m, err := models.Resolve("openai/gpt-5")
//	...
//	for event := range models.Stream(ctx, model.Request{Model: m, Messages: transcript}) {
//		switch event.Type {
//		case model.TextDelta:
//			show(event.Delta)
//		case model.Done, model.Failed:
//			answer = event.Message
//		}
//	}
//
// # Streams
//
// A [Stream] is ranged over once. It begins with Start, has a start, deltas and an
// end for each block of the content, and ends with exactly one of Done and Failed. A
// response that fails before anything arrived is Failed alone. What goes wrong, a
// missing key, a refused connection, an answer that breaks off, is never a Go error
// or a panic: it is the Failed event, whose message has the stop reason error and an
// error message. When the context ends, that is the stop reason aborted.
//
// A stream runs on the goroutine that ranges over it, and holds nothing once the loop
// has ended, also by break.
//
// # Transcripts
//
// A request has messages only. System messages among them carry the prompt and the
// tools: the leading one sets them, later ones change them by section and by tool.
// [SystemPrompt] and [Tools] say what they amount to, [ToolChanges] what a new set of
// tools has to write.
//
// # Writing a provider
//
// [Produce] makes the stream of a response from calls of a [Writer], and keeps the
// promises above whatever the provider does. Package faux has a scripted provider,
// package openai one for all servers with OpenAI's chat completions.
package model

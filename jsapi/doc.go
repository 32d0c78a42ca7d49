// Package jsapi turns TypeScript into callable values: it compiles module
// graphs, runs them in isolates, and carries data between isolates and Go.
//
// # Compiling and running are apart
//
// A [Compiler] turns the files of a snapshot into a [Graph] of compiled
// programs. A graph is immutable and is shared by every isolate that evaluates
// it. An [Isolate] is one JavaScript runtime with one goroutine, its loop; it
// evaluates graphs and runs calls. Nothing outside this package touches the
// engine behind it.
//
// # The loop
//
// JavaScript runs on its isolate's loop and nowhere else. Go reaches it through
// [Isolate.Call] and [Isolate.Evaluate], which queue a job and wait; they may be
// called from any goroutine but the loop itself. A [Native] is called on the
// loop and must not block: what takes time is returned as an [Async], which runs
// on a goroutine of its own and settles a promise on the loop.
//
// # Budgets
//
// A [Job] has two clocks, both started when the loop takes it. Past Running
// (time in which the loop did not get control back) the engine is interrupted;
// an interrupt drops queued promise reactions, so the isolate is lost, see
// [Isolate.Lost]. Past Whole (time until the job's promise settled) only the job
// fails and its signal aborts; the isolate stays. A cancelled context acts like
// Whole.
//
// Every entry into the engine is one turn: the code, then the promise reactions
// that it queued, then a report of the rejections that nobody handled. An
// interrupt, an overflow of the call stack and a Go panic end the isolate; the
// call that was at fault gets the error itself, every other pending call a
// [ReplacedError].
//
// # Owners
//
// Timers, callbacks and asynchronous work belong to an [Owner]: the generation
// or the resource that started them. The owner travels with promises. Closing an
// owner ends all of it.
//
// # Data
//
// Values cross as copies, see [Object] and the other forms. Cycles and shared
// parts keep their shape, members their order; a hole in an array becomes
// undefined, and a lone surrogate in a string U+FFFD. Functions, streams and
// signals cross as stubs, and a call through a stub is asynchronous. One function
// or signal has one stub in each isolate, and a stub that comes home is the
// original. What has no form is refused with a [DataCloneError] that names its
// path and what to pass instead.
package jsapi

// Package guard fences in the built-ins of a goja runtime that could end or hang the whole process by one call.
//
// goja has no memory limit, its built-ins written in Go cannot be interrupted, and deep input makes them recurse until
// the Go stack is exhausted, which no recover can catch. [Install] therefore changes those built-ins before any other
// code runs in the runtime: what would be too large or too deep is refused with a RangeError that names the limit, what
// would run too long looks for an interrupt while it runs, and a regular expression that was cut off by time is an error.
//
// The limits guard against mistakes, not against malice: a program that sets out to exhaust the process can. [Lines]
// lists what was tried and what becomes of it, including what remains.
package guard

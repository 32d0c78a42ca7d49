// Package globals gives a goja runtime the globals that an author of today
// expects and the engine does not have: console, timers, fetch, URL,
// AbortController, structuredClone, crypto, Buffer, Intl for en-US and UTC,
// iterator helpers, and the well-known symbols that esbuild's lowered code
// looks for.
//
// The ECMAScript additions, which must be visible on prototypes, are installed
// at once by one small Program that all runtimes share. Everything else is
// lazy: the global object inherits from an object that knows the names and
// makes a global at its first touch, as an ordinary writable, configurable,
// non-enumerable own property of the global object. The scripts that implement
// globals are compiled once per process, when the first runtime needs them.
//
// A helper written in JavaScript uses the intrinsics of the runtime it runs
// in. An extension has an isolate of its own, so one that patches
// Array.prototype breaks only itself.
//
// Intl knows en-US and UTC; another locale or zone is a RangeError with a code,
// never a text in the wrong language. Local time is UTC on every machine. A
// FinalizationRegistry never calls back. text, json and the other readers of a
// whole body stop at 64 MiB; reading response.body in a loop has no limit. A
// request's body is collected before it is sent.
//
// Absent on purpose: process, require, navigator, window, document,
// WebSocket, Worker, SharedArrayBuffer, Atomics, localStorage, and the stream
// constructors. The body of a Response is an async iterable with a getReader.
package globals

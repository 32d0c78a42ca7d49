// Package compile turns TypeScript of a file tree into linked graphs of compiled goja programs.
//
// A [Compiler] reads an entry module from an [io/fs.FS], follows its imports, checks that every
// imported name exists and compiles each module once per content. Nothing is run here: a [Graph] is
// plain immutable data that any number of runtimes may share, at the same time.
//
// # Running a graph
//
// A module with a Program is run by evaluating it, which yields one function:
//
//	function (exports, require, module, meta)
//
// The caller passes an object {exports: exports} as module, calls the function at most once per
// runtime, and takes module.exports afterwards (the module replaces the object before its first
// require, so that cycles see live bindings: store the module before calling and read
// module.exports at each require). this is undefined, except for [KindCommonJS], where it is
// exports.
//
//   - require(specifier) looks the specifier up in [Module.Imports] of the module it was made for and
//     returns the exports of that module, running it first if it has not run. A specifier that is
//     not there was computed at run time (import(name), or require in a CommonJS package): resolve
//     it with [Compiler.Import] and add the modules of that graph that the runtime does not hold yet.
//     A throw becomes a rejection where the source says import(); a module that threw should throw
//     the same error again.
//   - meta is what import.meta evaluates to: an object with url, filename and dirname, made from
//     [Module.Path] by the caller.
//   - [KindJSON] exports the parsed Data, [KindText] exports Data as a string. An importer's helper
//     turns such a value into a namespace with a default export.
//   - [KindSynthetic] without a Program is a module whose exports the runtime supplies: an object
//     that has __esModule set to true (not enumerable), else it is taken for a CommonJS module whose
//     default export is the object itself.
//
// # What is accepted
//
// Language: what esbuild parses, with ES2022 as the target and the parts goja lacks lowered (async
// generators, for await, using, decorators). Class fields follow the standard, decorators are the
// standard's; a tsconfig.json in the tree is not read. Top-level await is refused with its place.
// JSX in .tsx calls React.createElement, or what the pragmas @jsx, @jsxFrag, @jsxRuntime and
// @jsxImportSource in the file name; nothing is put into scope for it.
//
// Imports that TypeScript erases, types and names that are never used, are not resolved. An import()
// of a literal is resolved like any import, though its module runs later. A name that a TypeScript
// file passes on (export { A } from "./b.ts") may be a type for all esbuild knows; it is undefined at
// run time if it is nothing at all. What a CommonJS package exports is not known either.
//
// The attribute of a computed import() is not seen: a file named .json yields its value, one with an
// extension of source code is a module, and any other is text.
//
// Stacks name the TypeScript source: lines and columns count from 1, columns in UTF-16 code units.
// A path is percent-encoded there where a URL has to be.
package compile

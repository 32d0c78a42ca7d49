// Package bind is the Go half of what JavaScript sees of the harness: one file a
// face of the Host object, and the way back, from what a module declares to the
// values of package registry.
//
// The other half is TypeScript in script/, compiled as synthetic modules. Go
// hands it a flat object of natives; the Host object that an author gets is made
// of them there. It also reads a declaration and says in plain data what is in
// it, with the functions listed by their path ("tools[0].execute"), so that Go
// names a function by its path and not by where it lives: a replaced isolate
// changes what stands behind a path and nothing else.
package bind

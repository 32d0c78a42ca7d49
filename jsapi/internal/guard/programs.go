package guard

import (
	"errors"
	"sync"

	"github.com/dop251/goja"
)

// hidden are the objects without a global name, reached by a line of JavaScript that is compiled once for all runtimes: a
// function that does nothing, and the constructors of asynchronous functions and of generators.
var hidden = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("guard", `[()=>{}, (async()=>{}).constructor, (function*(){}).constructor]`, true)
})

var (
	errNoIterator  = errors.New("it has no iterator")
	errNotCallable = errors.New("it is not callable")
)

package guard

import (
	"errors"
	"sync"

	"github.com/dop251/goja"
)

// Objects without a global name are reached by a line of JavaScript, compiled once for all runtimes.
var (
	generatorPrototype = program(`Object.getPrototypeOf(function*(){}).prototype`)
	asyncFunction      = program(`(async()=>{}).constructor`)
	generatorFunction  = program(`(function*(){}).constructor`)
)

var (
	errNoIterator  = errors.New("it has no iterator")
	errNotCallable = errors.New("it is not callable")
)

func program(source string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return goja.MustCompile("guard", source, true) })
}

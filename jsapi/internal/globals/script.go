package globals

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

//go:embed js/*.js
var sources embed.FS

// programs holds one compile-once function per embedded script, by name
// without extension. A Program is immutable and shared by all runtimes.
var programs = compilers()

func compilers() map[string]func() (*goja.Program, error) {
	entries, err := sources.ReadDir("js")
	if err != nil {
		panic(err)
	}
	table := make(map[string]func() (*goja.Program, error), len(entries))
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".js")
		table[name] = sync.OnceValues(func() (*goja.Program, error) { return compile(name) })
	}
	return table
}

// compile wraps a script in a function of its three inputs. The wrapper stays
// on the first line, so that positions in stacks are those of the file.
func compile(name string) (*goja.Program, error) {
	source, err := sources.ReadFile(path.Join("js", name+".js"))
	if err != nil {
		return nil, err
	}
	return goja.Compile("<globals>/"+name+".js", "(function (native, need, exports) {"+string(source)+"\n})", true)
}

// environment is the state of the globals of one runtime. It belongs to the
// runtime's goroutine.
type environment struct {
	rt      *goja.Runtime
	host    Host
	modules map[string]*goja.Object
	kinds   *intrinsics
	helpers *lazyHelpers

	// platform holds the prototypes of the classes that scripts export.
	platform map[*goja.Object]bool
}

// need returns the exports of a script, evaluating it when it is first asked
// for. It throws what the script throws.
func (e *environment) need(name string) *goja.Object {
	if exports, ok := e.modules[name]; ok {
		return exports
	}
	program, ok := programs[name]
	if !ok {
		panic(e.rt.NewTypeError("globals: no script named %q", name))
	}
	compiled, err := program()
	if err != nil {
		panic(e.rt.NewGoError(fmt.Errorf("globals: compile %s: %w", name, err)))
	}
	wrapper, err := e.rt.RunProgram(compiled)
	if err != nil {
		panic(err)
	}
	run, _ := goja.AssertFunction(wrapper)
	exports := e.rt.NewObject()
	e.modules[name] = exports
	if _, err := run(goja.Undefined(), e.natives(name), e.function("need", 1, e.needCall), exports); err != nil {
		delete(e.modules, name)
		panic(err)
	}
	for _, key := range exports.Keys() {
		class, _ := exports.Get(key).(*goja.Object)
		if class == nil {
			continue
		}
		if prototype, ok := class.Get("prototype").(*goja.Object); ok {
			e.platform[prototype] = true
		}
	}
	return exports
}

func (e *environment) needCall(call goja.FunctionCall) goja.Value {
	return e.need(call.Argument(0).String())
}

// natives is what the Go side lends to one script.
func (e *environment) natives(script string) *goja.Object {
	object := e.rt.NewObject()
	switch script {
	case "body":
		define(object, "maxBody", e.rt.ToValue(maxBody))
	case "buffer":
		e.lendBuffer(object)
	case "console", "inspect":
		e.lendConsole(object)
	case "crypto":
		e.lendCrypto(object)
	case "date":
		e.lendZone(object)
	case "domexception":
		e.lendExceptionCodes(object)
	case "encoding":
		e.lendEncoding(object)
	case "events":
		e.lendReport(object)
		e.lendPerformance(object)
	case "fetch":
		e.lendFetch(object)
	case "formdata":
		e.lendCrypto(object)
		e.lendMultipart(object)
	case "intl":
		e.lendCollation(object)
	case "microtask":
		e.lendReport(object)
	case "performance":
		e.lendPerformance(object)
	case "prelude":
		e.lendLanguage(object)
		e.lendLazyHelpers(object)
	case "timers", "abort":
		e.lendTimers(object)
	case "url":
		e.lendURL(object)
	case "weak":
		e.lendWeak(object)
	}
	return object
}

// function makes a native function with the name and length that it shows.
func (e *environment) function(name string, length int, call func(goja.FunctionCall) goja.Value) *goja.Object {
	f := e.rt.ToValue(call).(*goja.Object)
	set := func(property string, value any) {
		if err := f.DefineDataProperty(property, e.rt.ToValue(value), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
	set("name", name)
	set("length", length)
	return f
}

// lend sets a native function on the object given to a script, which alone
// sees it: its name does not matter.
func (e *environment) lend(natives *goja.Object, name string, call func(goja.FunctionCall) goja.Value) {
	define(natives, name, e.rt.ToValue(call))
}

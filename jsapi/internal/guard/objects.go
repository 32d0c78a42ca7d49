package guard

import (
	"math/big"
	"reflect"

	"github.com/dop251/goja"
)

// maxProxies bounds how many proxies may stand one behind the other: a trap that is absent is a Go call to the next.
const maxProxies = 100

// objects bounds the built-ins that list properties, for strings and buffers have one for each element, and chains of
// proxies.
func (p *patcher) objects() {
	g, object := p.guard, p.global("Object")
	listing := func(argument int) func(native) native {
		return func(original native) native {
			return func(c goja.FunctionCall) goja.Value {
				for i := argument; i < len(c.Arguments); i++ {
					g.checkIndexed(c.Arguments[i])
				}
				return original(c)
			}
		}
	}
	for _, name := range []string{"keys", "values", "entries", "getOwnPropertyNames", "getOwnPropertyDescriptors", "freeze", "seal", "isFrozen", "isSealed"} {
		p.method(object, name, listing(0))
	}
	p.method(object, "assign", listing(1))
	p.method(p.global("Reflect"), "ownKeys", listing(0))

	proxy := p.global("Proxy")
	check := func(args []goja.Value) []goja.Value {
		for _, arg := range args[:min(len(args), 2)] {
			g.checkProxies(arg)
		}
		return args
	}
	p.constructor("Proxy", proxy, check)
	p.method(proxy, "revocable", func(original native) native {
		return func(c goja.FunctionCall) goja.Value {
			check(c.Arguments)
			return original(c)
		}
	})
}

// checkIndexed refuses strings and typed arrays with more elements than a built-in may list.
func (g *guard) checkIndexed(v goja.Value) {
	object, ok := v.(*goja.Object)
	if !ok {
		g.checkElements(float64(length(v)))
		return
	}
	if object.ClassName() == "String" || isTypedArray(object) {
		g.checkElements(float64(length(object)))
	}
}

// isTypedArray tells typed arrays from other objects: only they export as a slice of numbers.
func isTypedArray(object *goja.Object) bool {
	t := object.ExportType()
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Interface
}

// checkProxies refuses a proxy whose target or handler stands behind too many proxies already.
func (g *guard) checkProxies(v goja.Value) {
	for n := 0; ; n++ {
		object, ok := v.(*goja.Object)
		if !ok || object.ExportType() != proxyType {
			return
		}
		if n >= maxProxies {
			g.rangeErrorf("a chain of proxies exceeds the limit of %d", maxProxies)
		}
		target := object.Export().(goja.Proxy).Target()
		if target == nil { // revoked
			return
		}
		v = target
	}
}

var (
	proxyType       = reflect.TypeFor[goja.Proxy]()
	arrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
	bigIntType      = reflect.TypeFor[*big.Int]()
)

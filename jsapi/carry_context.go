package jsapi

import "github.com/dop251/goja"

// contextPrototype is the export of the context module that has the methods of a
// call's context.
const contextPrototype = "callContextPrototype"

// callContext is the Go side of the context object of a call. Its signal is made
// when it is first read, since few calls ask.
type callContext struct {
	isolate *Isolate
	call    *pendingCall // whose signal it is, or nil
	given   *Signal      // the signal of a call in another isolate
	signal  goja.Value
}

var _ goja.DynamicObject = (*callContext)(nil)

const abortSignal = "abortSignal"

// Get implements [goja.DynamicObject]. Other members are those of the prototype.
func (c *callContext) Get(key string) goja.Value {
	if key != abortSignal {
		return nil
	}
	if c.signal == nil {
		signal := c.given
		if c.call != nil {
			signal = c.call.ownSignal()
		}
		value, err := c.isolate.importSignal(signal)
		if err != nil {
			c.isolate.throw(err)
		}
		c.signal = value
	}
	return c.signal
}

// Has implements [goja.DynamicObject].
func (c *callContext) Has(key string) bool { return key == abortSignal }

// Set implements [goja.DynamicObject]: a context never changes.
func (c *callContext) Set(string, goja.Value) bool { return false }

// Delete implements [goja.DynamicObject].
func (c *callContext) Delete(key string) bool { return !c.Has(key) }

// Keys implements [goja.DynamicObject].
func (c *callContext) Keys() []string { return []string{abortSignal} }

// importContext makes the context object of a call in this isolate (call), or of
// one elsewhere that has a signal (given).
func (iso *Isolate) importContext(call *pendingCall, given *Signal) (goja.Value, error) {
	object := iso.runtime.NewDynamicObject(&callContext{isolate: iso, call: call, given: given})
	if iso.options.Context == nil {
		return object, nil
	}
	if iso.contextPrototype == nil {
		exports, err := iso.loadSynthetic(iso.options.Context)
		if err != nil {
			return nil, err
		}
		iso.contextPrototype, _ = exports.Get(contextPrototype).(*goja.Object)
	}
	return object, object.SetPrototype(iso.contextPrototype)
}

// exportContext recognises the context of a call by its members, since a class
// has no identity outside its isolate.
func (iso *Isolate) exportContext(object *goja.Object) (*CallContext, bool) {
	value, _ := object.Get("value").(*goja.Object)
	if value == nil || value.ClassName() != "Function" || object.Get("abortSignal") == nil {
		return nil, false
	}
	signal, ok := object.Get("abortSignal").(*goja.Object)
	if !ok {
		return &CallContext{}, true
	}
	linked, _ := iso.exportSignal(signal)
	return &CallContext{Signal: linked}, true
}

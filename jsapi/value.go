package jsapi

import "context"

// Data outside an isolate has one of these forms:
//
//	nil               null
//	Undefined         undefined
//	bool, string      themselves
//	float64           a number (Go integers are accepted when data goes in)
//	*big.Int          a bigint
//	Date              a Date
//	*Bytes            a Uint8Array
//	*Array            an array
//	*Object           a plain object, keys in their order
//	*Map, *Set        a Map, a Set
//	*Error            an error
//	*Function         a function of some isolate
//	*Signal           an AbortSignal
//	*CallContext      the context object that a call gets
//	*Stream           an async iterable
//	*Reference        any value, kept where it is; only its own isolate takes it back
//
// and, only when data goes in:
//
//	json.RawMessage   decoded into fresh values, key order kept
//	Native            a function that Go implements
//	Async             a promise (as the result of a Native)
//	error             an error, see [Error]
//	[]any, map[string]any   an array, an object with sorted keys
//	anything else     what encoding/json makes of it
//
// Containers are pointers, so that a value may contain itself.

// Undefined is JavaScript's undefined. Its zero value is ready to use.
type Undefined struct{}

// Date is a point in time in milliseconds since the Unix epoch; NaN is an
// invalid date.
type Date float64

// Bytes is the content of a Uint8Array.
type Bytes struct{ Data []byte }

// Array is an ordered list of values.
type Array struct{ Items []any }

// Map is a list of key and value pairs in insertion order.
type Map struct{ Entries [][2]any }

// Set is a list of values in insertion order.
type Set struct{ Items []any }

// Object is a plain object. The zero value is an empty object.
type Object struct {
	keys   []string
	values map[string]any
}

// NewObject returns an object with the given members: key, value, key, value.
// It panics when the number of arguments is odd or a key is not a string.
func NewObject(members ...any) *Object {
	object := &Object{}
	for i := 0; i < len(members); i += 2 {
		object.Set(members[i].(string), members[i+1])
	}
	return object
}

// Set adds or replaces a member; a new one goes last.
func (o *Object) Set(key string, value any) *Object {
	if o.values == nil {
		o.values = make(map[string]any)
	}
	if _, exists := o.values[key]; !exists {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
	return o
}

// Get returns a member, or nil and false.
func (o *Object) Get(key string) (any, bool) {
	value, ok := o.values[key]
	return value, ok
}

// Keys returns the member names in order. The caller must not change the slice.
func (o *Object) Keys() []string { return o.keys }

// Native is a function that JavaScript calls and Go implements. It runs on the
// loop of the isolate that calls and must not block. Its result is data in one
// of the forms above; an error is thrown.
type Native func(call *NativeCall) (any, error)

// NativeCall is one call of a [Native].
type NativeCall struct {
	// Args are the arguments as data. Arguments that cannot be carried have
	// already failed the call with a DataCloneError.
	Args []any
	// Isolate is the isolate that calls.
	Isolate *Isolate
	// Owner is what the calling code belongs to.
	Owner *Owner
	// Context ends when Owner does, and carries the values (call depth, commit
	// marks) of the Go call that this code runs for.
	Context context.Context
}

// Arg returns argument i, or Undefined when it was not given.
func (c *NativeCall) Arg(i int) any {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return Undefined{}
}

// Async is the result of a [Native] that takes time: Work runs on a goroutine of
// its own, and its result settles the promise that JavaScript got.
type Async struct {
	// Work must return when ctx ends. ctx is the call's Context. A panic rejects
	// the promise with a [*PanicError].
	Work func(ctx context.Context) (any, error)
}

// Reference keeps a value of an isolate alive without copying it, until the
// isolate ends.
type Reference struct {
	isolate *Isolate
	value   engineValue
}

// Isolate returns the isolate that the value lives in.
func (r *Reference) Isolate() *Isolate { return r.isolate }

// Stream is an async iterable of some isolate. Its items are asked for one at a
// time.
type Stream struct {
	// Next returns the next item; done is true at the end.
	Next func(ctx context.Context) (item any, done bool, err error)
	// Return tells the producer that nobody asks for more. It may be nil.
	Return func(ctx context.Context) error
}

// CallContext stands for the context object that a call in JavaScript gets; the
// receiving isolate builds its own around the signal.
type CallContext struct{ Signal *Signal }

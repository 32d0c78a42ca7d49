package jsapi

import (
	"errors"
	"slices"

	"github.com/dop251/goja"
)

// goError makes an error object of a Go error, with its name and its members:
// its own, else those of the first error in its chain that has some.
func (in *importer) goError(err error) (goja.Value, error) {
	var aborted *AbortError
	description := &Error{Message: err.Error(), wrapped: err, domException: errors.As(err, &aborted)}
	var named Named
	if errors.As(err, &named) {
		description.Name = named.ErrorName()
	}
	var detailed Detailed
	if errors.As(err, &detailed) {
		description.Properties = detailed.ErrorProperties()
	}
	var carried *Error
	if errors.As(err, &carried) {
		if description.Name == "" {
			description.Name = carried.Name
		}
		if description.Properties == nil {
			description.Properties = carried.Properties
		}
	}
	return in.error(description)
}

// errorClasses are the built-in constructors that an error is rebuilt with, so
// that instanceof works.
var errorClasses = []string{"TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"}

func (in *importer) error(data *Error) (goja.Value, error) {
	if data.Thrown != nil || data.thrownNull {
		return in.value(data.Thrown)
	}
	runtime := in.isolate.runtime
	object, err := in.newError(data)
	if err != nil {
		return nil, err
	}
	in.remember(data, object)
	if data.Stack != "" {
		hide(object, "stack", runtime.ToValue(data.Stack))
	}
	if err := in.errorMembers(object, data); err != nil {
		return nil, err
	}
	if data.wrapped != nil {
		in.isolate.attachGoError(object, data.wrapped)
	}
	return object, nil
}

// domException is the class of the platform's own errors (Web IDL, 2.8.1).
const domException = "DOMException"

// newError makes an error object of the right class, with a name and a message.
func (in *importer) newError(data *Error) (*goja.Object, error) {
	runtime := in.isolate.runtime
	message := runtime.ToValue(data.Message)
	if data.domException {
		return runtime.New(runtime.Get(domException), message, runtime.ToValue(data.Name))
	}
	class := "Error"
	if slices.Contains(errorClasses, data.Name) {
		class = data.Name
	}
	object, err := runtime.New(in.isolate.intrinsics.classes[class], message)
	if err == nil && data.Name != "" && data.Name != class {
		hide(object, "name", runtime.ToValue(data.Name))
	}
	return object, err
}

func (in *importer) errorMembers(object *goja.Object, data *Error) error {
	if data.Cause != nil {
		cause, err := in.value(data.Cause)
		if err != nil {
			return err
		}
		hide(object, "cause", cause)
	}
	if data.Properties == nil {
		return nil
	}
	for _, key := range data.Properties.keys {
		value, err := in.value(data.Properties.values[key])
		if err != nil {
			return err
		}
		if err := in.isolate.define(object, key, value); err != nil {
			return err
		}
	}
	return nil
}

// hide defines a member that does not show when the object is listed.
func hide(object *goja.Object, key string, value goja.Value) {
	_ = object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

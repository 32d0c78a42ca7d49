package jsapi

import (
	"weak"

	"github.com/dop251/goja"
)

// release is the last that runs on the loop of an isolate that has ended. It cuts
// what outlives the isolate off its values: functions, references and signals that
// others hold would keep the whole runtime alive.
func (iso *Isolate) release() {
	for _, pointer := range iso.ownFunctions {
		if function := pointer.Value(); function != nil {
			function.value, function.this, function.call = nil, nil, nil
		}
	}
	for _, pointer := range iso.ownSignals {
		if signal := pointer.Value(); signal != nil {
			signal.object = nil
		}
	}
	for pointer := range iso.references {
		if reference := pointer.Value(); reference != nil {
			reference.value = nil
		}
	}
	for pointer := range iso.signals.objects {
		if signal := pointer.Value(); signal != nil {
			signal.forget(iso)
		}
	}
	iso.functions, iso.signals = links[Function]{}, links[Signal]{}
	iso.ownFunctions, iso.ownSignals, iso.references = nil, nil, nil
	iso.runtime, iso.intrinsics, iso.contextPrototype = nil, intrinsics{}, nil
	iso.synthetic, iso.rejected, iso.current, iso.fault = nil, rejections{}, nil, nil
	iso.options.Supplied, iso.options.Context = nil, nil
	iso.watch.release()
}

// newReference keeps a value for others, while the isolate lives.
func (iso *Isolate) newReference(value goja.Value) *Reference {
	reference := &Reference{isolate: iso, value: value}
	pointer := weak.Make(reference)
	if iso.references == nil {
		iso.references = make(map[weak.Pointer[Reference]]struct{})
	}
	iso.references[pointer] = struct{}{}
	onCollected(iso, reference, func(iso *Isolate) { delete(iso.references, pointer) })
	return reference
}

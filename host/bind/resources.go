package bind

import "github.com/seed-d579e5eb/harness/jsapi"

func (h *Host) claim(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "resource", call: call}
	key := args.text("key")
	if args.err == nil {
		h.resources.Claim(h, key)
	}
	return jsapi.Undefined{}, args.err
}

// create runs the author's function at once, as code of the new resource.
func (h *Host) create(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "resource", call: call}
	key, create := args.text("key"), args.function1("create")
	if args.err != nil {
		return nil, args.err
	}
	own := h.resources.Create(h, key)
	if err := call.Within(own.owner, create, own.Natives()); err != nil {
		h.resources.Forget(own)
		return nil, err
	}
	return jsapi.Undefined{}, nil
}

func (h *Host) forget(*jsapi.NativeCall) (any, error) {
	h.resources.Forget(h)
	return jsapi.Undefined{}, nil
}

package bind

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"errors"
	"hash"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// nativeModule is what our own modules import as harness:native; see
// jsapi/modules/src/internal/native.d.ts.
func nativeModule(world *World) *jsapi.Object {
	files, immediate := &jsapi.Object{}, &jsapi.Object{}
	for _, each := range fileOperations {
		files.Set(each.name, asynchronous(world.Files, each.name, nodeOptions(each.prepare)))
		immediate.Set(each.name, synchronous(world.Files, each.name, nodeOptions(each.prepare)))
	}
	return jsapi.NewObject("native", jsapi.NewObject(
		"fs", files, "fsSync", immediate, "digest", jsapi.Native(digest), "models", world.modelsObject(), "validate", jsapi.Native(world.validate)))
}

// nodeOptions lets an operation take { recursive } where the natives of a host
// take a flag.
func nodeOptions(prepare func(*arguments) operation) func(*arguments) operation {
	return func(args *arguments) operation {
		for i, arg := range args.call.Args {
			if options, ok := arg.(*jsapi.Object); ok {
				args.call.Args[i], _ = options.Get("recursive")
			}
		}
		return prepare(args)
	}
}

var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

func digest(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "digest", call: call}
	algorithm, data := args.text("algorithm"), args.content("data")
	begin := digests[algorithm]
	if begin == nil {
		args.wrong("algorithm", "md5, sha1, sha256, sha384 or sha512")
	}
	if args.err != nil {
		return nil, args.err
	}
	sum := begin()
	sum.Write(data)
	return &jsapi.Bytes{Data: sum.Sum(nil)}, nil
}

// validate holds arguments against a schema.
func (w *World) validate(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "validate", call: call}
	tool, schema, given := args.text("tool"), args.text("schema"), args.text("args")
	if args.err != nil {
		return nil, args.err
	}
	fitting, err := w.Validate(tool, json.RawMessage(schema), json.RawMessage(given))
	var wrong *registry.ArgumentsError
	switch {
	case errors.As(err, &wrong):
		return jsapi.NewObject("error", err.Error(), "flaws", list(wrong.Flaws)), nil
	case err != nil:
		return nil, err
	}
	return jsapi.NewObject("value", string(fitting)), nil
}

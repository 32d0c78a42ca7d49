package globals

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"

	"github.com/dop251/goja"
)

// lendMultipart lends parts(bytes, content type) → [{name, filename or
// undefined, contentType, data}], or undefined when that is no multipart form.
func (e *environment) lendMultipart(natives *goja.Object) {
	e.lend(natives, "parts", func(call goja.FunctionCall) goja.Value {
		_, parameters, err := mime.ParseMediaType(call.Argument(1).String())
		if err != nil || parameters["boundary"] == "" {
			return goja.Undefined()
		}
		reader := multipart.NewReader(bytes.NewReader(e.bytesOf(call.Argument(0), "formData: the body")), parameters["boundary"])
		var parts []any
		for {
			part, err := reader.NextRawPart()
			if err == io.EOF {
				return e.rt.NewArray(parts...)
			}
			if err != nil {
				return goja.Undefined()
			}
			data, err := io.ReadAll(part)
			if err != nil {
				return goja.Undefined()
			}
			parts = append(parts, e.part(part, data))
		}
	})
}

func (e *environment) part(part *multipart.Part, data []byte) *goja.Object {
	object := e.rt.NewObject()
	define(object, "name", e.rt.ToValue(part.FormName()))
	if name := part.FileName(); name != "" {
		define(object, "filename", e.rt.ToValue(name))
	}
	define(object, "contentType", e.rt.ToValue(part.Header.Get("Content-Type")))
	define(object, "data", e.uint8Array(data))
	return object
}

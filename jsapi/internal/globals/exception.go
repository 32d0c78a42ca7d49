package globals

import "github.com/dop251/goja"

// exceptionCodes are the names of DOMException that have a legacy code, and
// the constants for them (Web IDL, section 2.8.1).
var exceptionCodes = []struct {
	name, constant string
	code           int
}{
	{"IndexSizeError", "INDEX_SIZE_ERR", 1},
	{"", "DOMSTRING_SIZE_ERR", 2},
	{"HierarchyRequestError", "HIERARCHY_REQUEST_ERR", 3},
	{"WrongDocumentError", "WRONG_DOCUMENT_ERR", 4},
	{"InvalidCharacterError", "INVALID_CHARACTER_ERR", 5},
	{"", "NO_DATA_ALLOWED_ERR", 6},
	{"NoModificationAllowedError", "NO_MODIFICATION_ALLOWED_ERR", 7},
	{"NotFoundError", "NOT_FOUND_ERR", 8},
	{"NotSupportedError", "NOT_SUPPORTED_ERR", 9},
	{"InUseAttributeError", "INUSE_ATTRIBUTE_ERR", 10},
	{"InvalidStateError", "INVALID_STATE_ERR", 11},
	{"SyntaxError", "SYNTAX_ERR", 12},
	{"InvalidModificationError", "INVALID_MODIFICATION_ERR", 13},
	{"NamespaceError", "NAMESPACE_ERR", 14},
	{"InvalidAccessError", "INVALID_ACCESS_ERR", 15},
	{"", "VALIDATION_ERR", 16},
	{"TypeMismatchError", "TYPE_MISMATCH_ERR", 17},
	{"SecurityError", "SECURITY_ERR", 18},
	{"NetworkError", "NETWORK_ERR", 19},
	{"AbortError", "ABORT_ERR", 20},
	{"URLMismatchError", "URL_MISMATCH_ERR", 21},
	{"QuotaExceededError", "QUOTA_EXCEEDED_ERR", 22},
	{"TimeoutError", "TIMEOUT_ERR", 23},
	{"InvalidNodeTypeError", "INVALID_NODE_TYPE_ERR", 24},
	{"DataCloneError", "DATA_CLONE_ERR", 25},
}

// lendExceptionCodes lends code(name), 0 for a name without one, and
// constants(object), which defines them all.
func (e *environment) lendExceptionCodes(natives *goja.Object) {
	e.lend(natives, "code", func(call goja.FunctionCall) goja.Value {
		name := call.Argument(0).String()
		for _, known := range exceptionCodes {
			if known.name == name && name != "" {
				return e.rt.ToValue(known.code)
			}
		}
		return e.rt.ToValue(0)
	})
	e.lend(natives, "constants", func(call goja.FunctionCall) goja.Value {
		object := call.Argument(0).(*goja.Object)
		for _, known := range exceptionCodes {
			err := object.DefineDataProperty(known.constant, e.rt.ToValue(known.code), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
			if err != nil {
				panic(err)
			}
		}
		return goja.Undefined()
	})
}

// domException makes a DOMException.
func (e *environment) domException(message, name string) *goja.Object {
	exception, err := e.rt.New(e.need("domexception").Get("DOMException"), e.rt.ToValue(message), e.rt.ToValue(name))
	if err != nil {
		panic(err)
	}
	return exception
}

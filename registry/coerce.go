package registry

import "github.com/santhosh-tekuri/jsonschema/v6"

// coerce gives value changed towards the schema where a model's usual slips
// allow it, as far as that is possible.
func coerce(schema *jsonschema.Schema, value any) any { return value }

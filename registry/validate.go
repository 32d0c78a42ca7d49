package registry

import (
	"encoding/json"
)

// ValidateArguments checks arguments against parameters as [BoundTool.Validate] does,
// for a tool that need not be there; any schema may be given. The error is an
// [*ArgumentsError], or says why the schema is none. It may be called from any
// goroutine.
func (r *Registry) ValidateArguments(tool string, parameters, arguments json.RawMessage) (json.RawMessage, error) {
	schema, err := r.settings.compile(parameters)
	if err != nil {
		return nil, &SettingsSchemaError{Err: err}
	}
	bound := &BoundTool{Tool: Tool{Name: tool}, schema: schema}
	return bound.Validate(arguments)
}

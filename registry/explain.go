package registry

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// flaw is one reason why a value does not fit a schema.
type flaw struct {
	path    string // dotted; "root" for the value itself
	message string
}

func explain(invalid *jsonschema.ValidationError, document []byte) []flaw {
	var list []flaw
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			path := strings.Join(e.InstanceLocation, ".")
			if path == "" {
				path = "root"
			}
			list = append(list, flaw{path, e.ErrorKind.LocalizedString(message.NewPrinter(language.English))})
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(invalid)
	return list
}

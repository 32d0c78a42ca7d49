package tools

import (
	"context"

	"github.com/seed-d579e5eb/harness/registry"
)

// Options change how the coding tools behave. The zero value is the normal case.
type Options struct {
	// Images bound the images that read shows; a zero bound is that of
	// [DefaultImageLimits].
	Images ImageLimits
	// CommandPrefix is put in front of each command of bash, on a line of its own.
	CommandPrefix string
}

// Coding returns the extension coding-tools: read, write, edit and bash. A writer of a
// file waits for the one before, also in other conversations, as long as both use the
// same extension.
func Coding(options Options) registry.Extension {
	writers := new(writers)
	return coding{registry.Instance{Tools: []registry.Tool{
		Read(options), write(writers), edit(writers), Bash(options),
	}}}
}

// coding implements [registry.Extension].
type coding struct{ instance registry.Instance }

// Manifest implements [registry.Extension].
func (coding) Manifest() registry.Manifest {
	return registry.Manifest{
		Name: "coding-tools", Ref: registry.BuiltinRef("coding-tools", "1.0.0"), Source: registry.SourceBuiltin, Derived: true,
	}
}

// Instantiate implements [registry.Extension].
func (c coding) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	instance := c.instance
	return &instance, nil
}

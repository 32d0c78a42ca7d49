package bind

import (
	"context"
	"fmt"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// GoServices returns the instance of a Go extension with services that take plain
// Go values: what comes from JavaScript is converted first (see [jsapi.Plain]).
// Nil stays nil.
func GoServices(instance *registry.Instance) *registry.Instance {
	if instance == nil || len(instance.Services) == 0 {
		return instance
	}
	converted := *instance
	converted.Services = make([]registry.Service, len(instance.Services))
	for i, service := range instance.Services {
		call := service.Call
		service.Call = func(ctx context.Context, method string, args []any) (any, error) {
			plain := make([]any, len(args))
			for i, arg := range args {
				var err error
				if plain[i], err = jsapi.Plain(arg); err != nil {
					return nil, fmt.Errorf("argument %d: %w", i+1, err)
				}
			}
			return call(ctx, method, plain)
		}
		converted.Services[i] = service
	}
	return &converted
}

package bind

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// Backend is what the faces need from the host above.
type Backend interface {
	// Settings returns the world settings, validated and completed by a JSON
	// Schema unless that is empty. It does not block.
	Settings(schema string) (json.RawMessage, error)
	// Notice shows a message of an extension to the world's owner.
	Notice(extension, message string)
	// Report takes an error of an extension that nobody waits for.
	Report(extension string, err error)
	// CallService calls the provider that is current now; see
	// [registry.Registry.CallService].
	CallService(ctx context.Context, id, method string, args []any) (any, error)
	// Engine returns the world's open harness, or a [*NotLoadedError].
	Engine() (*agent.Harness, error)
	// Install and Uninstall change what is installed at run time; see
	// [registry.Registry.Install].
	Install(extension registry.Extension, instance *registry.Instance) error
	Uninstall(name string) error
	// Drop takes an extension out, if it is still installed.
	Drop(extension registry.Extension) error
	// Provided reports whether a service is provided by the current generation,
	// or by Go.
	Provided(id string) bool
}

// Host makes the natives that one extension gets at one generation, or one of its
// resources. Its methods are called on the isolate's loop.
type Host struct {
	name       string
	generation string
	world      *World
	backend    Backend
	owner      *jsapi.Owner
	staging    *staging // nil for a resource
	resources  Resources
	limits     Limits
	engine     jsapi.Native // made when it is first asked for
	runs       *liveSet
}

// Resources keeps the resources of an extension in one isolate.
type Resources interface {
	// Claim notes that the generation with this host uses the resource.
	Claim(host *Host, key string)
	// Create returns a host of the new resource's own.
	Create(host *Host, key string) *Host
	// Forget drops the resource with this host, whose creation failed.
	Forget(host *Host)
}

// Config is what a [Host] is made of.
type Config struct {
	Extension  string
	Generation string // the commit's sha
	World      *World
	Backend    Backend
	Owner      *jsapi.Owner
	Resources  Resources
	Limits     Limits
	// Candidate reports whether a service is provided in the candidate so far.
	Candidate func(id string) bool
}

// NewHost returns the host of an extension whose factory is about to run.
func NewHost(config Config) *Host {
	return &Host{
		name: config.Extension, generation: config.Generation, world: config.World, backend: config.Backend,
		owner: config.Owner, resources: config.Resources, limits: config.Limits,
		staging: &staging{provided: config.Candidate}, runs: new(liveSet),
	}
}

// ForResource returns the host of a resource: what starts through it belongs to
// owner.
func (h *Host) ForResource(owner *jsapi.Owner) *Host {
	own := *h
	own.owner, own.staging, own.engine = owner, nil, nil
	return &own
}

// Owns reports whether the host is that of the owner.
func (h *Host) Owns(owner *jsapi.Owner) bool { return h.owner == owner }

// Generation returns the sha of the commit that the host was made for.
func (h *Host) Generation() string { return h.generation }

// Natives makes the function by which script/host.ts finds natives; see Native in
// script/native.ts. Each member is made when it is asked for.
func (h *Host) Natives() jsapi.Native {
	return func(call *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "native", call: call}
		member := args.text("member")
		switch member {
		case "name":
			return h.name, args.err
		case "generation":
			return h.generation, args.err
		}
		if native := h.member(member); native != nil {
			return h.live(native), nil
		}
		return nil, fmt.Errorf("there is no native %q", member)
	}
}

// member finds a native by its name.
func (h *Host) member(name string) jsapi.Native {
	switch name {
	case "exec":
		return h.exec
	case "git":
		return h.git
	case "settings":
		return h.settings
	case "implement":
		return h.implement
	case "need":
		return h.need
	case "provided":
		return h.provided
	case "call":
		return h.callService
	case "onOpen":
		return h.onOpen
	case "onClose":
		return h.onClose
	case "engine":
		return h.engineRemote
	case "installed":
		return h.installed
	case "install":
		return h.install
	case "uninstall":
		return h.uninstall
	case "react":
		return h.react
	case "seal":
		return h.seal
	case "claim":
		return h.claim
	case "create":
		return h.create
	case "forget":
		return h.forget
	case "notice":
		return h.notice
	case "fs.watch":
		return h.watch
	}
	for _, operation := range fileOperations {
		if name == "fs."+operation.name {
			return asynchronous(h.world.Files, operation.name, operation.prepare)
		}
	}
	return nil
}

// live refuses calls once the host's generation or resource has ended, and gives
// what is started to the host's owner.
func (h *Host) live(native jsapi.Native) jsapi.Native {
	return func(call *jsapi.NativeCall) (any, error) {
		if h.owner.Closed() {
			return nil, context.Cause(h.owner.Context())
		}
		return native(call)
	}
}

func (h *Host) report(err error) { h.backend.Report(h.name, err) }

func (h *Host) notice(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "notice", call: call}
	message := args.text("message")
	if args.err == nil {
		h.backend.Notice(h.name, message)
	}
	return jsapi.Undefined{}, args.err
}

func (h *Host) settings(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "settings", call: call}
	schema := args.optional("schema")
	if args.err != nil {
		return nil, args.err
	}
	settings, err := h.backend.Settings(schema)
	return settings, err
}

// Nest counts calls across isolates for [jsapi.Options]; package registry keeps
// the count.
func Nest(ctx context.Context) (context.Context, error) {
	depth := registry.CallDepth(ctx)
	if depth >= registry.MaxCallDepth {
		return nil, shown(&registry.CallDepthError{})
	}
	return registry.WithCallDepth(ctx, depth+1), nil
}

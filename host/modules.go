package host

import (
	"maps"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// RegisterModules adds a package that extensions can import by its namespace, such
// as "acme" or "@acme/tools", or by a subpath of one. exports are what the import
// gives, by name ("default" is the default export): data in the forms of package
// jsapi, and functions as [jsapi.Native]. Each isolate gets values of its own. The
// namespace is closed: what it lacks, and any subpath that was not registered, is
// an error of the commit, also when the repository has a package of that name.
// Registering a namespace again replaces it. It has an effect before [Open] gets
// the options, and does not change a map that was in Modules.
func (o *Options) RegisterModules(namespace string, exports *jsapi.Object) {
	registered := maps.Clone(o.Modules)
	if registered == nil {
		registered = make(map[string]*jsapi.Object)
	}
	registered[namespace] = exports
	o.Modules = registered
}

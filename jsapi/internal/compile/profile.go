package compile

import (
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// importMeta is the parameter of a module's function that stands for import.meta.
const importMeta = "__importMeta"

// stemName is the name under which esbuild sees a file that may be a module or a script. It decides
// the name of the variable that holds a module's exports, by which the two are told apart.
const stemName = "harness-module"

// exportsMarker is what esbuild writes for a module under that name that exports anything.
const exportsMarker = "module.exports = __toCommonJS(harness_module_exports);"

// tsconfig is the configuration of TypeScript sources. Unused imports are dropped, as they may be
// types; class fields have the standard's meaning.
const tsconfig = `{"compilerOptions":{"target":"es2022","useDefineForClassFields":true,"isolatedModules":true,"alwaysStrict":true}}`

// scriptConfig is that of JavaScript sources, which may be scripts in sloppy mode.
const scriptConfig = `{"compilerOptions":{"target":"es2022"}}`

// unsupported lists the syntax that goja does not have within ES2022 or, wrongly, has.
func unsupported() map[string]bool {
	return map[string]bool{
		"async-generator":                 false,
		"for-await":                       false,
		"using":                           false,
		"decorators":                      false,
		"dynamic-import":                  false,
		"regexp-unicode-property-escapes": false,
		// The operator cannot be fenced, Math.pow is: see package guard.
		"exponent-operator": false,
		// esbuild does not see a property escape inside a character class; the u flag
		// alone turns the literal into a constructor call.
		"regexp-sticky-and-unicode-flags": false,
		"regexp-match-indices":            false,
		"regexp-set-notation":             false,
	}
}

// logLevels silences what esbuild says about regular expressions that it turns into constructor
// calls.
func logLevels() map[string]api.LogLevel {
	return map[string]api.LogLevel{"unsupported-regexp": api.LogLevelSilent}
}

// loader tells esbuild the language of a file.
func loader(t target) api.Loader {
	switch t.form {
	case formText:
		return api.LoaderText
	case formJSON:
		return api.LoaderJSON
	case formSynthetic:
		return api.LoaderTS
	}
	switch path.Ext(t.name) {
	case ".ts", ".mts":
		return api.LoaderTS
	case ".tsx":
		return api.LoaderTSX
	}
	return api.LoaderJS
}

// isTypeScript reports whether the target is TypeScript, which is always in strict mode.
func isTypeScript(t target) bool {
	l := loader(t)
	return l == api.LoaderTS || l == api.LoaderTSX
}

// isModule reports whether the name alone says that the target is an ECMAScript module.
func isModule(t target) bool {
	return isTypeScript(t) || path.Ext(t.name) == ".mjs"
}

func configFor(t target) string {
	if isTypeScript(t) {
		return tsconfig
	}
	return scriptConfig
}

// sourcefile is the name under which esbuild sees a file. It gives an anonymous default export its
// name. It never ends in .mjs or .mts, for which esbuild would apply Node's rule for default imports
// and take compiled modules for CommonJS.
func sourcefile(t target) string {
	if !isModule(t) {
		return stemName + ".js"
	}
	base := path.Base(t.name)
	return strings.TrimSuffix(base, path.Ext(base)) + ".ts"
}

// transformOptions are esbuild's settings for one module.
func transformOptions(t target) api.TransformOptions {
	defines := map[string]string{"import.meta": importMeta}
	if t.inPackage() {
		defines["process.env.NODE_ENV"] = `"production"`
	}
	return api.TransformOptions{
		Target:         api.ES2022,
		Format:         api.FormatCommonJS,
		Platform:       api.PlatformNeutral,
		Supported:      unsupported(),
		Define:         defines,
		LogOverride:    logLevels(),
		TsconfigRaw:    configFor(t),
		Loader:         loader(t),
		Sourcefile:     sourcefile(t),
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		LegalComments:  api.LegalCommentsNone,
	}
}

// linkOptions are esbuild's settings for the build that checks a graph; its output is thrown away.
func linkOptions(plugin api.Plugin) api.BuildOptions {
	return api.BuildOptions{
		EntryPoints:   []string{"entry"},
		Bundle:        true,
		Write:         false,
		AbsWorkingDir: "/",
		Target:        api.ES2022,
		Format:        api.FormatCommonJS,
		Platform:      api.PlatformNeutral,
		Supported:     unsupported(),
		LogOverride:   logLevels(),
		TsconfigRaw:   scriptConfig,
		LegalComments: api.LegalCommentsNone,
		Plugins:       []api.Plugin{plugin},
	}
}

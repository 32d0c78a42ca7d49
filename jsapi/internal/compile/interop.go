package compile

import "strings"

// esbuild's helpers copy what a module exports, getter by getter: once into
// module.exports, and once more in each module that imports it. Here an object of
// exports is never shared with code that is not of the same graph, so the copies
// are not needed, and they are most of what an import costs. Line breaks stay, so
// that source maps do.
var interop = strings.NewReplacer(
	"var __toCommonJS = (mod) => __copyProps(__defProp({}, \"__esModule\", { value: true }), mod);",
	"var __toCommonJS = (mod) => __defProp(mod, \"__esModule\", { value: true });",
	"var __toESM = (mod, isNodeMode, target) => (target =",
	"var __toESM = (mod, isNodeMode, target) => !isNodeMode && mod && mod.__esModule ? mod : (target =",
)

// withoutCopies makes the module's helpers hand exports on as they are.
func withoutCopies(code []byte) string { return interop.Replace(string(code)) }

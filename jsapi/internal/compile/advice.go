package compile

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// adviceFor says what to do about a message of esbuild, where there is something to say that the
// message does not.
func adviceFor(m api.Message) string {
	switch {
	case strings.HasPrefix(m.Text, "Top-level await"):
		return "await inside the factory: export default async (host) => { ... }"
	case strings.Contains(m.Text, "decorators are not") || strings.Contains(m.Text, "Parameter decorators"):
		return "decorators are those of the standard, which has none for parameters"
	case strings.HasPrefix(m.Text, "No matching export") && m.Location != nil && m.Location.Suggestion != "":
		return "did you mean " + m.Location.Suggestion + "?"
	}
	return ""
}

package globals

import (
	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// lendCollation lends compare(a, b, numeric, sensitivity) → -1, 0 or 1, in the
// order that String.prototype.localeCompare has without options.
func (e *environment) lendCollation(natives *goja.Object) {
	type order struct {
		numeric     bool
		sensitivity string
	}
	collators := make(map[order]*collate.Collator)
	e.lend(natives, "compare", func(call goja.FunctionCall) goja.Value {
		key := order{call.Argument(2).ToBoolean(), call.Argument(3).String()}
		collator := collators[key]
		if collator == nil {
			collator = collate.New(language.Und, collation(key.numeric, key.sensitivity)...)
			collators[key] = collator
		}
		a, b := call.Argument(0).String(), call.Argument(1).String()
		return e.rt.ToValue(collator.CompareString(norm.NFD.String(a), norm.NFD.String(b)))
	})
}

func collation(numeric bool, sensitivity string) []collate.Option {
	var options []collate.Option
	if numeric {
		options = append(options, collate.Numeric)
	}
	switch sensitivity {
	case "base":
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		options = append(options, collate.IgnoreCase)
	case "case":
		options = append(options, collate.IgnoreDiacritics)
	}
	return options
}

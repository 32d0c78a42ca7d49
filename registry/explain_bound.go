package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// boundMessage says which bound a value breaks.
func boundMessage(broken jsonschema.ErrorKind) string {
	switch k := broken.(type) {
	case *kind.Minimum:
		return "expected >= " + number(k.Want)
	case *kind.Maximum:
		return "expected <= " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "expected > " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "expected < " + number(k.Want)
	case *kind.MultipleOf:
		return "expected a multiple of " + number(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %d characters", k.Want)
	case *kind.Pattern:
		return "expected to match " + k.Want
	case *kind.Format:
		return "expected format " + k.Want
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %d items", k.Want)
	case *kind.UniqueItems:
		return "expected unique items"
	case *kind.Contains:
		return "expected at least 1 matching item"
	case *kind.MinContains:
		return fmt.Sprintf("expected at least %d matching items", k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("expected at most %d matching items", k.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("expected at least %d properties", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("expected at most %d properties", k.Want)
	}
	return broken.LocalizedString(message.NewPrinter(language.English))
}

func number(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// placesOf reads the order of the places of a JSON text. Text that is not JSON
// gives those before the fault.
func placesOf(text []byte) places {
	p := places{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	p.read(decoder, nil)
	return p
}

// read reads one value at a place, and reports false when the text ends.
func (p places) read(decoder *json.Decoder, at []string) bool {
	p[placeKey(at)] = len(p)
	token, err := decoder.Token()
	if err != nil {
		return false
	}
	open, ok := token.(json.Delim)
	if !ok {
		return true
	}
	for i := 0; decoder.More(); i++ {
		name := strconv.Itoa(i)
		if open == '{' {
			token, err := decoder.Token()
			if err != nil {
				return false
			}
			name, _ = token.(string)
		}
		if !p.read(decoder, append(at[:len(at):len(at)], name)) {
			return false
		}
	}
	_, err = decoder.Token()
	return err == nil
}

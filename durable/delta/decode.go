package delta

import (
	"fmt"
	"math"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// Parse reads a batch that AppendJSON or chord wrote, in chord's decoded form: whole
// paths and no "#". The text may be changed afterwards.
//
// It fails with a *value.ParseError for what is no JSON, and with an *Error for an
// operation that is wrong whatever value it is applied to.
func Parse(text []byte) (Ops, error) {
	// A value may be as deep as it may be alone: a batch, a tuple and its items are around it.
	batch, err := value.Parser{MaxDepth: value.MaxDepth + 3}.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("operations: %w", err)
	}
	list, ok := batch.(value.Array)
	if !ok {
		return nil, &Error{Reason: "the batch is no list, but of kind " + value.Kind(batch)}
	}
	ops := make(Ops, len(list))
	for i, item := range list {
		op, problem := decode(item)
		if problem == nil {
			problem = check(i, op)
		}
		if problem != nil {
			problem.Op = i
			return nil, problem
		}
		ops[i] = op
	}
	return ops, nil
}

// shapes are the items of a tuple after its verb, a letter for each: path, value,
// string, count, list of items, order.
func shapes(verb string) string {
	switch verb {
	case "r":
		return "v"
	case "s":
		return "pv"
	case "d":
		return "p"
	case "a":
		return "ps"
	case "t":
		return "pc"
	case "p":
		return "pccl"
	case "m":
		return "po"
	}
	return ""
}

// parts are the items of a tuple in the types of Go.
type parts struct {
	path   value.Path
	value  value.Value
	text   value.String
	counts []int
	items  value.Array
	order  []int
}

func decode(item value.Value) (Op, *Error) {
	tuple, ok := item.(value.Array)
	if !ok || len(tuple) == 0 {
		return nil, &Error{Reason: "it is no tuple"}
	}
	letter, _ := tuple[0].(value.String)
	verb := string(letter)
	shape := shapes(verb)
	if shape == "" {
		return nil, &Error{Reason: fmt.Sprintf("there is no verb %.40s", value.Marshal(tuple[0]))}
	}
	var p parts
	if len(tuple) != 1+len(shape) {
		return nil, &Error{Verb: verb, Reason: fmt.Sprintf("the tuple has %d items of %d", len(tuple), 1+len(shape))}
	}
	for i, item := range tuple[1:] {
		if reason := p.read(shape[i], item); reason != "" {
			return nil, &Error{Verb: verb, Path: p.path, Reason: fmt.Sprintf("item %d of the tuple %s", i+1, reason)}
		}
	}
	switch verb {
	case "r":
		return Replace{Value: p.value}, nil
	case "s":
		return Set{Path: p.path, Value: p.value}, nil
	case "d":
		return Delete{Path: p.path}, nil
	case "a":
		return Append{Path: p.path, Text: p.text}, nil
	case "t":
		return Trim{Path: p.path, Units: p.counts[0]}, nil
	case "p":
		return Splice{Path: p.path, Index: p.counts[0], Remove: p.counts[1], Items: p.items}, nil
	}
	return Permute{Path: p.path, Order: p.order}, nil
}

// read takes over one item of a tuple, or says what is wrong with it.
func (p *parts) read(shape byte, item value.Value) string {
	ok := true
	switch shape {
	case 'v':
		p.value = item
	case 's':
		p.text, ok = item.(value.String)
		return unless(ok, "is no string")
	case 'l':
		p.items, ok = item.(value.Array)
		return unless(ok, "is no list of items")
	case 'c':
		n, ok := count(item)
		p.counts = append(p.counts, n)
		return unless(ok, "is no count")
	case 'o':
		p.order, ok = counts(item)
		return unless(ok, "is no list of indexes")
	case 'p':
		p.path, ok = pathOf(item)
		return unless(ok, "is no path of keys and indexes")
	}
	return ""
}

func unless(ok bool, reason string) string {
	if ok {
		return ""
	}
	return reason
}

// count reads a whole number that is not negative and fits an index everywhere.
func count(v value.Value) (int, bool) {
	n, ok := v.(value.Number)
	if !ok || n < 0 || n > math.MaxInt32 || n != value.Number(int(n)) {
		return 0, false
	}
	return int(n), true
}

func counts(v value.Value) ([]int, bool) {
	list, ok := v.(value.Array)
	if !ok {
		return nil, false
	}
	numbers := make([]int, len(list))
	for i, item := range list {
		if numbers[i], ok = count(item); !ok {
			return nil, false
		}
	}
	return numbers, true
}

func pathOf(v value.Value) (value.Path, bool) {
	list, ok := v.(value.Array)
	if !ok {
		return nil, false
	}
	path := make(value.Path, len(list))
	for i, item := range list {
		if key, ok := item.(value.String); ok {
			path[i] = value.Key(string(key))
		} else if index, ok := count(item); ok {
			path[i] = value.Index(index)
		} else {
			return nil, false
		}
	}
	return path, true
}

// check says what is wrong with an operation at a place in a batch, whatever value
// it is applied to.
func check(i int, op Op) *Error {
	if op == nil {
		return &Error{Op: i, Reason: "it is no operation"}
	}
	wrong := func(reason string) *Error {
		return &Error{Op: i, Verb: op.verb(), Path: op.where(), Reason: reason}
	}
	for _, segment := range op.where() {
		if reserved(segment) {
			key, _ := segment.Key()
			return wrong("the key " + key + " is not allowed in a path: set the object around it")
		}
	}
	switch op.(type) {
	case Replace:
		if i > 0 {
			return wrong("a whole value is allowed at the start of a batch only")
		}
	case Set, Delete, Append, Trim:
		if len(op.where()) == 0 {
			return wrong("the path is empty")
		}
	}
	return nil
}

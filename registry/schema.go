package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaCache keeps compiled schemas by their bytes, so that a commit which
// changes no schema compiles none. The zero value is ready.
type schemaCache struct {
	limit int // how many it keeps; 0 is no limit

	mu      sync.Mutex
	entries map[string]schemaEntry
}

type schemaEntry struct {
	schema *jsonschema.Schema
	err    error
}

// errNotObjectSchema says that a schema does not describe an object.
var errNotObjectSchema = errors.New(`the schema's type is not "object"`)

// object compiles a schema that describes an object.
func (c *schemaCache) object(source json.RawMessage) (*jsonschema.Schema, error) {
	if len(source) == 0 {
		return nil, errors.New("there is no schema")
	}
	schema, err := c.compile(source)
	if err != nil {
		return nil, err
	}
	if schema.Types == nil || !slices.Equal(schema.Types.ToStrings(), []string{"object"}) {
		return nil, errNotObjectSchema
	}
	return schema, nil
}

// compile compiles a JSON Schema: draft 2020-12 unless it names another, with
// formats asserted, and without reading anything it refers to.
func (c *schemaCache) compile(source json.RawMessage) (*jsonschema.Schema, error) {
	key := string(source)
	c.mu.Lock()
	entry, ok := c.entries[key]
	c.mu.Unlock()
	if ok {
		return entry.schema, entry.err
	}
	entry.schema, entry.err = compileSchema(source)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || c.limit > 0 && len(c.entries) >= c.limit {
		c.entries = map[string]schemaEntry{}
	}
	c.entries[key] = entry
	return entry.schema, entry.err
}

// keep drops what the generation does not use.
func (c *schemaCache) keep(g *Generation) {
	used := map[string]bool{}
	for _, m := range slices.Concat(g.members, g.replaced) {
		used[string(m.manifest.Settings)] = true
		for _, t := range m.instance.Tools {
			used[string(t.Parameters)], used[string(t.StructuredOutput)] = true, true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.entries {
		if !used[key] {
			delete(c.entries, key)
		}
	}
}

// schemaLocation is the made-up address of a schema; it shows in no message.
const schemaLocation = "schema:///parameters"

func compileSchema(source []byte) (*jsonschema.Schema, error) {
	document, err := decode(source)
	if err != nil {
		return nil, err
	}
	if _, ok := document.(map[string]any); !ok {
		return nil, errors.New("the schema is not an object")
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(compilePattern)
	if err := compiler.AddResource(schemaLocation, document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile(schemaLocation)
	if err != nil {
		return nil, schemaError(err, document, source)
	}
	return schema, nil
}

// noLoader refuses references to other documents: a schema must not make the
// process read files or the network.
type noLoader struct{}

var _ jsonschema.URLLoader = noLoader{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("references another document, %s; only references inside the schema are followed", url)
}

// schemaError turns the compiler's error, which speaks of the made-up address,
// into one line for the author.
func schemaError(err error, document any, source []byte) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		var v *jsonschema.ValidationError
		if errors.As(invalid.Err, &v) {
			if flaws := explain(v, document, source); len(flaws) > 0 {
				return errors.New(flaws[0].String())
			}
		}
	}
	return err
}

package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// exportsTree is a value of "exports" or "imports" with the order of its keys, which decides between
// conditions (Node.js documentation, Modules: Packages, "Conditional exports").
type exportsTree struct {
	path     string         // a string
	list     []*exportsTree // an array
	keys     []string       // an object; parallel to values
	values   []*exportsTree
	isObject bool
	isNull   bool
}

// UnmarshalJSON keeps the order of keys.
func (t *exportsTree) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	parsed, err := decodeExports(d)
	if err != nil {
		return err
	}
	*t = *parsed
	return nil
}

func decodeExports(d *json.Decoder) (*exportsTree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		return &exportsTree{path: v}, nil
	case json.Delim:
		if v == '[' {
			return decodeExportsList(d)
		}
		return decodeExportsObject(d)
	}
	return &exportsTree{isNull: true}, nil
}

func decodeExportsList(d *json.Decoder) (*exportsTree, error) {
	t := &exportsTree{}
	for d.More() {
		item, err := decodeExports(d)
		if err != nil {
			return nil, err
		}
		t.list = append(t.list, item)
	}
	_, err := d.Token()
	return t, err
}

func decodeExportsObject(d *json.Decoder) (*exportsTree, error) {
	t := &exportsTree{isObject: true}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("key %v is not a string", key)
		}
		value, err := decodeExports(d)
		if err != nil {
			return nil, err
		}
		t.keys = append(t.keys, name)
		t.values = append(t.values, value)
	}
	_, err := d.Token()
	return t, err
}

// conditions are the names of "exports" that apply to an import and to a require.
func conditions(require bool) []string {
	if require {
		return []string{"require", "default"}
	}
	return []string{"import", "default"}
}

// match finds the entry for a subpath: the exact key, else the pattern with the longest part before
// its star. star is what the star stands for.
func (t *exportsTree) match(subpath string) (value *exportsTree, star string, ok bool) {
	if i := slices.Index(t.keys, subpath); i >= 0 && !strings.Contains(subpath, "*") {
		return t.values[i], "", true
	}
	longest := -1
	for i, key := range t.keys {
		before, after, pattern := strings.Cut(key, "*")
		if !pattern || len(before) <= longest || len(subpath) < len(before)+len(after) ||
			!strings.HasPrefix(subpath, before) || !strings.HasSuffix(subpath, after) {
			continue
		}
		longest = len(before)
		value, star, ok = t.values[i], subpath[len(before):len(subpath)-len(after)], true
	}
	return value, star, ok
}

// choose follows conditions to a path, with its stars replaced.
func (t *exportsTree) choose(wanted []string, star string) (string, bool) {
	switch {
	case t.isNull:
		return "", false
	case t.isObject:
		for i, key := range t.keys {
			if slices.Contains(wanted, key) {
				if found, ok := t.values[i].choose(wanted, star); ok {
					return found, true
				}
			}
		}
		return "", false
	case t.path == "":
		for _, item := range t.list {
			if found, ok := item.choose(wanted, star); ok {
				return found, true
			}
		}
		return "", false
	}
	return strings.ReplaceAll(t.path, "*", star), true
}

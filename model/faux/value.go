package faux

import (
	"bytes"
	"encoding/json"
	"text/template"
)

// filled returns the JSON of a value whose templates are filled in.
type filled func(facts) ([]byte, error)

// parseValue prepares JSON whose strings, but no names of members, are templates.
func parseValue(where string, text json.RawMessage) (filled, error) {
	text = bytes.TrimSpace(text)
	switch text[0] {
	case '"':
		return parseText(where, text)
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(text, &items); err != nil {
			return nil, &ScriptError{Where: where, Err: err}
		}
		return parseItems(where, items)
	case '{':
		return parseMembers(where, text)
	}
	return func(facts) ([]byte, error) { return text, nil }, nil
}

func parseText(where string, text json.RawMessage) (filled, error) {
	var plain string
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, &ScriptError{Where: where, Err: err}
	}
	var compiled *template.Template
	if err := parse(where, plain, &compiled); err != nil {
		return nil, err
	}
	return func(f facts) ([]byte, error) {
		text, err := fill(compiled, f)
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	}, nil
}

func parseItems(where string, items []json.RawMessage) (filled, error) {
	parts := make([]filled, len(items))
	for i, item := range items {
		part, err := parseValue(where, item)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return func(f facts) ([]byte, error) {
		list := make([]json.RawMessage, len(parts))
		for i, part := range parts {
			text, err := part(f)
			if err != nil {
				return nil, err
			}
			list[i] = text
		}
		return json.Marshal(list)
	}, nil
}

// member is a name, as JSON, with its value.
type member struct {
	name  []byte
	value filled
}

// parseMembers keeps the order of an object's members.
func parseMembers(where string, text json.RawMessage) (filled, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, &ScriptError{Where: where, Err: err}
	}
	var members []member
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, &ScriptError{Where: where, Err: err}
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, &ScriptError{Where: where, Err: err}
		}
		key, _ := token.(string)
		name, err := json.Marshal(key)
		if err != nil {
			return nil, &ScriptError{Where: where, Err: err}
		}
		part, err := parseValue(where+"."+key, value)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, part})
	}
	return func(f facts) ([]byte, error) {
		text := []byte{'{'}
		for i, m := range members {
			if i > 0 {
				text = append(text, ',')
			}
			value, err := m.value(f)
			if err != nil {
				return nil, err
			}
			text = append(append(append(text, m.name...), ':'), value...)
		}
		return append(text, '}'), nil
	}, nil
}

package message

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

// object is what is a JSON object with known members.
type object interface {
	kind() kind
	// members are the known members in the order they are written, without the tag.
	members() []member
	// rest is where unknown members are.
	rest() *Extra
}

// kind names a type of object.
type kind struct {
	name string // for errors
	tag  string // the member that tells the type apart: role, type or none
	is   string // the tag's value
}

// member is a known member of an object.
type member struct {
	name     string
	value    codec
	optional optionalCodec // nil when the member is required
}

func required(name string, value codec) member { return member{name: name, value: value} }

func optional(name string, value optionalCodec) member {
	return member{name: name, value: value, optional: value}
}

// codec reads and writes the value of one member.
type codec interface {
	// read takes a value from valid, compact JSON.
	read(value []byte) error
	// write appends the value to JSON.
	write(to []byte) ([]byte, error)
}

// optionalCodec is a codec of a member that is absent while it is empty.
type optionalCodec interface {
	codec
	empty() bool
}

// readObject takes an object's fields from its members. The tag has been read.
func readObject(o object, found []part) error {
	var few [24]bool
	known := append(few[:0], make([]bool, len(found))...)
	if tag := o.kind().tag; tag != "" {
		known[find(found, tag)] = true
	}
	for _, m := range o.members() {
		i := find(found, m.name)
		switch {
		case i >= 0:
			if err := m.value.read(found[i].value); err != nil {
				return within(m.name, err)
			}
			known[i] = m.optional == nil || !m.optional.empty()
		case m.optional == nil:
			return within(m.name, errMissing)
		}
	}
	var extra Extra
	for i, m := range found {
		if !known[i] {
			extra = append(extra, Member{Name: string(m.name), Value: bytes.Clone(m.value)})
		}
	}
	*o.rest() = extra
	return nil
}

func find(members []part, name string) int {
	return slices.IndexFunc(members, func(m part) bool { return string(m.name) == name })
}

// writeObject appends an object.
func writeObject(to []byte, o object) ([]byte, error) {
	if missing(o) {
		return to, errMissing
	}
	to = append(to, '{')
	kind, members := o.kind(), o.members()
	if kind.tag != "" {
		to = rawjson.AppendString(writeName(to, kind.tag), kind.is)
	}
	var err error
	for _, m := range members {
		if m.optional != nil && m.optional.empty() {
			continue
		}
		if to, err = m.value.write(writeName(to, m.name)); err != nil {
			return to, within(m.name, err)
		}
	}
	if to, err = writeExtra(to, kind.tag, members, *o.rest()); err != nil {
		return to, err
	}
	return append(to, '}'), nil
}

// writeExtra appends the members that are not known.
func writeExtra(to []byte, tag string, members []member, extra Extra) ([]byte, error) {
	if len(extra) == 0 {
		return to, nil
	}
	written := make(map[string]bool, len(extra)+1)
	written[tag] = tag != ""
	for _, e := range extra {
		if written[e.Name] {
			return to, within(e.Name, errRepeated)
		}
		written[e.Name] = true
		if i := slices.IndexFunc(members, func(m member) bool { return m.name == e.Name }); i >= 0 {
			if !standsFor(e.Value, members[i].optional) {
				return to, within(e.Name, errRepeated)
			}
			if !members[i].optional.empty() {
				continue
			}
		}
		var err error
		if to, err = writeRaw(writeName(to, e.Name), e.Value); err != nil {
			return to, within(e.Name, err)
		}
	}
	return to, nil
}

// standsFor says whether a member of Extra is an optional field that was read
// empty.
func standsFor(value []byte, field optionalCodec) bool {
	switch field.(type) {
	case *stringCodec:
		return string(value) == `""`
	case *flagCodec:
		return string(value) == "false"
	}
	return false
}

// writeName appends a member's name, and a comma unless it is the first.
func writeName(to []byte, name string) []byte {
	if to[len(to)-1] != '{' {
		to = append(to, ',')
	}
	return append(rawjson.AppendString(to, name), ':')
}

// tagOf returns the value of the member that tells types apart.
func tagOf(members []part, tag string) (string, error) {
	i := find(members, tag)
	if i < 0 {
		return "", within(tag, errMissing)
	}
	var is string
	if err := (*stringCodec)(&is).read(members[i].value); err != nil {
		return "", within(tag, err)
	}
	return is, nil
}

// newMessage returns an empty message of a role, or nil when there is no such role.
func newMessage(role Role) Message {
	switch role {
	case RoleSystem:
		return new(System)
	case RoleUser:
		return new(User)
	case RoleAssistant:
		return new(Assistant)
	case RoleToolResult:
		return new(ToolResult)
	}
	return nil
}

// readMessage makes a message of its role.
func readMessage(value []byte) (Message, error) {
	members, err := split(value)
	if err != nil {
		return nil, err
	}
	role, err := tagOf(members, "role")
	if err != nil {
		return nil, err
	}
	m := newMessage(Role(role))
	if m == nil {
		return nil, within("role", fmt.Errorf("unknown role %.40q", role))
	}
	return m, readObject(m, members)
}

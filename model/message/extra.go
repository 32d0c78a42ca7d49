package message

import "encoding/json"

// Extra are the members of an object that its type does not know, in their order.
// They are written after the others. The names of fields and names that repeat
// cannot be written.
type Extra []Member

// Member is a name with its value, which is any JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Get returns the value of a member, and whether it is there.
func (e Extra) Get(name string) (json.RawMessage, bool) {
	for _, member := range e {
		if member.Name == name {
			return member.Value, true
		}
	}
	return nil, false
}

package registry

import "strconv"

// Position is a place in an extension's source, for messages to its author.
// The zero value means unknown.
type Position struct {
	File   string `json:"file,omitempty"`   // path in the commit, such as extensions/todo/server.ts
	Line   int    `json:"line,omitempty"`   // from 1
	Column int    `json:"column,omitempty"` // from 1
}

// String gives "file:line:column", leaving out what is unknown.
func (p Position) String() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Column > 0 {
			s += ":" + strconv.Itoa(p.Column)
		}
	}
	return s
}

// or gives p, or fallback when p is unknown.
func (p Position) or(fallback Position) Position {
	if p.File == "" {
		return fallback
	}
	return p
}

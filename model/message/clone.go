package message

import (
	"bytes"
	"slices"
)

// Clone returns messages that share nothing with these that can be changed. Nil
// stays nil.
func (m Messages) Clone() Messages {
	m = slices.Clone(m)
	for i, one := range m {
		m[i] = clone(one)
	}
	return m
}

func clone(m Message) Message {
	if missing(m) {
		return m
	}
	switch m := m.(type) {
	case *System:
		return m.clone()
	case *User:
		return m.clone()
	case *Assistant:
		return m.clone()
	case *ToolResult:
		return m.clone()
	}
	return m
}

func (m *System) clone() *System {
	c := *m
	c.Content = m.Content.clone()
	c.Sections = slices.Clone(m.Sections)
	c.ToolsAdded = slices.Clone(m.ToolsAdded)
	for i := range c.ToolsAdded {
		tool := &c.ToolsAdded[i]
		tool.Parameters, tool.Extra = bytes.Clone(tool.Parameters), tool.Extra.clone()
	}
	c.ToolsRemoved = slices.Clone(m.ToolsRemoved)
	for i := range c.ToolsRemoved {
		c.ToolsRemoved[i].Extra = c.ToolsRemoved[i].Extra.clone()
	}
	c.Extra = m.Extra.clone()
	return &c
}

func (m *User) clone() *User {
	c := *m
	c.Content, c.Extra = m.Content.clone(), m.Extra.clone()
	return &c
}

func (m *Assistant) clone() *Assistant {
	c := *m
	c.Content = m.Content.clone()
	c.Diagnostics, c.Deferred = bytes.Clone(m.Diagnostics), bytes.Clone(m.Deferred)
	c.Usage = m.Usage.clone()
	c.EndTurn, c.DurationMs = fresh(m.EndTurn), fresh(m.DurationMs)
	c.Extra = m.Extra.clone()
	return &c
}

func (m *ToolResult) clone() *ToolResult {
	c := *m
	c.Content = m.Content.clone()
	c.Details, c.NestedCalls = bytes.Clone(m.Details), bytes.Clone(m.NestedCalls)
	if m.Usage != nil {
		usage := m.Usage.clone()
		c.Usage = &usage
	}
	c.DurationMs = fresh(m.DurationMs)
	c.Extra = m.Extra.clone()
	return &c
}

func (u Usage) clone() Usage {
	u.CacheWrite1h, u.Reasoning = fresh(u.CacheWrite1h), fresh(u.Reasoning)
	u.Cost.Extra, u.Extra = u.Cost.Extra.clone(), u.Extra.clone()
	return u
}

func (c Content) clone() Content {
	c.Blocks = c.Blocks.clone()
	return c
}

func (b Blocks) clone() Blocks {
	b = slices.Clone(b)
	for i, one := range b {
		b[i] = cloneBlock(one)
	}
	return b
}

func cloneBlock(b Block) Block {
	if missing(b) {
		return b
	}
	switch b := b.(type) {
	case *Text:
		c := *b
		c.Extra = b.Extra.clone()
		return &c
	case *Thinking:
		c := *b
		c.Extra = b.Extra.clone()
		return &c
	case *ToolCall:
		c := *b
		c.Arguments, c.Extra = bytes.Clone(b.Arguments), b.Extra.clone()
		return &c
	case *Image:
		c := *b
		c.Extra = b.Extra.clone()
		return &c
	}
	return b
}

func (e Extra) clone() Extra {
	e = slices.Clone(e)
	for i := range e {
		e[i].Value = bytes.Clone(e[i].Value)
	}
	return e
}

// fresh returns a pointer to a copy; nil for nil.
func fresh[T any](at *T) *T {
	if at == nil {
		return nil
	}
	return new(*at)
}

package message

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

// objectCodec is an object that is always there.
type objectCodec struct{ object }

func (c objectCodec) read(value []byte) error {
	members, err := split(value)
	if err != nil {
		return err
	}
	if kind := c.kind(); kind.tag != "" {
		is, err := tagOf(members, kind.tag)
		if err != nil {
			return err
		}
		if is != kind.is {
			return within(kind.tag, fmt.Errorf("want %q, have %.40q", kind.is, is))
		}
	}
	return readObject(c.object, members)
}

func (c objectCodec) write(to []byte) ([]byte, error) { return writeObject(to, c.object) }

// listCodec is an array; an optional one is absent when nil.
type listCodec[T any] struct {
	at    *[]T
	value func(*T) codec
}

func (c listCodec[T]) empty() bool { return *c.at == nil }

func (c listCodec[T]) read(value []byte) error {
	list := []T{}
	err := elements(value, func(element []byte) error {
		list = append(list, *new(T))
		return c.value(&list[len(list)-1]).read(element)
	})
	*c.at = list
	return err
}

func (c listCodec[T]) write(to []byte) ([]byte, error) {
	to = append(to, '[')
	for i := range *c.at {
		if i > 0 {
			to = append(to, ',')
		}
		var err error
		if to, err = c.value(&(*c.at)[i]).write(to); err != nil {
			return to, within(index(i), err)
		}
	}
	return append(to, ']'), nil
}

// messageCodec is a message of any role.
type messageCodec struct{ at *Message }

func (c messageCodec) read(value []byte) (err error) {
	*c.at, err = readMessage(value)
	return err
}

func (c messageCodec) write(to []byte) ([]byte, error) { return writeObject(to, *c.at) }

// messages are a list of messages.
func messages(at *[]Message) codec {
	return listCodec[Message]{at, func(m *Message) codec { return messageCodec{m} }}
}

// blockCodec is a block of certain types.
type blockCodec struct {
	at    *Block
	takes takes
}

// takes says which types of blocks can be in a content.
type takes struct {
	where string // for errors, in the plural
	types func(kind string) bool
}

func (t takes) check(kind string) error {
	if !t.types(kind) {
		return fmt.Errorf("%s have no %s blocks", t.where, kind)
	}
	return nil
}

func (c blockCodec) read(value []byte) error {
	members, err := split(value)
	if err != nil {
		return err
	}
	kind, err := tagOf(members, "type")
	if err != nil {
		return err
	}
	if *c.at = newBlock(kind); *c.at == nil {
		return fmt.Errorf("unknown block type %.40q", kind)
	}
	if err := c.takes.check(kind); err != nil {
		return err
	}
	return readObject(*c.at, members)
}

func (c blockCodec) write(to []byte) ([]byte, error) {
	if missing(*c.at) {
		return to, errMissing
	}
	if err := c.takes.check((*c.at).Type()); err != nil {
		return to, err
	}
	return writeObject(to, *c.at)
}

// blocks are a list of blocks of certain types.
func blocks(at *Blocks, takes takes) codec {
	return listCodec[Block]{(*[]Block)(at), func(b *Block) codec { return blockCodec{b, takes} }}
}

// contentCodec is a string, or blocks.
type contentCodec struct {
	at    *Content
	takes takes
}

func (c contentCodec) read(value []byte) error {
	switch value[0] {
	case '"':
		return text(&c.at.Text).read(value)
	case '[':
		return blocks(&c.at.Blocks, c.takes).read(value)
	}
	return mismatch("a string or an array", value)
}

func (c contentCodec) write(to []byte) ([]byte, error) {
	switch {
	case c.at.Blocks == nil:
		return text(&c.at.Text).write(to)
	case c.at.Text != "":
		return to, fmt.Errorf("both text and blocks are set")
	}
	return blocks(&c.at.Blocks, c.takes).write(to)
}

// sectionsCodec is an object of texts and nulls.
type sectionsCodec struct{ at *Sections }

func (c sectionsCodec) empty() bool { return *c.at == nil }

func (c sectionsCodec) read(value []byte) error {
	members, err := split(value)
	if err != nil {
		return err
	}
	*c.at = make(Sections, len(members))
	for i, m := range members {
		section := &(*c.at)[i]
		section.Name, section.Removed = string(m.name), m.value[0] == 'n'
		if section.Removed {
			continue
		}
		if err := text(&section.Text).read(m.value); err != nil {
			return within(section.Name, mismatch("a string or null", m.value))
		}
	}
	return nil
}

func (c sectionsCodec) write(to []byte) ([]byte, error) {
	to = append(to, '{')
	written := make(map[string]bool, len(*c.at))
	for _, section := range *c.at {
		if written[section.Name] {
			return to, within(section.Name, errRepeated)
		}
		written[section.Name] = true
		to = writeName(to, section.Name)
		switch {
		case !section.Removed:
			to = rawjson.AppendString(to, section.Text)
		case section.Text != "":
			return to, within(section.Name, fmt.Errorf("both removed and text are set"))
		default:
			to = append(to, "null"...)
		}
	}
	return append(to, '}'), nil
}

package message

// Messages are messages in the order of a conversation. In JSON nil is [].
type Messages []Message

// Decode reads one message.
func Decode(text []byte) (Message, error) {
	var m Message
	if err := decode("message", text, messageCodec{&m}); err != nil {
		return nil, err
	}
	return m, nil
}

// Encode writes one message.
func Encode(m Message) ([]byte, error) { return encode("message", messageCodec{&m}) }

func decode(what string, text []byte, into codec) error {
	value, err := compact(text)
	if err == nil {
		err = into.read(value)
	}
	return failed("decode "+what, err)
}

func encode(what string, from codec) ([]byte, error) {
	text, err := from.write(nil)
	if err != nil {
		return nil, failed("encode "+what, err)
	}
	return text, nil
}

// unmarshal reads an object. It stays as it is when that fails.
func unmarshal[T any, P interface {
	*T
	object
}](text []byte, into P) error {
	var fresh T
	if err := decode(into.kind().name, text, objectCodec{P(&fresh)}); err != nil {
		return err
	}
	*into = fresh
	return nil
}

func marshal(from object) ([]byte, error) { return encode(from.kind().name, objectCodec{from}) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (m *System) UnmarshalJSON(text []byte) error { return unmarshal(text, m) }

// MarshalJSON implements [encoding/json.Marshaler].
func (m System) MarshalJSON() ([]byte, error) { return marshal(&m) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (m *User) UnmarshalJSON(text []byte) error { return unmarshal(text, m) }

// MarshalJSON implements [encoding/json.Marshaler].
func (m User) MarshalJSON() ([]byte, error) { return marshal(&m) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (m *Assistant) UnmarshalJSON(text []byte) error { return unmarshal(text, m) }

// MarshalJSON implements [encoding/json.Marshaler].
func (m Assistant) MarshalJSON() ([]byte, error) { return marshal(&m) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (m *ToolResult) UnmarshalJSON(text []byte) error { return unmarshal(text, m) }

// MarshalJSON implements [encoding/json.Marshaler].
func (m ToolResult) MarshalJSON() ([]byte, error) { return marshal(&m) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (b *Text) UnmarshalJSON(text []byte) error { return unmarshal(text, b) }

// MarshalJSON implements [encoding/json.Marshaler].
func (b Text) MarshalJSON() ([]byte, error) { return marshal(&b) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (b *Thinking) UnmarshalJSON(text []byte) error { return unmarshal(text, b) }

// MarshalJSON implements [encoding/json.Marshaler].
func (b Thinking) MarshalJSON() ([]byte, error) { return marshal(&b) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (b *ToolCall) UnmarshalJSON(text []byte) error { return unmarshal(text, b) }

// MarshalJSON implements [encoding/json.Marshaler].
func (b ToolCall) MarshalJSON() ([]byte, error) { return marshal(&b) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (b *Image) UnmarshalJSON(text []byte) error { return unmarshal(text, b) }

// MarshalJSON implements [encoding/json.Marshaler].
func (b Image) MarshalJSON() ([]byte, error) { return marshal(&b) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (u *Usage) UnmarshalJSON(text []byte) error { return unmarshal(text, u) }

// MarshalJSON implements [encoding/json.Marshaler].
func (u Usage) MarshalJSON() ([]byte, error) { return marshal(&u) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (c *Cost) UnmarshalJSON(text []byte) error { return unmarshal(text, c) }

// MarshalJSON implements [encoding/json.Marshaler].
func (c Cost) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (d *ToolDeclaration) UnmarshalJSON(text []byte) error { return unmarshal(text, d) }

// MarshalJSON implements [encoding/json.Marshaler].
func (d ToolDeclaration) MarshalJSON() ([]byte, error) { return marshal(&d) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (r *ToolReference) UnmarshalJSON(text []byte) error { return unmarshal(text, r) }

// MarshalJSON implements [encoding/json.Marshaler].
func (r ToolReference) MarshalJSON() ([]byte, error) { return marshal(&r) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (m *Messages) UnmarshalJSON(text []byte) error {
	var fresh Messages
	if err := decode("messages", text, messages((*[]Message)(&fresh))); err != nil {
		return err
	}
	*m = fresh
	return nil
}

// MarshalJSON implements [encoding/json.Marshaler].
func (m Messages) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// AppendJSON appends what [Messages.MarshalJSON] returns. The bytes in to are kept
// when it fails.
func (m Messages) AppendJSON(to []byte) ([]byte, error) {
	text, err := messages((*[]Message)(&m)).write(to)
	if err != nil {
		return to, failed("encode messages", err)
	}
	return text, nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (b *Blocks) UnmarshalJSON(text []byte) error {
	var fresh Blocks
	if err := decode("blocks", text, blocks(&fresh, anyBlock())); err != nil {
		return err
	}
	*b = fresh
	return nil
}

// MarshalJSON implements [encoding/json.Marshaler].
func (b Blocks) MarshalJSON() ([]byte, error) { return encode("blocks", blocks(&b, anyBlock())) }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (c *Content) UnmarshalJSON(text []byte) error {
	var fresh Content
	if err := decode("content", text, contentCodec{&fresh, anyBlock()}); err != nil {
		return err
	}
	*c = fresh
	return nil
}

// MarshalJSON implements [encoding/json.Marshaler].
func (c Content) MarshalJSON() ([]byte, error) {
	return encode("content", contentCodec{&c, anyBlock()})
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (s *Sections) UnmarshalJSON(text []byte) error {
	var fresh Sections
	if err := decode("sections", text, sectionsCodec{&fresh}); err != nil {
		return err
	}
	*s = fresh
	return nil
}

// MarshalJSON implements [encoding/json.Marshaler].
func (s Sections) MarshalJSON() ([]byte, error) { return encode("sections", sectionsCodec{&s}) }

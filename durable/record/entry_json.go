package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

// MarshalJSON implements [json.Marshaler].
func (e Entry) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the entry's JSON, which is compact. It fails for messages that
// have no JSON form, with a [*message.Error], and for data that is no JSON; the bytes
// in to are kept.
func (e Entry) AppendJSON(to []byte) ([]byte, error) {
	text, _, err := e.appendJSON(to)
	return text, err
}

// Freeze appends the entry's JSON like [Entry.AppendJSON], and returns the entry that
// is read from it. That one shares nothing with e; its data is a part of text, which
// must not be changed as long as it is used.
func (e Entry) Freeze(to []byte) (text []byte, frozen Entry, err error) {
	text, data, err := e.appendJSON(to)
	if err != nil {
		return to, Entry{}, err
	}
	if len(e.Model) > 0 || len(e.Edits) > 0 || !utf8.ValidString(e.Kind) {
		if err := frozen.UnmarshalJSON(text[len(to):]); err != nil {
			return to, Entry{}, err
		}
		return text, frozen, nil
	}
	frozen = Entry{ID: e.ID, Conversation: e.Conversation, Kind: e.Kind, Head: e.Head, Task: e.Task}
	if data.end > 0 {
		frozen.Data = text[data.begin:data.end:data.end]
	}
	return text, frozen, nil
}

// span is a part of a text.
type span struct{ begin, end int }

// appendJSON also tells where the data is.
func (e Entry) appendJSON(to []byte) (_ []byte, data span, err error) {
	text := strconv.AppendInt(append(to, `{"id":`...), int64(e.ID), 10)
	text = strconv.AppendInt(append(text, `,"conversationId":`...), int64(e.Conversation), 10)
	text = rawjson.AppendString(append(text, `,"kind":`...), e.Kind)
	if len(e.Model) > 0 {
		if text, err = e.Model.AppendJSON(append(text, `,"model":`...)); err != nil {
			return to, span{}, err
		}
	}
	if len(e.Data) > 0 {
		text = append(text, `,"data":`...)
		data.begin = len(text)
		var ok bool
		if text, ok = rawjson.AppendCompact(text, e.Data); !ok {
			return to, span{}, fmt.Errorf("data: %w", notJSON(e.Data))
		}
		data.end = len(text)
	}
	if e.Head != 0 {
		text = strconv.AppendInt(append(text, `,"head":`...), int64(e.Head), 10)
	}
	for i, edit := range e.Edits {
		if i == 0 {
			text = append(text, `,"edits":[`...)
		} else {
			text = append(text, ',')
		}
		if text, err = edit.appendJSON(text); err != nil {
			return to, span{}, fmt.Errorf("edits[%d]: %w", i, err)
		}
	}
	if len(e.Edits) > 0 {
		text = append(text, ']')
	}
	if e.Task != 0 {
		text = strconv.AppendInt(append(text, `,"byTaskId":`...), int64(e.Task), 10)
	}
	return append(text, '}'), data, nil
}

func (e Edit) appendJSON(to []byte) ([]byte, error) {
	text := strconv.AppendInt(append(to, `{"target":`...), int64(e.Target), 10)
	text = rawjson.AppendString(append(text, `,"action":`...), string(e.Action))
	if len(e.Messages) > 0 {
		var err error
		if text, err = e.Messages.AppendJSON(append(text, `,"messages":`...)); err != nil {
			return to, err
		}
	}
	return append(text, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. Members that it does not know are
// passed over. The entry shares nothing with the text, and stays as it is when the
// text is none.
func (e *Entry) UnmarshalJSON(text []byte) error {
	compact, ok := rawjson.Compact(text)
	if !ok {
		return notJSON(text)
	}
	if compact[0] != '{' {
		return fmt.Errorf("an entry is an object, not %.40s", compact)
	}
	var read Entry
	err := rawjson.Members(compact, func(name, value []byte) error {
		if bytes.IndexByte(name, '\\') >= 0 { // names that were written need no escapes
			name = rawjson.AppendString(nil, rawjson.String(name))
		}
		if err := read.member(name[1:len(name)-1], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	*e = read
	return nil
}

func (e *Entry) member(name, value []byte) error {
	switch string(name) {
	case "id":
		return readID(&e.ID, value)
	case "conversationId":
		return readID(&e.Conversation, value)
	case "kind":
		return readString(&e.Kind, value)
	case "model":
		return e.Model.UnmarshalJSON(value)
	case "data":
		e.Data = bytes.Clone(value)
	case "head":
		return readID(&e.Head, value)
	case "edits":
		return json.Unmarshal(value, &e.Edits)
	case "byTaskId":
		return readID(&e.Task, value)
	}
	return nil
}

func readID[ID ~int64](into *ID, value []byte) error {
	read, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return fmt.Errorf("%.40s is no id", value)
	}
	*into = ID(read)
	return nil
}

func readString(into *string, value []byte) error {
	if value[0] != '"' {
		return fmt.Errorf("%.40s is no string", value)
	}
	*into = rawjson.String(value)
	return nil
}

// notJSON returns the error of a text that is no JSON.
func notJSON(text []byte) error { return json.Unmarshal(text, new(json.RawMessage)) }

// Clone returns an entry that shares nothing with this one that can be changed.
func (e Entry) Clone() Entry {
	e.Model = e.Model.Clone()
	e.Data = bytes.Clone(e.Data)
	if e.Edits != nil {
		edits := make([]Edit, len(e.Edits))
		for i, edit := range e.Edits {
			edit.Messages = edit.Messages.Clone()
			edits[i] = edit
		}
		e.Edits = edits
	}
	return e
}

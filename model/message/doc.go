// Package message has the messages of conversations with language models, in
// the one JSON form that pi-ai 1.6.0 gives them.
//
// A [Message] is a [*System], [*User], [*Assistant] or [*ToolResult]; what it
// holds are [Block] values: [*Text], [*Thinking], [*ToolCall] and [*Image].
// Both sets are closed, so that a type switch over one can be complete.
//
//	for _, m := range messages {
//		switch m := m.(type) {
//		case *message.User:
//			show(m.Content.String())
//		case *message.Assistant:
//			for _, call := range m.ToolCalls() { ... }
//		}
//	}
//
// # Reading
//
// [Decode] reads one message and [Messages] a list, by role. Reading is strict: a
// member that is missing or has another type, null included, an unknown role,
// block type or stop reason, and a block where its message takes none, are an
// [*Error] with the path of the value. The last of equal member names counts, at
// the place of the first, as JSON.parse has it. A lone surrogate becomes U+FFFD,
// since a Go string cannot hold it; in raw JSON it stays.
//
// Members that a type does not know are kept in its Extra, in their order. So is
// an optional text that is there but empty, and an optional flag that is there
// but false: what is read is written again, whole. A field that is set later
// replaces such a member.
//
// # Writing
//
// [Encode] and the MarshalJSON methods write the form that JSON.stringify has:
// compact, nothing escaped that need not be, numbers as JavaScript prints them.
// The role or type comes first, then the other known members in the order of the
// fields, then those of Extra. Text of this form is written as it was read, byte
// for byte. [encoding/json.Marshal] writes the same value, but escapes <, > and &
// inside strings, as it does everywhere.
//
// Numbers that JSON does not have, whole numbers that JavaScript cannot hold
// (beyond 2^53-1), and whatever reading would refuse, are an [*Error].
//
// Values are not changed by this package after they were returned and may be read
// by any number of goroutines. What a decoder returns shares nothing with the
// text it was given.
package message

package message

import "encoding/json"

// Role says who speaks.
type Role string

// The roles of messages.
const (
	RoleSystem     Role = "system"
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// Message is a [*System], [*User], [*Assistant] or [*ToolResult].
type Message interface {
	// Role returns the message's role.
	Role() Role
	// Text returns the text blocks of the content, joined by line feeds.
	Text() string

	object
}

// System is instructions to the model, and the tools it has. The leading one of a
// transcript is the prompt; later ones change it. Within one message ToolsRemoved
// takes effect before ToolsAdded.
type System struct {
	// Content is the base of the prompt, or instructions added to it: text, or
	// text blocks.
	Content Content
	// Sections replace or remove named parts of the prompt; nil is absent.
	Sections Sections
	// ToolsAdded and ToolsRemoved change the tools that the model may call; nil
	// is absent.
	ToolsAdded   []ToolDeclaration
	ToolsRemoved []ToolReference
	// Timestamp is in milliseconds since 1970-01-01 UTC.
	Timestamp int64
	Extra     Extra
}

// User is what the model is told or asked.
type User struct {
	// Content is text, or text and image blocks.
	Content Content
	// Timestamp is in milliseconds since 1970-01-01 UTC.
	Timestamp int64
	Extra     Extra
}

// UserText returns a user message whose content is text alone. The timestamp is in
// milliseconds since 1970-01-01 UTC.
func UserText(text string, timestamp int64) *User {
	return &User{Content: Content{Text: text}, Timestamp: timestamp}
}

// Assistant is a response of a model. Optional texts are absent when empty.
type Assistant struct {
	// Content is text, thinking and tool call blocks.
	Content Blocks
	// API, Provider and Model name what was asked.
	API      string
	Provider string
	Model    string
	// ResponseModel is the model that answered, by its own word. Optional.
	ResponseModel string
	// ResponseID is the provider's name for the response. Optional.
	ResponseID string
	// ThinkingLevel is the level that was asked for, ProviderThinkingLevel what the
	// provider calls it. Optional.
	ThinkingLevel         string
	ProviderThinkingLevel string
	// Diagnostics is a JSON array; nil is absent.
	Diagnostics json.RawMessage
	Usage       Usage
	StopReason  StopReason
	// Deferred is a JSON object by which a deferred response can be fetched; nil is
	// absent.
	Deferred json.RawMessage
	// ErrorMessage says why the request failed. Optional.
	ErrorMessage string
	// RawStopReason is the provider's own word for StopReason. Optional.
	RawStopReason string
	// EndTurn is whether the model said that its turn ends; nil when it said
	// nothing.
	EndTurn *bool
	// Timestamp is when the request began, in milliseconds since 1970-01-01 UTC.
	Timestamp int64
	// DurationMs is how many milliseconds the response took, fractions
	// included; nil when that was not measured.
	DurationMs *float64
	Extra      Extra
}

// ToolCalls returns the tool calls of the content, in their order.
func (m *Assistant) ToolCalls() []*ToolCall {
	var calls []*ToolCall
	for _, block := range m.Content {
		if call, ok := block.(*ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// StopReason says why a response ended. Other reasons than the constants are
// neither read nor written.
type StopReason string

// The reasons why a response ended.
const (
	StopReasonPending  StopReason = "pending"  // it did not end yet
	StopReasonStop     StopReason = "stop"     // the model was done
	StopReasonLength   StopReason = "length"   // the limit of output was reached
	StopReasonToolUse  StopReason = "toolUse"  // the model waits for the results of its tool calls
	StopReasonError    StopReason = "error"    // the request failed
	StopReasonAborted  StopReason = "aborted"  // the request was cancelled
	StopReasonDeferred StopReason = "deferred" // the response is to be fetched later
)

// ToolResult answers one tool call.
type ToolResult struct {
	// ToolCallID and ToolName are those of the call.
	ToolCallID string
	ToolName   string
	// Content is text and image blocks for the model.
	Content Blocks
	// Details is any JSON, for people and programs; nil is absent.
	Details json.RawMessage
	// Usage is what models used on behalf of the tool; nil is absent.
	Usage *Usage
	// NestedCalls is a JSON object about the calls that the tool made to other
	// tools; nil is absent.
	NestedCalls json.RawMessage
	IsError     bool
	// Timestamp is in milliseconds since 1970-01-01 UTC.
	Timestamp int64
	// DurationMs is how many milliseconds the tool ran, fractions included; nil
	// when that was not measured.
	DurationMs *float64
	Extra      Extra
}

// ErrorResult returns a result that tells the model in text why a call has no other
// one. The timestamp is in milliseconds since 1970-01-01 UTC.
func ErrorResult(call *ToolCall, text string, timestamp int64) *ToolResult {
	return &ToolResult{
		ToolCallID: call.ID,
		ToolName:   call.Name,
		Content:    Blocks{&Text{Text: text}},
		IsError:    true,
		Timestamp:  timestamp,
	}
}

// Role implements [Message].
func (m *System) Role() Role { return RoleSystem }

// Role implements [Message].
func (m *User) Role() Role { return RoleUser }

// Role implements [Message].
func (m *Assistant) Role() Role { return RoleAssistant }

// Role implements [Message].
func (m *ToolResult) Role() Role { return RoleToolResult }

// Text implements [Message]. Sections are not part of it.
func (m *System) Text() string { return m.Content.String() }

// Text implements [Message].
func (m *User) Text() string { return m.Content.String() }

// Text implements [Message]. Thinking is not part of it.
func (m *Assistant) Text() string { return m.Content.Text() }

// Text implements [Message].
func (m *ToolResult) Text() string { return m.Content.Text() }

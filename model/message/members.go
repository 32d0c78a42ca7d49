package message

// This file says which members each object has. The order is the one they are
// written in.

func (m *System) kind() kind     { return kind{"system message", "role", string(RoleSystem)} }
func (m *User) kind() kind       { return kind{"user message", "role", string(RoleUser)} }
func (m *Assistant) kind() kind  { return kind{"assistant message", "role", string(RoleAssistant)} }
func (m *ToolResult) kind() kind { return kind{"tool result", "role", string(RoleToolResult)} }
func (b *Text) kind() kind       { return kind{"text block", "type", typeText} }
func (b *Thinking) kind() kind   { return kind{"thinking block", "type", typeThinking} }
func (b *ToolCall) kind() kind   { return kind{"tool call", "type", typeToolCall} }
func (b *Image) kind() kind      { return kind{"image block", "type", typeImage} }
func (u *Usage) kind() kind      { return kind{name: "usage"} }
func (c *Cost) kind() kind       { return kind{name: "cost"} }

func (d *ToolDeclaration) kind() kind { return kind{name: "tool declaration"} }
func (r *ToolReference) kind() kind   { return kind{name: "tool reference"} }

func (m *System) rest() *Extra     { return &m.Extra }
func (m *User) rest() *Extra       { return &m.Extra }
func (m *Assistant) rest() *Extra  { return &m.Extra }
func (m *ToolResult) rest() *Extra { return &m.Extra }
func (b *Text) rest() *Extra       { return &b.Extra }
func (b *Thinking) rest() *Extra   { return &b.Extra }
func (b *ToolCall) rest() *Extra   { return &b.Extra }
func (b *Image) rest() *Extra      { return &b.Extra }
func (u *Usage) rest() *Extra      { return &u.Extra }
func (c *Cost) rest() *Extra       { return &c.Extra }

func (d *ToolDeclaration) rest() *Extra { return &d.Extra }
func (r *ToolReference) rest() *Extra   { return &r.Extra }

func (m *System) members() []member {
	return []member{
		required("content", contentCodec{&m.Content, m.takes()}),
		optional("sections", sectionsCodec{&m.Sections}),
		optional("toolsAdded", listCodec[ToolDeclaration]{&m.ToolsAdded, func(d *ToolDeclaration) codec { return objectCodec{d} }}),
		optional("toolsRemoved", listCodec[ToolReference]{&m.ToolsRemoved, func(r *ToolReference) codec { return objectCodec{r} }}),
		required("timestamp", whole(&m.Timestamp)),
	}
}

func (m *User) members() []member {
	return []member{
		required("content", contentCodec{&m.Content, m.takes()}),
		required("timestamp", whole(&m.Timestamp)),
	}
}

func (m *Assistant) members() []member {
	return []member{
		required("content", blocks(&m.Content, m.takes())),
		required("api", text(&m.API)),
		required("provider", text(&m.Provider)),
		required("model", text(&m.Model)),
		optional("responseModel", text(&m.ResponseModel)),
		optional("responseId", text(&m.ResponseID)),
		optional("thinkingLevel", text(&m.ThinkingLevel)),
		optional("providerThinkingLevel", text(&m.ProviderThinkingLevel)),
		optional("diagnostics", rawCodec{(*[]byte)(&m.Diagnostics), "an array"}),
		required("usage", usage(&m.Usage)),
		required("stopReason", (*stopReasonCodec)(&m.StopReason)),
		optional("deferred", rawCodec{(*[]byte)(&m.Deferred), "an object"}),
		optional("errorMessage", text(&m.ErrorMessage)),
		optional("rawStopReason", text(&m.RawStopReason)),
		optional("endTurn", pointer(&m.EndTurn, func(b *bool) codec { return flag(b) })),
		required("timestamp", whole(&m.Timestamp)),
		optional("durationMs", pointer(&m.DurationMs, number)),
	}
}

func (m *ToolResult) members() []member {
	return []member{
		required("toolCallId", text(&m.ToolCallID)),
		required("toolName", text(&m.ToolName)),
		required("content", blocks(&m.Content, m.takes())),
		optional("details", rawCodec{at: (*[]byte)(&m.Details)}),
		optional("usage", pointer(&m.Usage, usage)),
		optional("nestedCalls", rawCodec{(*[]byte)(&m.NestedCalls), "an object"}),
		required("isError", flag(&m.IsError)),
		required("timestamp", whole(&m.Timestamp)),
		optional("durationMs", pointer(&m.DurationMs, number)),
	}
}

func (m *System) takes() takes     { return takes{"system messages", isText} }
func (m *User) takes() takes       { return takes{"user messages", isShown} }
func (m *ToolResult) takes() takes { return takes{"tool results", isShown} }
func (m *Assistant) takes() takes  { return takes{"assistant messages", isSaid} }

func isText(kind string) bool  { return kind == typeText }
func isShown(kind string) bool { return kind == typeText || kind == typeImage }
func isSaid(kind string) bool {
	return kind == typeText || kind == typeThinking || kind == typeToolCall
}

// anyBlock is for content without a message.
func anyBlock() takes { return takes{types: func(string) bool { return true }} }

func (b *Text) members() []member {
	return []member{
		required("text", text(&b.Text)),
		optional("textSignature", text(&b.TextSignature)),
	}
}

func (b *Thinking) members() []member {
	return []member{
		required("thinking", text(&b.Thinking)),
		optional("thinkingSignature", text(&b.ThinkingSignature)),
		optional("redacted", flag(&b.Redacted)),
	}
}

func (b *ToolCall) members() []member {
	return []member{
		required("id", text(&b.ID)),
		required("name", text(&b.Name)),
		required("arguments", rawCodec{(*[]byte)(&b.Arguments), "an object"}),
		optional("thoughtSignature", text(&b.ThoughtSignature)),
		optional("namespace", text(&b.Namespace)),
		optional("argumentsError", text(&b.ArgumentsError)),
	}
}

func (b *Image) members() []member {
	return []member{
		required("data", text(&b.Data)),
		required("mimeType", text(&b.MimeType)),
	}
}

func (u *Usage) members() []member {
	return []member{
		required("input", whole(&u.Input)),
		required("output", whole(&u.Output)),
		required("cacheRead", whole(&u.CacheRead)),
		required("cacheWrite", whole(&u.CacheWrite)),
		optional("cacheWrite1h", pointer(&u.CacheWrite1h, whole)),
		optional("reasoning", pointer(&u.Reasoning, whole)),
		required("totalTokens", whole(&u.TotalTokens)),
		required("cost", objectCodec{&u.Cost}),
	}
}

func (c *Cost) members() []member {
	return []member{
		required("input", number(&c.Input)),
		required("output", number(&c.Output)),
		required("cacheRead", number(&c.CacheRead)),
		required("cacheWrite", number(&c.CacheWrite)),
		required("total", number(&c.Total)),
		optional("totalFromProvider", flag(&c.TotalFromProvider)),
	}
}

func (d *ToolDeclaration) members() []member {
	return []member{
		required("name", text(&d.Name)),
		required("description", text(&d.Description)),
		required("parameters", rawCodec{(*[]byte)(&d.Parameters), "an object"}),
	}
}

func (r *ToolReference) members() []member {
	return []member{required("name", text(&r.Name))}
}

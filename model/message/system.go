package message

import "encoding/json"

// Sections are changes of a prompt's named sections, in the order they are made. In
// JSON they are an object from names to text, or null where a section is removed.
// The order is that of the text, for names that look like numbers too, which
// JavaScript would move to the front. Names that repeat cannot be written.
type Sections []Section

// Section adds or replaces a named section of the prompt, or removes it.
type Section struct {
	Name string
	Text string
	// Removed says that the section goes. It has no Text then.
	Removed bool
}

// ToolDeclaration is a tool as the model is told of it.
type ToolDeclaration struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments, a JSON object. Nil is
	// written as {}.
	Parameters json.RawMessage
	Extra      Extra
}

// ToolReference names a tool.
type ToolReference struct {
	Name  string
	Extra Extra
}

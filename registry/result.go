package registry

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/model/message"
)

// ResultCode says why a call has an error result that its tool did not give.
type ResultCode string

const (
	CodeToolUnavailable  ResultCode = "tool_unavailable"
	CodeInvalidArguments ResultCode = "invalid_arguments"
	CodeBlocked          ResultCode = "blocked"
	CodeInterrupted      ResultCode = "interrupted"
	CodeAborted          ResultCode = "aborted"
	CodeToolError        ResultCode = "tool_error"
	CodeAbandoned        ResultCode = "abandoned" // a nested call whose caller was cut off
)

// Result is what a tool call gave. Its JSON has the field names of a tool
// result message.
type Result struct {
	Content     []Content       `json:"content"`
	Details     json.RawMessage `json:"details,omitempty"` // for user interfaces; the model does not see it
	IsError     bool            `json:"isError"`
	Diagnostics []Diagnostic    `json:"diagnostics,omitempty"`
	// Code is set by the framework only, and is empty when the tool returned. The
	// diagnostic of the same code says why; Content is what the tool had published.
	Code ResultCode `json:"code,omitempty"`
	// StructuredOutput is what a calling tool gets; see [BoundTool.Structured].
	StructuredOutput json.RawMessage `json:"structuredOutput,omitempty"`
	Usage            *message.Usage  `json:"usage,omitempty"` // what models used on behalf of the tool
	// Control is what the tool asks of the run (addTools, terminate, handoff),
	// passed on as it is.
	Control json.RawMessage `json:"control,omitempty"`
}

// MarshalJSON writes a result; one without content has an empty list.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	if r.Content == nil {
		r.Content = []Content{}
	}
	return json.Marshal(plain(r))
}

// Text joins the result's text parts by a newline, and after them the message of
// [Result.Failure].
func (r *Result) Text() string {
	parts := r.texts()
	if failure, failed := r.Failure(); failed {
		parts = append(parts, failure.Message)
	}
	return strings.Join(parts, "\n")
}

func (r *Result) texts() []string {
	var parts []string
	for _, c := range r.Content {
		if c.Type == ContentText {
			parts = append(parts, c.Text)
		}
	}
	return parts
}

// Failure is the diagnostic that says why the framework made an error of the call,
// and whether it did.
func (r *Result) Failure() (Diagnostic, bool) {
	for _, d := range r.Diagnostics {
		if r.Code != "" && d.Code == string(r.Code) {
			return d, true
		}
	}
	return Diagnostic{}, false
}

// TextResult is a result of one text.
func TextResult(text string) *Result {
	return &Result{Content: []Content{{Type: ContentText, Text: text}}}
}

// ErrorResult is the result of a call that the framework makes an error of, with a
// diagnostic of the code. It has no content.
func ErrorResult(code ResultCode, why string) *Result {
	return &Result{IsError: true, Code: code, Diagnostics: []Diagnostic{{Severity: "error", Message: why, Code: string(code)}}}
}

// ContentType is the tag of a [Content].
type ContentType string

const (
	ContentText  ContentType = "text"
	ContentImage ContentType = "image"
)

// Content is one part of a result: a text, or an image with its data and media
// type.
type Content struct {
	Type     ContentType
	Text     string
	Data     []byte // base64 in JSON
	MIMEType string
}

type textContent struct {
	Type ContentType `json:"type"`
	Text string      `json:"text"`
}

type imageContent struct {
	Type     ContentType `json:"type"`
	Data     []byte      `json:"data"`
	MIMEType string      `json:"mimeType"`
}

// MarshalJSON writes the fields of the part's type. Another type is an error.
func (c Content) MarshalJSON() ([]byte, error) {
	switch c.Type {
	case ContentText:
		return json.Marshal(textContent{c.Type, c.Text})
	case ContentImage:
		return json.Marshal(imageContent{c.Type, c.Data, c.MIMEType})
	}
	return nil, fmt.Errorf("tool result: content of unknown type %q; known are text and image", c.Type)
}

// UnmarshalJSON reads a text or an image. Another type is an error.
func (c *Content) UnmarshalJSON(data []byte) error {
	var tag struct {
		Type ContentType `json:"type"`
	}
	if err := json.Unmarshal(data, &tag); err != nil {
		return fmt.Errorf("tool result: content: %w", err)
	}
	switch tag.Type {
	case ContentText:
		var t textContent
		if err := json.Unmarshal(data, &t); err != nil {
			return fmt.Errorf("tool result: text content: %w", err)
		}
		*c = Content{Type: t.Type, Text: t.Text}
	case ContentImage:
		var i imageContent
		if err := json.Unmarshal(data, &i); err != nil {
			return fmt.Errorf("tool result: image content: %w", err)
		}
		*c = Content{Type: i.Type, Data: i.Data, MIMEType: i.MIMEType}
	default:
		return fmt.Errorf("tool result: content of unknown type %q; known are text and image", tag.Type)
	}
	return nil
}

// Diagnostic is a remark beside a result.
type Diagnostic struct {
	Severity string `json:"severity"` // info, warn or error
	Message  string `json:"message"`
	Code     string `json:"code,omitempty"` // for programs
}

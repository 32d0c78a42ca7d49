package faux

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/seed-d579e5eb/harness/model/message"
)

// Reply is an answer of a script. Its texts, and the strings within arguments, are
// templates of [text/template]: they know .User, .Input, .Turn, .Tool, .Result,
// .Results, .Match, .ResultMatch, .Tools, .System and, in a tool call, .N, and have a
// function repeat, as in {{repeat 100 "x"}}.
type Reply struct {
	// Thinking, Text and ToolCalls are the content, in this order. Optional.
	Thinking  string      `json:"thinking,omitempty"`
	Text      string      `json:"text,omitempty"`
	ToolCalls []ReplyCall `json:"toolCalls,omitempty"`
	// StopReason is toolUse with tool calls, error with an Error, else stop.
	StopReason message.StopReason `json:"stopReason,omitempty"`
	// Error is the error message of a response that fails.
	Error string `json:"error,omitempty"`

	thinking, text, failure *template.Template
}

// ReplyCall is a tool call of a script's answer.
type ReplyCall struct {
	Name string `json:"name"`
	// Arguments are any JSON. A string is the text that is streamed, which need not be
	// JSON.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Times is how often the call is made; 0 is once.
	Times int `json:"times,omitempty"`

	name *template.Template
	// make returns the text of the arguments.
	make func(facts) (string, error)
}

// mostTimes is how often a call can be repeated, and a text by repeat.
const (
	mostTimes  = 100_000
	mostRepeat = 8 << 20
)

func (r *Reply) prepare(where string) error {
	switch r.StopReason {
	case "", message.StopReasonStop, message.StopReasonLength, message.StopReasonToolUse, message.StopReasonError, message.StopReasonAborted:
	default:
		return &ScriptError{Where: where + ".stopReason", Err: fmt.Errorf("no answer ends with %q", r.StopReason)}
	}
	for _, text := range []struct {
		name, text string
		into       **template.Template
	}{{"thinking", r.Thinking, &r.thinking}, {"text", r.Text, &r.text}, {"error", r.Error, &r.failure}} {
		if err := parse(where+"."+text.name, text.text, text.into); err != nil {
			return err
		}
	}
	for i := range r.ToolCalls {
		if err := r.ToolCalls[i].prepare(fmt.Sprintf("%s.toolCalls[%d]", where, i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *ReplyCall) prepare(where string) error {
	if c.Times < 0 || c.Times > mostTimes {
		return &ScriptError{Where: where + ".times", Err: fmt.Errorf("want 0 to %d, have %d", mostTimes, c.Times)}
	}
	if err := parse(where+".name", c.Name, &c.name); err != nil {
		return err
	}
	where += ".arguments"
	var text string
	switch {
	case len(c.Arguments) == 0:
		c.make = func(facts) (string, error) { return "{}", nil }
	case json.Unmarshal(c.Arguments, &text) == nil:
		var compiled *template.Template
		if err := parse(where, text, &compiled); err != nil {
			return err
		}
		c.make = func(f facts) (string, error) { return fill(compiled, f) }
	default:
		filled, err := parseValue(where, c.Arguments)
		if err != nil {
			return err
		}
		c.make = func(f facts) (string, error) {
			text, err := filled(f)
			return string(text), err
		}
	}
	return nil
}

// message makes the answer. The error is a template's.
func (r *Reply) message(f facts) (*message.Assistant, error) {
	var blocks []message.Block
	thinking, err := fill(r.thinking, f)
	if err != nil {
		return nil, err
	}
	if thinking != "" {
		blocks = append(blocks, &message.Thinking{Thinking: thinking})
	}
	text, err := fill(r.text, f)
	if err != nil {
		return nil, err
	}
	if text != "" {
		blocks = append(blocks, &message.Text{Text: text})
	}
	for i := range r.ToolCalls {
		calls, err := r.ToolCalls[i].calls(f)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, calls...)
	}
	m := Message(blocks...)
	if r.Error != "" {
		m.StopReason = message.StopReasonError
		if m.ErrorMessage, err = fill(r.failure, f); err != nil {
			return nil, err
		}
	}
	if r.StopReason != "" {
		m.StopReason = r.StopReason
	}
	return m, nil
}

func (c *ReplyCall) calls(f facts) ([]message.Block, error) {
	var calls []message.Block
	for f.N = range max(c.Times, 1) {
		name, err := fill(c.name, f)
		if err != nil {
			return nil, err
		}
		arguments, err := c.make(f)
		if err != nil {
			return nil, err
		}
		calls = append(calls, Call(name, json.RawMessage(arguments)))
	}
	return calls, nil
}

// parse compiles a template. An empty one is nil.
func parse(where, text string, into **template.Template) error {
	if text == "" {
		return nil
	}
	compiled, err := template.New(where).Option("missingkey=error").Funcs(template.FuncMap{"repeat": repeat}).Parse(text)
	if err != nil {
		return &ScriptError{Where: where, Err: err}
	}
	*into = compiled
	return nil
}

// fill executes a template. A nil one is empty.
func fill(compiled *template.Template, f facts) (string, error) {
	if compiled == nil {
		return "", nil
	}
	var text strings.Builder
	if err := compiled.Execute(&text, f); err != nil {
		return "", fmt.Errorf("faux script: %w", err)
	}
	return text.String(), nil
}

// repeat is the function of templates.
func repeat(times int, text string) (string, error) {
	if times < 0 || times*len(text) > mostRepeat {
		return "", errors.New("repeat: the text would be too long")
	}
	return strings.Repeat(text, times), nil
}

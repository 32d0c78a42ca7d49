package faux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/internal/strictjson"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Script says what a model answers, by rules on the conversation. The first rule that
// fits a request gives the answer, or else Otherwise, or else an echo: of what the user
// said, or of what the tools gave. [ParseScript] and [ReadScript] make scripts.
//
// In JSON it is an object; members that it does not know are refused.
//
//	{
//		"tokensPerSecond": 40,
//		"rules": [
//			{
//				"when": {"user": "weather in (\\w+)"},
//				"answer": {"text": "I look.", "toolCalls": [{"name": "weather", "arguments": {"city": "{{index .Match 1}}"}}]}
//			},
//			{"when": {"tool": "weather"}, "answer": {"text": "They say: {{.Result}}"}}
//		]
//	}
type Script struct {
	// Models are the models of the provider; see [Options.Models].
	Models []model.Model `json:"models,omitempty"`
	// TokensPerSecond is how fast answers arrive; 0 is at once.
	TokensPerSecond float64 `json:"tokensPerSecond,omitempty"`
	Rules           []Rule  `json:"rules,omitempty"`
	Otherwise       *Reply  `json:"otherwise,omitempty"`
}

// Rule is an answer and when it is given.
type Rule struct {
	When  When  `json:"when"`
	Reply Reply `json:"answer"`
}

// ScriptError says what of a script cannot be used.
type ScriptError struct {
	// File is the script's file; empty when it is none.
	File string
	// Where is the place in the script, such as "rules[2].when.user". Empty is the whole.
	Where string
	Err   error
}

func (e *ScriptError) Error() string {
	text := "faux script"
	if e.File != "" {
		text += " " + e.File
	}
	if e.Where != "" {
		text += ": " + e.Where
	}
	return text + ": " + e.Err.Error()
}

func (e *ScriptError) Unwrap() error { return e.Err }

// ReadScript reads a script from a file. The error is the file's, or a [*ScriptError].
func ReadScript(file string) (*Script, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("faux script: %w", err)
	}
	script, err := ParseScript(text)
	if flaw, ok := errors.AsType[*ScriptError](err); ok {
		flaw.File = file
	}
	return script, err
}

// ParseScript reads a script from JSON, and prepares its patterns and templates. The
// error is a [*ScriptError].
func ParseScript(text []byte) (*Script, error) {
	var raw struct {
		Script
		Rules     []json.RawMessage `json:"rules"`
		Otherwise json.RawMessage   `json:"otherwise"`
	}
	if err := strictjson.Decode(text, &raw); err != nil {
		return nil, &ScriptError{Err: err}
	}
	script := raw.Script
	for i, text := range raw.Rules {
		where := fmt.Sprintf("rules[%d]", i)
		var rule Rule
		if err := strictjson.Decode(text, &rule); err != nil {
			return nil, &ScriptError{Where: where, Err: err}
		}
		if err := errors.Join(rule.When.prepare(where+".when"), rule.Reply.prepare(where+".answer")); err != nil {
			return nil, err
		}
		script.Rules = append(script.Rules, rule)
	}
	if len(raw.Otherwise) > 0 {
		script.Otherwise = new(Reply)
		if err := strictjson.Decode(raw.Otherwise, script.Otherwise); err != nil {
			return nil, &ScriptError{Where: "otherwise", Err: err}
		}
		if err := script.Otherwise.prepare("otherwise"); err != nil {
			return nil, err
		}
	}
	return &script, nil
}

// Options returns the options of a provider that answers by the script.
func (s *Script) Options() Options {
	return Options{Models: s.Models, TokensPerSecond: s.TokensPerSecond, Otherwise: s.Step}
}

// Step is the [Step] that answers by the script. The error is a template's.
func (s *Script) Step(_ context.Context, request model.Request, _ State) (*message.Assistant, error) {
	seen := look(request)
	for i := range s.Rules {
		rule := &s.Rules[i]
		if said, fits := rule.When.fits(seen); fits {
			return rule.Reply.message(said)
		}
	}
	if s.Otherwise != nil {
		return s.Otherwise.message(seen.facts())
	}
	return Says(seen.echo()), nil
}

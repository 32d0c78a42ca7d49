package faux

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// When says which requests a rule fits: those for which all of its members hold. The
// zero value fits each request that answers a user.
//
// A turn is one response. A rule that says nothing of turns and of tools fits only turn
// 0, the first response to what the user said, and so not the results of the calls that
// it makes itself.
type When struct {
	// User is a regular expression for the text of the user's last message.
	User string `json:"user,omitempty"`
	// System is a regular expression for the prompt.
	System string `json:"system,omitempty"`
	// Input is which message of the user it is, from 1 on.
	Input int `json:"input,omitempty"`
	// Turn is how many responses there were since the user's last message, FromTurn and
	// BelowTurn are its bounds, of which the second is left out.
	Turn      *int `json:"turn,omitempty"`
	FromTurn  int  `json:"fromTurn,omitempty"`
	BelowTurn int  `json:"belowTurn,omitempty"`
	// Tool is the name of a tool whose result is among those of the last turn, Result a
	// regular expression for its text, IsError whether it is an error.
	Tool    string `json:"tool,omitempty"`
	Result  string `json:"result,omitempty"`
	IsError *bool  `json:"isError,omitempty"`
	// Offered are names of tools that the model may call.
	Offered []string `json:"offered,omitempty"`
	// Model is the id of the model that is asked.
	Model string `json:"model,omitempty"`

	user, system, result *regexp.Regexp
}

func (w *When) prepare(where string) error {
	for _, pattern := range []struct {
		name, text string
		into       **regexp.Regexp
	}{{"user", w.User, &w.user}, {"system", w.System, &w.system}, {"result", w.Result, &w.result}} {
		if pattern.text == "" {
			continue
		}
		compiled, err := regexp.Compile(pattern.text)
		if err != nil {
			return &ScriptError{Where: where + "." + pattern.name, Err: err}
		}
		*pattern.into = compiled
	}
	return nil
}

// seen is what rules see of a request.
type seen struct {
	request model.Request
	user    string
	inputs  int
	turn    int
	results []*message.ToolResult // of the last turn
}

// look reads a request.
func look(request model.Request) *seen {
	s := &seen{request: request}
	for _, m := range request.Messages {
		switch m := m.(type) {
		case *message.User:
			s.user, s.turn, s.results = m.Text(), 0, nil
			s.inputs++
		case *message.Assistant:
			s.results = nil
			s.turn++
		case *message.ToolResult:
			s.results = append(s.results, m)
		}
	}
	return s
}

// echo returns what the user said, or what the tools gave.
func (s *seen) echo() string {
	var texts []string
	for _, result := range s.results {
		texts = append(texts, result.Text())
	}
	if len(texts) == 0 {
		texts = append(texts, s.user)
	}
	if text := strings.Join(texts, "\n"); text != "" {
		return text
	}
	return "(nothing)"
}

// fits says whether the rule fits, and what templates know then.
func (w *When) fits(s *seen) (facts, bool) {
	f := s.facts()
	if !w.fitsTurn(s) || w.Input != 0 && w.Input != s.inputs || w.Model != "" && w.Model != s.request.Model.ID {
		return f, false
	}
	if w.system != nil && !w.system.MatchString(model.SystemPrompt(s.request.Messages)) {
		return f, false
	}
	if w.user != nil {
		if f.Match = w.user.FindStringSubmatch(s.user); f.Match == nil {
			return f, false
		}
	}
	for _, name := range w.Offered {
		if !slices.Contains(f.Tools(), name) {
			return f, false
		}
	}
	return f, !w.asksForResult() || w.fitsResult(s, &f)
}

func (w *When) asksForResult() bool { return w.Tool != "" || w.result != nil || w.IsError != nil }

func (w *When) fitsTurn(s *seen) bool {
	if w.Turn == nil && w.FromTurn == 0 && w.BelowTurn == 0 {
		return w.asksForResult() || s.turn == 0
	}
	return (w.Turn == nil || *w.Turn == s.turn) && s.turn >= w.FromTurn && (w.BelowTurn == 0 || s.turn < w.BelowTurn)
}

// fitsResult looks for the first result that fits.
func (w *When) fitsResult(s *seen, f *facts) bool {
	for _, result := range s.results {
		if w.Tool != "" && w.Tool != result.ToolName || w.IsError != nil && *w.IsError != result.IsError {
			continue
		}
		text := result.Text()
		if w.result != nil {
			if f.ResultMatch = w.result.FindStringSubmatch(text); f.ResultMatch == nil {
				continue
			}
		}
		f.Result, f.Tool = text, result.ToolName
		return true
	}
	return false
}

// facts are what templates know.
type facts struct {
	// User is the text of the user's last message, Input which one that is, from 1 on.
	User  string
	Input int
	// Turn is how many responses there were since.
	Turn int
	// Tool and Result are the name and the text of the result that the rule found, or of
	// the last one.
	Tool, Result string
	// Results are the texts of all results of the last turn.
	Results []string
	// Match and ResultMatch are what the patterns matched, with their groups.
	Match, ResultMatch []string
	// N counts the repetitions of a tool call from 0 on.
	N int

	transcript message.Messages
}

func (s *seen) facts() facts {
	f := facts{User: s.user, Input: s.inputs, Turn: s.turn, transcript: s.request.Messages}
	for _, result := range s.results {
		f.Tool, f.Result = result.ToolName, result.Text()
		f.Results = append(f.Results, f.Result)
	}
	return f
}

// Tools returns the names of the tools that the model may call.
func (f facts) Tools() []string {
	var names []string
	for _, tool := range model.Tools(f.transcript) {
		names = append(names, tool.Name)
	}
	return names
}

// System returns the prompt.
func (f facts) System() string { return model.SystemPrompt(f.transcript) }

// String keeps the transcript out of a template that prints everything.
func (f facts) String() string { return fmt.Sprintf("turn %d of input %d", f.Turn, f.Input) }

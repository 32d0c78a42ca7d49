package model_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// seeds are texts of arguments, good and bad.
func seeds(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"a":1}`, `{"a":[1,{"b":"c"}],"d":null}`, "{\"a\":\"x\ty\"}", `{"re":"\d+"}`, `{"a":"\u00e9\ud83d\ude00"}`, `{"a":"\ud83d`,
		`{"a":1 "b":2}`, `{"a":tru`, `[1]`, `"x"`, `{"a":1e999}`, `{"a":-0.5e+3,"a":2}`, "{\"a\":\"\xff\"}", `{"a":"\`, `}{`, `{,}`,
		strings.Repeat(`{"a":`, 600), strings.Repeat("[", 600), `{"a":` + strings.Repeat("[", 499) + strings.Repeat("]", 499) + `}`,
	} {
		f.Add(text)
	}
}

// checkArgumentsOf refuses what is no compact JSON object.
func checkArgumentsOf(t *testing.T, text string, arguments json.RawMessage) any {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, arguments); err != nil {
		t.Fatalf("%q: %v in %s", text, err, arguments)
	}
	if !bytes.Equal(compact.Bytes(), arguments) {
		t.Fatalf("%q: not compact: %s", text, arguments)
	}
	if _, err := message.Encode(&message.Assistant{Content: message.Blocks{&message.ToolCall{Arguments: arguments}}, StopReason: message.StopReasonStop}); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var value map[string]any
	if err := json.Unmarshal(arguments, &value); err != nil {
		t.Fatalf("%q: %v in %s", text, err, arguments)
	}
	return value
}

func FuzzParseArguments(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		arguments, flaw := model.ParseArguments(text)
		value := checkArgumentsOf(t, text, arguments)
		if flaw != "" {
			if string(arguments) != "{}" || !strings.Contains(flaw, "\n\nReceived arguments:\n") {
				t.Fatalf("%q: %s with %q", text, arguments, flaw)
			}
			return
		}
		// What is complete is shown as it is.
		if partial := checkArgumentsOf(t, text, model.PartialArguments(text)); !reflect.DeepEqual(value, partial) {
			t.Fatalf("%q: parsed %v, partial %v", text, value, partial)
		}
		var plain map[string]any
		if utf8.ValidString(text) && json.Unmarshal([]byte(text), &plain) == nil && plain != nil {
			if !reflect.DeepEqual(any(plain), value) {
				t.Fatalf("%q: %v", text, value)
			}
		}
	})
}

func FuzzPartialArguments(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		checkArgumentsOf(t, text, model.PartialArguments(text))
	})
}

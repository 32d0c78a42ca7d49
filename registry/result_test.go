package registry_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestResultsHaveTheFieldsOfAToolResultMessage(t *testing.T) {
	tests := []struct {
		result registry.Result
		text   string
	}{
		{*registry.TextResult("hello"), `{"content":[{"type":"text","text":"hello"}],"isError":false}`},
		{*registry.TextResult(""), `{"content":[{"type":"text","text":""}],"isError":false}`},
		{registry.Result{
			Content:     []registry.Content{{Type: registry.ContentImage, Data: []byte{1, 2, 3}, MIMEType: "image/png"}},
			Details:     json.RawMessage(`{"a":1}`),
			IsError:     true,
			Diagnostics: []registry.Diagnostic{{Severity: "warn", Message: "large"}},
			Code:        registry.CodeToolError,
			Control:     json.RawMessage(`{"terminate":true}`),
		}, `{"content":[{"type":"image","data":"AQID","mimeType":"image/png"}],"details":{"a":1},"isError":true,` +
			`"diagnostics":[{"severity":"warn","message":"large"}],"code":"tool_error","control":{"terminate":true}}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(test.result)
		if err != nil || string(got) != test.text {
			t.Errorf("result is %s, %v\nwant %s", got, err, test.text)
		}
		var back registry.Result
		if err := json.Unmarshal(got, &back); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.result, back); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	}
}

func TestContentOfAnUnknownTypeIsAnError(t *testing.T) {
	if _, err := json.Marshal(registry.Content{Type: "video"}); err == nil {
		t.Error("it is written")
	}
	var c registry.Content
	for _, text := range []string{`{"type":"video"}`, `{}`, `3`, `{"type":"text","text":3}`, `{"type":"image","data":"?"}`} {
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s is read as %+v", text, c)
		}
	}
}

func TestAResultWithoutContentHasAnEmptyList(t *testing.T) {
	got, err := json.Marshal(registry.Result{})
	if err != nil || string(got) != `{"content":[],"isError":false}` {
		t.Errorf("result is %s, %v", got, err)
	}
}

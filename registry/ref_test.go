package registry_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

func TestExtensionRefsKeepTheirJSON(t *testing.T) {
	tests := []struct{ text, identity string }{
		{`{"kind":"builtin","name":"fs","version":"1.2.0"}`, "1.2.0"},
		{`{"kind":"git","name":"todo","repo":"/src/sausage","sha":"c0ffee","graph":"9f"}`, "9f"},
		{`{"kind":"git","name":"todo","repo":"/src/sausage","sha":"c0ffee"}`, "c0ffee"},
		{`{"kind":"mcp","name":"mcp-a","server":"a"}`, "a"},
		{`{"kind":"eidetica","name":"x","version":"3","db_id":"d"}`, "3"},
		{`{"kind":"ipld","name":"x","cid":"bafy"}`, "bafy"},
	}
	for _, test := range tests {
		var ref registry.ExtensionRef
		if err := json.Unmarshal([]byte(test.text), &ref); err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		got, err := json.Marshal(ref)
		if err != nil || string(got) != test.text {
			t.Errorf("%s became %s, %v", test.text, got, err)
		}
		if ref.Identity() != test.identity {
			t.Errorf("%s: identity %q, want %q", test.text, ref.Identity(), test.identity)
		}
	}
	for _, text := range []string{`{"kind":"svn","name":"x"}`, `{"kind":"git"}`, `{"name":"x"}`, `[]`} {
		var ref registry.ExtensionRef
		if err := json.Unmarshal([]byte(text), &ref); err == nil {
			t.Errorf("%s is accepted as %+v", text, ref)
		}
	}
}

func TestAnUnrelatedCommitIsNoNewVersion(t *testing.T) {
	one, other := registry.GitRef("todo", "/src", "aaa", "graph"), registry.GitRef("todo", "/src", "bbb", "graph")
	if one.Identity() != other.Identity() {
		t.Errorf("%q and %q differ", one.Identity(), other.Identity())
	}
}

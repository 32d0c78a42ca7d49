package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
)

// statefully returns the layout of a state directory with files.
func statefully(t *testing.T, files map[string]string) Layout {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "")
	layout := Layout{Dir: t.TempDir()}
	if err := os.MkdirAll(layout.State(), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(layout.State(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return layout
}

func TestTheDefaultModelIsTheOneThatIsNamedOrTheFirst(t *testing.T) {
	const servers = `"providers": [
		{"id": "open", "baseUrl": "http://localhost:1/v1"},
		{"id": "one", "baseUrl": "http://localhost:1/v1", "models": [{"id": "a"}, {"id": "b"}]}]`
	for _, test := range []struct {
		name, config string
		want         durable.ModelRef
		scripted     bool
	}{
		{"nothing is configured", "", durable.ModelRef{Provider: "faux", Model: "faux-1"}, true},
		{"no model is listed", `{"providers": [{"id": "open", "baseUrl": "http://localhost:1/v1"}]}`, durable.ModelRef{Provider: "faux", Model: "faux-1"}, true},
		{"none is named", `{` + servers + `}`, durable.ModelRef{Provider: "one", Model: "a"}, false},
		{"one is named", `{"default": "one/b", ` + servers + `}`, durable.ModelRef{Provider: "one", Model: "b"}, false},
		{"one is named that is not listed", `{"default": "open/any", ` + servers + `}`, durable.ModelRef{Provider: "open", Model: "any"}, false},
		{"the script is named", `{"default": "faux/faux-1", ` + servers + `}`, durable.ModelRef{Provider: "faux", Model: "faux-1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{}
			if test.config != "" {
				files[ModelsFile] = test.config
			}
			found, err := statefully(t, files).OpenModels()
			if err != nil {
				t.Fatal(err)
			}
			defer found.Close()
			if found.Default != test.want || found.Scripted != test.scripted {
				t.Errorf("the default is %+v, scripted %t; want %+v, %t", found.Default, found.Scripted, test.want, test.scripted)
			}
		})
	}
}

func TestModelsThatCannotBeReadAreToldWithTheirPlace(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"no JSON", map[string]string{ModelsFile: `{`}, []string{ModelsFile, "unexpected end"}},
		{"an unknown member", map[string]string{ModelsFile: `{"provider": []}`}, []string{ModelsFile, "provider"}},
		{"a default that is no name", map[string]string{ModelsFile: `{"default": 1}`}, []string{ModelsFile, "default"}},
		{"a default that is not there", map[string]string{ModelsFile: `{"default": "one/a"}`}, []string{ModelsFile, "default", "one/a"}},
		{"a key in the file", map[string]string{ModelsFile: `{"providers": [{"id": "a", "baseUrl": "http://u:p@localhost/v1"}]}`}, []string{ModelsFile, "providers[0].baseUrl"}},
		{"a script", map[string]string{ScriptFile: `{"rules": [{"when": {"user": "("}}]}`}, []string{ScriptFile, "rules[0].when.user"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := statefully(t, test.files).OpenModels()
			if err == nil {
				t.Fatal("there is no error")
			}
			contains(t, err.Error(), test.want...)
		})
	}
}

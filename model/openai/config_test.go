package openai_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/openai"
)

func TestAConfigurationMakesProviders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	const text = `{"providers": [
		{"id": "cloud", "baseUrl": "https://example.com/v1", "keyEnv": "CLOUD_KEY", "headers": {"X-Team": "a"}, "compat": {"thinkingFormat": "qwen", "vllmPriority": 3},
			"models": [{"id": "big", "name": "Big", "reasoning": true, "input": ["text", "image"], "contextWindow": 100, "maxTokens": 10,
				"cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0, "tiers": [{"inputTokensAbove": 50, "input": 2, "output": 4, "cacheRead": 0.2, "cacheWrite": 0}]}}, {"id": "small"}]},
		{"id": "local", "baseUrl": "http://localhost:8080/v1", "keyFile": "local.key"}
	]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := openai.ReadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	providers, err := config.New(openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var models model.Models
	for _, provider := range providers {
		defer provider.Close()
		if _, err := models.Set(provider); err != nil {
			t.Fatal(err)
		}
	}
	big, err := models.Resolve("big")
	if err != nil || big.FullName() != "cloud/big" || big.API != "openai-completions" || big.BaseURL != "https://example.com/v1" || !big.Reasoning || big.Cost.Tiers[0].Output != 4 {
		t.Errorf("%v %+v", err, big)
	}
	if small, err := models.Resolve("cloud/small"); err != nil || small.Name != "small" || !small.Reads(model.InputText) || small.Reads(model.InputImage) {
		t.Errorf("%v %+v", err, small)
	}
	if other, err := models.Resolve("cloud/other"); err == nil {
		t.Errorf("a model that is not listed is taken: %+v", other)
	}
	if any, err := models.Resolve("local/org/name"); err != nil || any.ID != "org/name" || any.Provider != "local" {
		t.Errorf("%v %+v", err, any)
	}
}

// TestTheConfigurationOfThePageWorks takes the list of servers that docs/models.md shows.
func TestTheConfigurationOfThePageWorks(t *testing.T) {
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Servers\n")
	_, text, _ = strings.Cut(text, "```json\n")
	text, _, _ = strings.Cut(text, "```")
	config, err := openai.ParseConfig([]byte(text))
	if err != nil || len(config.Providers) != 2 || config.Providers[0].Models[0].Cost.Output != 10 {
		t.Errorf("%v %+v", err, config)
	}
}

func TestAConfigurationThatCannotBeUsedSaysWhere(t *testing.T) {
	provider := func(members string) string {
		return `{"providers": [{"id": "a", "baseUrl": "http://a"}, {` + members + `}]}`
	}
	const prefix = "configuration of models: "
	for _, c := range []struct{ text, want string }{
		{`[]`, "json: cannot unmarshal array into Go value of type struct { Providers []json.RawMessage \"json:\\\"providers\\\"\" }"},
		{`{"x": 1}`, `json: unknown field "x"`},
		{`{} 1`, "more follows the end of the value"},
		{provider(`"id": "b", "url": "x"`), `providers[1]: json: unknown field "url"`},
		{provider(`"id": "", "baseUrl": "http://a"`), `providers[1].id: want a name without slashes and spaces, have ""`},
		{provider(`"id": "a", "baseUrl": "http://a"`), `providers[1].id: another provider is named "a"`},
		{provider(`"id": "b", "baseUrl": "example.com"`), `providers[1].baseUrl: want the URL of a server, such as https://api.openai.com/v1`},
		{provider(`"id": "b", "baseUrl": "http://user:secret@a"`), `providers[1].baseUrl: want no user, query or fragment: name the key by keyEnv or keyFile`},
		{provider(`"id": "b", "baseUrl": "http://a?key=secret"`), `providers[1].baseUrl: want no user, query or fragment: name the key by keyEnv or keyFile`},
		{provider(`"id": "b", "baseUrl": "http://a", "keyEnv": "X", "keyFile": "y"`), `providers[1].keyFile: there is a keyEnv already: want one of them`},
		{provider(`"id": "b", "baseUrl": "http://a", "headers": {"AUTHORIZATION": "secret"}`), `providers[1].headers: want no authorization: name the key by keyEnv or keyFile`},
		{provider(`"id": "b", "baseUrl": "http://a", "compat": {"thinkingFormat": "loud"}`), `providers[1].compat: thinkingFormat: want openai, openrouter, deepseek or qwen`},
		{provider(`"id": "b", "baseUrl": "http://a", "models": [{"id": "m"}, {"name": "x"}]`), `providers[1].models[1].id: want the provider's name for the model`},
		{provider(`"id": "b", "baseUrl": "http://a", "models": [{"id": "m", "compat": {"maxTokensField": "x"}}]`), `providers[1].models[0].compat: maxTokensField: want max_tokens or max_completion_tokens`},
		{provider(`"id": "b", "baseUrl": "http://a", "models": [{"id": "m", "samplingParams": 3}]`), `providers[1].models[0].samplingParams: want an object`},
	} {
		_, err := openai.ParseConfig([]byte(c.text))
		if err == nil || err.Error() != prefix+c.want {
			t.Errorf("have %v, want %s", err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error has a secret: %v", err)
		}
	}
}

package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/openai"
)

// Files of the state directory that say which models a world has. They are not in the
// world: whoever writes them decides where keys are sent.
const (
	// ModelsFile is a [openai.Config] with one more member, "default", the name of the
	// model of conversations that have chosen none, such as "openai/gpt-5".
	ModelsFile = "models.json"
	// ScriptFile is what the model faux/faux-1 answers; see [faux.Script]. Without it, it
	// repeats what it is told.
	ScriptFile = "faux.json"
)

// unconfigured is what the scripted model says where no script says it.
const unconfigured = "No model is configured, so this is the scripted model faux/faux-1, which repeats what it is told: " +
	"{{if .User}}{{.User}}{{else}}{{.Result}}{{end}}"

// WorldModels are the models of a world.
type WorldModels struct {
	Models *model.Models
	// Default is the model of conversations that have chosen none.
	Default durable.ModelRef
	// Scripted says that no model is configured, and the default answers by script.
	Scripted bool

	providers []*openai.Provider
}

// OpenModels reads which models a world has. Without [ModelsFile] there is OpenAI when
// the environment has OPENAI_API_KEY, at OPENAI_BASE_URL when that is set. The scripted
// provider faux is always there. The caller closes them.
//
// An error is a file that cannot be read, a [*openai.ConfigError], a
// [*faux.ScriptError], or a default that is no model.
func (l Layout) OpenModels() (*WorldModels, error) {
	w := &WorldModels{Models: new(model.Models)}
	config, name, err := l.readModels()
	if err != nil {
		return nil, err
	}
	if w.providers, err = config.New(openai.Options{StateDir: l.State()}); err != nil {
		return nil, err
	}
	for _, provider := range w.providers {
		if _, err := w.Models.Set(provider); err != nil {
			w.Close()
			return nil, fmt.Errorf("configuration of models: %w", err)
		}
	}
	if err := w.addScript(l.file(ScriptFile)); err != nil {
		w.Close()
		return nil, err
	}
	if err := w.choose(name); err != nil {
		w.Close()
		return nil, fmt.Errorf("%s: default: %w", l.file(ModelsFile), err)
	}
	return w, nil
}

// readModels returns the providers that are configured, and the name of the default
// model, which may be empty.
func (l Layout) readModels() (*openai.Config, string, error) {
	file := l.file(ModelsFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fromEnvironment(), "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("configuration of models: %w", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, "", &openai.ConfigError{File: file, Err: err}
	}
	var name string
	if chosen, is := members["default"]; is {
		if err := json.Unmarshal(chosen, &name); err != nil {
			return nil, "", &openai.ConfigError{File: file, Where: "default", Err: err}
		}
		delete(members, "default")
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, "", &openai.ConfigError{File: file, Err: err}
	}
	config, err := openai.ParseConfig(rest)
	if flaw, is := errors.AsType[*openai.ConfigError](err); is {
		flaw.File = file
	}
	return config, name, err
}

func fromEnvironment() *openai.Config {
	if os.Getenv("OPENAI_API_KEY") == "" {
		return new(openai.Config)
	}
	base := os.Getenv("OPENAI_BASE_URL")
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	return &openai.Config{Providers: []openai.ProviderConfig{{ID: "openai", BaseURL: base, KeyEnv: "OPENAI_API_KEY"}}}
}

// addScript adds the scripted provider.
func (w *WorldModels) addScript(file string) error {
	script, err := faux.ReadScript(file)
	if errors.Is(err, fs.ErrNotExist) {
		text, marshalErr := json.Marshal(map[string]any{"otherwise": map[string]string{"text": unconfigured}})
		if marshalErr != nil {
			return marshalErr
		}
		script, err = faux.ParseScript(bytes.TrimSpace(text))
	}
	if err != nil {
		return err
	}
	_, err = w.Models.Set(faux.New(script.Options()))
	return err
}

// choose settles the default: the one that is named, else the first that is listed, else
// the scripted one.
func (w *WorldModels) choose(name string) error {
	if name != "" {
		found, err := w.Models.Resolve(name)
		if err != nil {
			return err
		}
		w.Default = durable.ModelRef{Provider: found.Provider, Model: found.ID}
		return nil
	}
	first := w.Models.List()[0] // the scripted provider lists one
	w.Default = durable.ModelRef{Provider: first.Provider, Model: first.ID}
	w.Scripted = first.Provider == "faux"
	return nil
}

// openModels takes the models of the world unless the embedder has others. A commit is
// tried out without any.
func (h *Host) openModels() error {
	if h.options.Models != nil || h.isTrial() {
		h.models.Models = h.options.Models
		return nil
	}
	found, err := h.layout.OpenModels()
	if err != nil {
		return fmt.Errorf("open world %s: %w", h.layout.Dir, err)
	}
	h.models = *found
	return nil
}

// Models returns the models of the world, and which one is the default.
func (h *Host) Models() WorldModels { return h.models }

// Close gives up connections that no response uses.
func (w *WorldModels) Close() {
	for _, provider := range w.providers {
		provider.Close()
	}
}

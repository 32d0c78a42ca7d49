package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs"
)

// SettingsError says that the world settings cannot be used: the file is broken
// and never was not, or it does not fit the schema that an extension gave.
type SettingsError struct {
	Position registry.Position
	Message  string
}

func (e *SettingsError) Error() string {
	if at := e.Position.String(); at != "" {
		return at + ": " + e.Message
	}
	return e.Message
}

// ErrorName is the error's name in JavaScript.
func (e *SettingsError) ErrorName() string { return "SettingsInvalid" }

// worldSettings keeps the parsed settings.json of the editable checkout.
type worldSettings struct {
	world  *vfs.World
	broken func(err error) // told when a change could not be read and the old value stands
	stop   func()

	mu    sync.Mutex
	value json.RawMessage
	err   *SettingsError // while there never was a good value
}

// watchSettings reads the settings and keeps them current until close.
func watchSettings(world *vfs.World, broken func(error)) (*worldSettings, error) {
	settings := &worldSettings{world: world, broken: broken}
	settings.read()
	stop, err := world.Watch(SettingsFile, settings.read)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", SettingsFile, err)
	}
	settings.stop = stop
	return settings, nil
}

func (s *worldSettings) close() { s.stop() }

// read takes the file's content. A broken file keeps the last good value.
func (s *worldSettings) read() {
	data, err := s.world.Read(SettingsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{}")
	case err != nil:
		s.refuse(&SettingsError{Position: registry.Position{File: SettingsFile}, Message: err.Error()})
		return
	}
	if invalid := checkSettings(data); invalid != nil {
		s.refuse(invalid)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.err = data, nil
}

func (s *worldSettings) refuse(invalid *SettingsError) {
	s.mu.Lock()
	if s.value == nil {
		s.err = invalid
	}
	s.mu.Unlock()
	s.broken(invalid)
}

// checkSettings reports where data is not a JSON object.
func checkSettings(data []byte) *SettingsError {
	var object map[string]json.RawMessage
	err := json.Unmarshal(data, &object)
	if err == nil && object == nil {
		err = errors.New("it is null")
	}
	if err == nil {
		return nil
	}
	invalid := &SettingsError{Position: registry.Position{File: SettingsFile}, Message: "the settings must be a JSON object: " + err.Error()}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		before := data[:min(max(int(syntax.Offset)-1, 0), len(data))]
		invalid.Position.Line = bytes.Count(before, []byte("\n")) + 1
		invalid.Position.Column = len(before) - bytes.LastIndexByte(before, '\n')
	}
	return invalid
}

// get returns the settings, validated and completed by a schema unless that is
// empty. Errors: a [*SettingsError]; a [*registry.SettingsSchemaError].
func (s *worldSettings) get(by *registry.Registry, schema string) (json.RawMessage, error) {
	s.mu.Lock()
	value, err := s.value, s.err
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if schema == "" {
		return value, nil
	}
	completed, invalid := by.CompleteSettings(json.RawMessage(schema), value)
	var misfit *registry.SettingsError
	if errors.As(invalid, &misfit) {
		return nil, &SettingsError{Position: registry.Position{File: SettingsFile}, Message: misfit.Error()}
	}
	return completed, invalid
}

package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
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
	world *vfs.World
	clock jsapi.Clockwork
	state func(err error) // told why the file cannot be used, or nil once it can
	stop  func()

	reading sync.Mutex  // held while the file is read
	closed  bool        // by reading
	later   func() bool // stops the look at a file that was empty; by reading

	mu    sync.Mutex
	value json.RawMessage
	err   *SettingsError // while there never was a good value
}

// emptyTime is how long settings.json may be empty before that is reported: who
// truncates a file is about to write it.
const emptyTime = 2 * time.Second

// watchSettings reads the settings and keeps them current until close. It watches
// first, so that no change falls between.
func watchSettings(world *vfs.World, clock jsapi.Clockwork, state func(error)) (*worldSettings, error) {
	settings := &worldSettings{world: world, clock: clock, state: state}
	stop, err := world.Watch(SettingsFile, func() { settings.read(false) })
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", SettingsFile, err)
	}
	settings.stop = stop
	settings.read(false)
	return settings, nil
}

// close returns when no read is under way.
func (s *worldSettings) close() {
	s.stop()
	s.reading.Lock()
	defer s.reading.Unlock()
	s.closed = true
	s.forgetLater()
}

func (s *worldSettings) forgetLater() {
	if s.later != nil {
		s.later()
		s.later = nil
	}
}

// read takes the file's content. A broken file keeps the last good value. waited
// says that an empty one has been so for a while.
func (s *worldSettings) read(waited bool) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.closed {
		return
	}
	s.forgetLater()
	data, err := s.world.Read(SettingsFile)
	var invalid *SettingsError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{}")
	case err != nil:
		invalid = &SettingsError{Position: registry.Position{File: SettingsFile}, Message: err.Error()}
	default:
		invalid = checkSettings(data)
	}
	s.take(data, invalid)
	switch {
	case invalid == nil:
		s.state(nil)
	case err == nil && len(data) == 0 && !waited:
		s.later = s.clock.AfterFunc(emptyTime, func() { s.read(true) })
	default:
		s.state(invalid)
	}
}

// take makes data the settings unless it is invalid.
func (s *worldSettings) take(data []byte, invalid *SettingsError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if invalid == nil {
		s.value, s.err = data, nil
	} else if s.value == nil {
		s.err = invalid
	}
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

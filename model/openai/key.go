package openai

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// KeyError says why there is no key. It never contains one.
type KeyError struct {
	// Provider is the provider's id.
	Provider string
	Err      error
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("no key for provider %q: %v", e.Provider, e.Err)
}

func (e *KeyError) Unwrap() error { return e.Err }

// secret is a key that shows itself only where it is sent.
type secret struct{ text string }

const hidden = "[key]"

// String, GoString, Format and LogValue keep the key out of everything that prints.
func (s secret) String() string               { return hidden }
func (s secret) GoString() string             { return hidden }
func (s secret) Format(to fmt.State, _ rune)  { io.WriteString(to, hidden) }
func (s secret) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (s secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// scrub removes the key from a text.
func (s secret) scrub(text string) string {
	if s.text == "" {
		return text
	}
	return strings.ReplaceAll(text, s.text, hidden)
}

// mostKey is how many bytes a key file may have.
const mostKey = 16 << 10

// key reads the provider's key. It is empty for a provider that needs none. The error is
// a [*KeyError].
func (p *Provider) key() (secret, error) {
	var text string
	var err error
	switch {
	case p.config.KeyEnv != "":
		if text = strings.TrimSpace(p.options.Getenv(p.config.KeyEnv)); text == "" {
			err = fmt.Errorf("set the environment variable %s", p.config.KeyEnv)
		}
	case p.config.KeyFile != "":
		text, err = readKey(p.options.StateDir, p.config.KeyFile)
	default:
		return secret{}, nil
	}
	if err == nil && strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		err = errors.New("it has characters that no key has")
	}
	if err != nil {
		return secret{}, &KeyError{Provider: p.config.ID, Err: err}
	}
	return secret{text}, nil
}

// readKey reads a file of the state directory that nobody but its owner may read.
func readKey(dir, name string) (string, error) {
	if dir == "" || !filepath.IsLocal(name) {
		return "", fmt.Errorf("the file %q is not within the state directory", name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	path := filepath.Join(dir, name)
	if info, err := root.Stat(name); err != nil {
		return "", inFile(path, err)
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", path)
	}
	file, err := root.Open(name)
	if err != nil {
		return "", inFile(path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", inFile(path, err)
	}
	if open := info.Mode().Perm() &^ 0o600; !info.Mode().IsRegular() || open != 0 {
		return "", fmt.Errorf("%s has the mode %v, and others may read it: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	text, err := io.ReadAll(io.LimitReader(file, mostKey+1))
	if err != nil {
		return "", inFile(path, err)
	}
	key := strings.TrimSpace(string(text))
	switch {
	case key == "":
		return "", fmt.Errorf("%s is empty", path)
	case len(text) > mostKey:
		return "", fmt.Errorf("%s is larger than %d bytes", path, mostKey)
	}
	return key, nil
}

// inFile names the whole path in an error of a root, which has only the name in it.
func inFile(path string, err error) error {
	if flaw, ok := errors.AsType[*fs.PathError](err); ok {
		err = flaw.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

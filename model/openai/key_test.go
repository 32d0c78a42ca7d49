package openai_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-d579e5eb/harness/model/openai"
)

func TestAKeyComesFromTheEnvironmentOrAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("good", testKey+"\n", 0o600)
	write("strict", testKey, 0o400)
	write("group", testKey, 0o640)
	write("others", testKey, 0o604)
	write("program", testKey, 0o700)
	write("empty", " \n", 0o600)
	write("lines", testKey+"\n"+testKey, 0o600)
	write("large", strings.Repeat("x", 20<<10), 0o600)
	if err := os.Symlink(filepath.Join(t.TempDir(), "away"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, file, want string }{
		{"TEST_KEY", "", ""},
		{"MISSING", "", `no key for provider "test": set the environment variable MISSING`},
		{"", "good", ""},
		{"", "strict", ""},
		{"", "group", `no key for provider "test": DIR/group has the mode -rw-r-----, and others may read it: chmod 600 DIR/group`},
		{"", "others", `no key for provider "test": DIR/others has the mode -rw----r--, and others may read it: chmod 600 DIR/others`},
		{"", "program", `no key for provider "test": DIR/program has the mode -rwx------, and others may read it: chmod 600 DIR/program`},
		{"", "empty", `no key for provider "test": DIR/empty is empty`},
		{"", "lines", `no key for provider "test": it has characters that no key has`},
		{"", "large", `no key for provider "test": DIR/large is larger than 16384 bytes`},
		{"", "missing", `no key for provider "test": DIR/missing: no such file or directory`},
		{"", "away", `no key for provider "test": DIR/away: path escapes from parent`},
		{"", "pipe", `no key for provider "test": DIR/pipe is no regular file`},
		{"", "../good", `no key for provider "test": the file "../good" is not within the state directory`},
		{"", "/etc/passwd", `no key for provider "test": the file "/etc/passwd" is not within the state directory`},
	} {
		s := serve(t, events(ends("stop")))
		provider := newProvider(t, s, func(config *openai.ProviderConfig, options *openai.Options) {
			config.KeyEnv, config.KeyFile, options.StateDir = c.env, c.file, dir
		})
		got := ""
		err := provider.CheckAuth(t.Context())
		if err != nil {
			got = strings.ReplaceAll(err.Error(), dir, "DIR")
			if _, ok := errors.AsType[*openai.KeyError](err); !ok {
				t.Errorf("%T", err)
			}
		}
		if got != c.want {
			t.Errorf("%s%s: %s, want %s", c.env, c.file, got, c.want)
		}
		m := provider.Stream(t.Context(), request(t, provider)).Result()
		if err == nil {
			if sent := s.header("Authorization"); sent != "Bearer "+testKey || m.ErrorMessage != "" {
				t.Errorf("%s%s: sent %q; %s", c.env, c.file, sent, m.ErrorMessage)
			}
		} else if m.ErrorMessage != err.Error() || len(s.asked()) != 0 {
			t.Errorf("%s%s: %d requests, %s", c.env, c.file, len(s.asked()), m.ErrorMessage)
		}
	}
}

func TestAServerMayNeedNoKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", testKey)
	s := serve(t, events(ends("stop")))
	provider := newProvider(t, s, func(c *openai.ProviderConfig, _ *openai.Options) { c.KeyEnv = "" })
	if m := provider.Stream(t.Context(), request(t, provider)).Result(); m.ErrorMessage != "" {
		t.Error(m.ErrorMessage)
	}
	if sent := s.header("Authorization"); sent != "" {
		t.Errorf("sent %q", sent)
	}
}

// TestNothingShowsTheKey looks for the key in whatever can be printed.
func TestNothingShowsTheKey(t *testing.T) {
	s := serve(t, status(400, `{"error":{"message":"`+testKey+`","code":"`+testKey+`"}}`), events(`{"error":{"message":"`+testKey+`"}}`),
		events(testKey), status(200, testKey, "Content-Type", "text/plain"))
	provider := newProvider(t, s, nil)
	for range 4 {
		m := provider.Stream(t.Context(), request(t, provider)).Result()
		if m.ErrorMessage == "" || strings.Contains(m.ErrorMessage, testKey) {
			t.Errorf("%q", m.ErrorMessage)
		}
	}
	for _, shown := range []string{fmt.Sprint(provider), fmt.Sprintf("%+v %#v", provider, *provider)} {
		if strings.Contains(shown, testKey) {
			t.Error(shown)
		}
	}
}

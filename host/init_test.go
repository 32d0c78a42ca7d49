package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// unreadable is a template with a file that cannot be read.
type unreadable struct{ fstest.MapFS }

func (u unreadable) Open(name string) (fs.File, error) {
	if name == "b" {
		return nil, errors.New("unreadable")
	}
	return u.MapFS.Open(name)
}

func TestInitThatFailsLeavesTheDirectoryAsItWas(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	file := &fstest.MapFile{Data: []byte("text"), Mode: 0o644}
	tests := []struct {
		name     string
		ctx      context.Context
		template fs.FS
	}{
		{"the template cannot be copied", context.Background(), unreadable{fstest.MapFS{"a": file, "b": file}}},
		{"the declarations cannot be written", context.Background(), fstest.MapFS{"src/sausage/types": file}},
		{"git fails", context.Background(), fstest.MapFS{"src/sausage/.git": file}},
		{"it is interrupted", ended, nil},
	}
	for _, test := range tests {
		for _, there := range []bool{false, true} {
			name := test.name + ", in a missing directory"
			if there {
				name = test.name + ", in an empty directory"
			}
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "world")
				if there {
					if err := os.Mkdir(dir, 0o755); err != nil {
						t.Fatal(err)
					}
				}
				if err := Init(test.ctx, dir, test.template); err == nil {
					t.Fatal("no error")
				}
				entries, err := os.ReadDir(dir)
				if len(entries) > 0 || errors.Is(err, fs.ErrNotExist) == there {
					t.Errorf("it holds %v, error %v", entries, err)
				}
				if err := Init(context.Background(), dir, nil); err != nil {
					t.Errorf("the next try: %v", err)
				}
			})
		}
	}
}

package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/registry"
)

// errNoEnv is the error of every tool in a call that has nothing to work on.
var errNoEnv = errors.New("this call has no files and no commands: the harness was opened without an environment")

// folder is where a call's relative paths begin.
func folder(call *registry.Call) string {
	if call.Runtime != nil {
		if cwd := call.Runtime.Agent().Cwd; cwd != "" {
			return path.Join("/", cwd)
		}
	}
	return "/"
}

// absolute is the world path that a path of a call names.
func absolute(call *registry.Call, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(folder(call), name)
}

// arguments reads the arguments of a call, which fit the tool's schema.
func arguments[T any](call *registry.Call) (args T, err error) {
	if call.Env == nil {
		return args, errNoEnv
	}
	if err = json.Unmarshal(call.Arguments, &args); err != nil {
		err = fmt.Errorf("read the arguments of %s: %w", call.Tool, err)
	}
	return args, err
}

// cannot says in the same words for every environment why a file is not to be had. name
// is the path as the call has it.
func cannot(do, name string, err error) error {
	why := err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "it does not exist"
	case errors.Is(err, syscall.EISDIR):
		why = "it is a directory"
	case errors.Is(err, syscall.ENOTDIR):
		why = "a part of the path is not a directory"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		why = "permission denied"
	}
	return &FileError{Do: do, Path: name, Why: why, Err: err}
}

// FileError is a file that a tool cannot work on.
type FileError struct {
	Do   string // read, write or edit
	Path string // as the call has it
	Why  string
	Err  error // nil for what the tool itself refuses
}

func (e *FileError) Error() string { return fmt.Sprintf("cannot %s %s: %s", e.Do, e.Path, e.Why) }

func (e *FileError) Unwrap() error { return e.Err }

// counted writes a number with what it counts.
func counted[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return output.Grouped(n) + " " + one + "s"
}

// encoded is the JSON of details, which are made of plain values.
func encoded(details any) json.RawMessage {
	text, err := json.Marshal(details)
	if err != nil {
		// Strings, numbers and lists of them always have a JSON form.
		panic(err)
	}
	return text
}

// listed joins numbers by commas.
func listed(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

package bind

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// World is what the faces work on.
type World struct {
	Files    *vfs.World
	Commands Commands
	// Validate is [registry.Registry.ValidateArguments].
	Validate func(tool string, parameters, arguments json.RawMessage) (json.RawMessage, error)
	// Models returns the models of the harness; nil, and a nil result, are none.
	Models func() *model.Models
}

// Commands runs commands in the world; see [run.Runner].
type Commands interface {
	Run(ctx context.Context, command run.Command) (run.Result, error)
	Git(ctx context.Context, dir string, args ...string) (string, error)
}

var _ Commands = (*run.Runner)(nil)

// shown gives an error the name and the members that an author is promised.
func shown(err error) error {
	if err == nil {
		return nil
	}
	if crossed, ok := err.(*jsapi.Error); ok {
		return crossed // shown when it was made, in the isolate that it comes from
	}
	var file *vfs.Error
	var git *run.GitError
	var start *run.StartError
	var missing *registry.NotProvidedError
	var method *registry.NotAMethodError
	var depth *registry.CallDepthError
	var settled *registry.SettledError
	switch {
	case errors.As(err, &file):
		return jsapi.NewError(err, "Error", jsapi.NewObject("code", file.Code, "path", file.Path, "syscall", file.Syscall))
	case errors.As(err, &git):
		args := &jsapi.Array{}
		for _, arg := range git.Args {
			args.Items = append(args.Items, arg)
		}
		return jsapi.NewError(gitMessage{git}, "GitError", jsapi.NewObject("code", float64(git.Code), "args", args))
	case errors.As(err, &start):
		return jsapi.NewError(err, "StartError", jsapi.NewObject("code", start.Code, "program", start.Program))
	case errors.As(err, &settled):
		return jsapi.NewError(err, "Settled", nil)
	case errors.As(err, &missing):
		return jsapi.NewError(err, "NotProvided", nil)
	case errors.As(err, &method):
		return jsapi.NewError(err, "NotAMethod", nil)
	case errors.As(err, &depth):
		return jsapi.NewError(err, "CallDepth", nil)
	}
	if engine := engineShown(err); engine != nil {
		return engine
	}
	return err
}

// gitMessage is a failed git whose message is what git wrote to stderr (host-api
// section 4), or the whole error when it wrote nothing.
type gitMessage struct{ *run.GitError }

func (m gitMessage) Error() string {
	return cmp.Or(strings.TrimSpace(m.Stderr), m.GitError.Error())
}

// Unwrap gives the error itself.
func (m gitMessage) Unwrap() error { return m.GitError }

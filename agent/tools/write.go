package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/seed-d579e5eb/harness/registry"
)

// Write returns a tool that makes or replaces files. Only those that wait for each
// other's files come from one [Coding].
func Write(Options) registry.Tool { return write(new(writers)) }

func write(writers *writers) registry.Tool {
	return registry.Tool{
		Name:        "write",
		Description: "Write a text file. The file is made when it is missing, with the folders it needs; what it held before is replaced.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"path":{"type":"string","minLength":1,"description":"Where the file is, absolute or from the working folder on."},` +
			`"content":{"type":"string","description":"All of the text that the file is to hold."}},` +
			`"required":["path","content"],"additionalProperties":false}`),
		Execute: func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			args, err := arguments[struct{ Path, Content string }](call)
			if err != nil {
				return nil, err
			}
			at := absolute(call, args.Path)
			unlock, err := alone(ctx, writers, call.Env, at)
			if err != nil {
				return nil, err
			}
			defer unlock()
			_, err = call.Env.Stat(ctx, at)
			made := errors.Is(err, fs.ErrNotExist)
			if made {
				err = call.Env.Mkdir(ctx, path.Dir(at), true)
			}
			if err == nil {
				err = call.Env.Write(ctx, at, []byte(args.Content))
			}
			if err != nil {
				return nil, cannot("write", args.Path, err)
			}
			did := "Replaced"
			if made {
				did = "Made"
			}
			result := registry.TextResult(fmt.Sprintf("%s %s with %s.", did, args.Path, counted(len(args.Content), "byte")))
			result.Details = encoded(struct {
				Path  string `json:"path"`
				Bytes int    `json:"bytes"`
				Made  bool   `json:"made"`
			}{at, len(args.Content), made})
			return result, nil
		},
	}
}

// alone waits until nobody else writes the file that a path leads to.
func alone(ctx context.Context, writers *writers, env registry.Env, at string) (unlock func(), err error) {
	canonical, err := env.Canonical(ctx, at)
	if err != nil {
		canonical = at // what is wrong with it is told by the work itself
	}
	return writers.lock(ctx, canonical)
}

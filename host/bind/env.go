package bind

import (
	"context"
	"io/fs"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// Env is the world as tools in Go work on it. Commands can work for conversations of
// Harness, unless that is nil.
type Env struct {
	World   *World
	Harness *agent.Harness
}

var _ registry.Env = Env{}

// Read implements [registry.Env].
func (e Env) Read(_ context.Context, path string) ([]byte, error) { return e.World.Files.Read(path) }

// Write implements [registry.Env].
func (e Env) Write(_ context.Context, path string, data []byte) error {
	return e.World.Files.Write(path, data)
}

// Append implements [registry.Env].
func (e Env) Append(_ context.Context, path string, data []byte) error {
	return e.World.Files.Append(path, data)
}

// List implements [registry.Env].
func (e Env) List(_ context.Context, path string) ([]registry.DirEntry, error) {
	entries, err := e.World.Files.List(path)
	list := make([]registry.DirEntry, len(entries))
	for i, entry := range entries {
		list[i] = registry.DirEntry{Name: entry.Name, Kind: registry.FileKind(entry.Kind)}
	}
	return list, err
}

// Stat implements [registry.Env].
func (e Env) Stat(_ context.Context, path string) (registry.FileInfo, error) {
	return fileInfo(e.World.Files.Stat(path))
}

// Lstat implements [registry.Env].
func (e Env) Lstat(_ context.Context, path string) (registry.FileInfo, error) {
	return fileInfo(e.World.Files.Lstat(path))
}

func fileInfo(info fs.FileInfo, err error) (registry.FileInfo, error) {
	if err != nil {
		return registry.FileInfo{}, err
	}
	return registry.FileInfo{
		Kind: registry.FileKind(vfs.KindOf(info.Mode())), Size: info.Size(),
		Mode: uint32(info.Mode().Perm()), Modified: info.ModTime(),
	}, nil
}

// Mkdir implements [registry.Env].
func (e Env) Mkdir(_ context.Context, path string, recursive bool) error {
	return e.World.Files.Mkdir(path, recursive)
}

// Remove implements [registry.Env].
func (e Env) Remove(_ context.Context, path string, recursive bool) error {
	return e.World.Files.Remove(path, recursive)
}

// Rename implements [registry.Env].
func (e Env) Rename(_ context.Context, from, to string) error { return e.World.Files.Rename(from, to) }

// Open implements [registry.Env].
func (e Env) Open(_ context.Context, path string, noFollow bool) (registry.File, error) {
	file, err := e.World.Files.OpenFile(path, noFollow)
	if err != nil {
		return nil, err
	}
	return openFile{file}, nil
}

// openFile implements [registry.File].
type openFile struct{ *vfs.File }

// Stat implements [registry.File].
func (f openFile) Stat() (registry.FileInfo, error) { return fileInfo(f.File.Stat()) }

// Canonical implements [registry.Env].
func (e Env) Canonical(_ context.Context, path string) (string, error) {
	return e.World.Files.Realpath(path)
}

// Truncate implements [registry.Env].
func (e Env) Truncate(_ context.Context, path string, size int64) error {
	return e.World.Files.Truncate(path, size)
}

// Flush implements [registry.Env].
func (e Env) Flush(_ context.Context, path string) error { return e.World.Files.Sync(path) }

// TempFile implements [registry.Env].
func (e Env) TempFile(_ context.Context, prefix, suffix string) (string, error) {
	return e.World.Files.CreateTemporary(prefix, suffix)
}

// TempDir implements [registry.Env].
func (e Env) TempDir(_ context.Context, prefix string) (string, error) {
	return e.World.Files.CreateTemporaryDirectory(prefix)
}

// Watch implements [registry.Env].
func (e Env) Watch(ctx context.Context, path string, changed func(registry.FileChange)) (func(), error) {
	stop, err := e.World.Files.WatchChanges(path, func(change vfs.Change) {
		changed(registry.FileChange{Kind: change.Kind, Path: changedPath(e.World.Files, path, change)})
	})
	if err != nil {
		return nil, err
	}
	ended := context.AfterFunc(ctx, stop)
	return func() {
		if ended() {
			stop()
		}
	}, nil
}

// Exec implements [registry.Env].
func (e Env) Exec(ctx context.Context, command registry.ExecCommand) (registry.CommandResult, error) {
	request := run.Command{
		Shell: command.Shell, Argv: command.Argv, Dir: command.Dir, Timeout: command.Timeout,
		Stdin: command.Stdin, MaxBytes: int(min(command.MaxBytes, mostBytes)),
		OnlyEnv: command.OnlyEnv,
	}
	for _, pair := range command.Env {
		request.Env = append(request.Env, run.EnvVar{Name: pair[0], Value: pair[1]})
	}
	if command.OnOutput != nil {
		request.OnOutput = func(text string, stream run.Stream) { command.OnOutput(text, string(stream)) }
	}
	if len(command.Conversations) > 0 && e.Harness != nil {
		inside, end, err := e.Harness.WorkFor(ctx, commandName("a tool", request), command.Conversations...)
		if err != nil {
			return registry.CommandResult{}, err
		}
		defer end()
		ctx = inside
	}
	result, err := e.World.Commands.Run(ctx, request)
	return registry.CommandResult{
		Code: result.Code, Stdout: result.Stdout, Stderr: result.Stderr, Signal: result.Signal, TimedOut: result.TimedOut,
	}, err
}

// Git implements [registry.Env].
func (e Env) Git(ctx context.Context, dir string, args ...string) (string, error) {
	return e.World.Commands.Git(ctx, dir, args...)
}

package bind

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/vfs"
)

// operation is one file operation: its arguments have been checked.
type operation func(world *vfs.World) (any, error)

// fileOperations are the operations of host.fs by name, each made from the
// arguments of a call.
var fileOperations = []struct {
	name    string
	prepare func(args *arguments) operation
}{
	{"read", func(args *arguments) operation {
		name := args.text("path")
		return func(world *vfs.World) (any, error) {
			data, err := world.Read(name)
			return strings.ToValidUTF8(string(data), "\uFFFD"), err
		}
	}},
	{"readBytes", func(args *arguments) operation {
		name := args.text("path")
		return func(world *vfs.World) (any, error) {
			data, err := world.Read(name)
			return &jsapi.Bytes{Data: data}, err
		}
	}},
	{"write", func(args *arguments) operation {
		name, data := args.text("path"), args.content("data")
		return func(world *vfs.World) (any, error) { return done(world.Write(name, data)) }
	}},
	{"append", func(args *arguments) operation {
		name, data := args.text("path"), args.content("data")
		return func(world *vfs.World) (any, error) { return done(world.Append(name, data)) }
	}},
	{"list", func(args *arguments) operation {
		name := args.text("path")
		return func(world *vfs.World) (any, error) { return listing(world.List(name)) }
	}},
	{"stat", func(args *arguments) operation {
		name := args.text("path")
		return func(world *vfs.World) (any, error) { return description(world.Stat(name)) }
	}},
	{"lstat", func(args *arguments) operation {
		name := args.text("path")
		return func(world *vfs.World) (any, error) { return description(world.Lstat(name)) }
	}},
	{"mkdir", func(args *arguments) operation {
		name, recursive := args.text("path"), args.flag()
		return func(world *vfs.World) (any, error) { return done(world.Mkdir(name, recursive)) }
	}},
	{"remove", func(args *arguments) operation {
		name, recursive := args.text("path"), args.flag()
		return func(world *vfs.World) (any, error) { return done(world.Remove(name, recursive)) }
	}},
	{"rename", func(args *arguments) operation {
		from, to := args.text("from"), args.text("to")
		return func(world *vfs.World) (any, error) { return done(world.Rename(from, to)) }
	}},
}

func asynchronous(world *vfs.World, name string, prepare func(*arguments) operation) jsapi.Native {
	return func(call *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "fs." + name, call: call}
		run := prepare(args)
		if args.err != nil {
			return nil, args.err
		}
		return jsapi.Async{Work: func(context.Context) (any, error) {
			result, err := run(world)
			return result, shown(err)
		}}, nil
	}
}

func synchronous(world *vfs.World, name string, prepare func(*arguments) operation) jsapi.Native {
	return func(call *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "fs." + name, call: call}
		run := prepare(args)
		if args.err != nil {
			return nil, args.err
		}
		result, err := run(world)
		return result, shown(err)
	}
}

func done(err error) (any, error) { return jsapi.Undefined{}, err }

func listing(entries []vfs.Entry, err error) (any, error) {
	list := &jsapi.Array{Items: make([]any, len(entries))}
	for i, entry := range entries {
		list.Items[i] = jsapi.NewObject("name", entry.Name, "kind", string(entry.Kind))
	}
	return list, err
}

func description(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return jsapi.NewObject(
		"kind", string(vfs.KindOf(info.Mode())),
		"size", float64(info.Size()),
		"mode", float64(info.Mode().Perm()),
		"mtimeMs", float64(info.ModTime().UnixNano())/float64(time.Millisecond),
	), nil
}

// watch calls back for changes until the returned function is called or the
// owner of the calling code ends.
func (h *Host) watch(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "fs.watch", call: call}
	name, callback := args.text("path"), args.function1("callback")
	if args.err != nil {
		return nil, args.err
	}
	owner := call.Owner
	deliver := h.deliveries(owner, "a file watch of "+name, callback)
	stop, err := h.world.Files.WatchChanges(name, func(change vfs.Change) {
		deliver.post(jsapi.NewObject("kind", change.Kind, "path", changedPath(h.world.Files, name, change)))
	})
	if err != nil {
		return nil, shown(err)
	}
	ended := context.AfterFunc(owner.Context(), stop)
	return jsapi.Native(func(*jsapi.NativeCall) (any, error) {
		if ended() {
			stop()
		}
		return jsapi.Undefined{}, nil
	}), nil
}

// changedPath is the world path of what changed at or in a watched path. A file
// has its own name in a change; so may an entry of a folder.
func changedPath(world *vfs.World, watched string, change vfs.Change) string {
	if path.Base(watched) == change.Name {
		if info, err := world.Stat(watched); err != nil || !info.IsDir() {
			return path.Clean(watched)
		}
	}
	return path.Join(watched, change.Name)
}

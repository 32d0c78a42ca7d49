package modules_test

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// natives gives the modules what harness:native has, over a directory.
func natives(t testing.TB) *jsapi.Object {
	files := directory(t.TempDir())
	operations := map[string]func([]any) (any, error){
		"read":      files.read,
		"readBytes": files.readBytes,
		"write":     files.write,
		"append":    files.append,
		"list":      files.list,
		"stat":      files.stat,
		"lstat":     files.lstat,
		"mkdir":     files.mkdir,
		"remove":    files.remove,
		"rename":    files.rename,
	}
	later, now := make(map[string]any), make(map[string]any)
	for name, operation := range operations {
		now[name] = jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			result, err := operation(call.Args)
			return result, files.failed(name, call.Args, err)
		})
		later[name] = jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			return jsapi.Async{Work: func(context.Context) (any, error) {
				result, err := operation(call.Args)
				return result, files.failed(name, call.Args, err)
			}}, nil
		})
	}
	return jsapi.NewObject("native", jsapi.NewObject("fs", later, "fsSync", now, "digest", jsapi.Native(digest)))
}

func digest(call *jsapi.NativeCall) (any, error) {
	data := bytesOf(call.Arg(1))
	switch call.Arg(0) {
	case "md5":
		sum := md5.Sum(data)
		return &jsapi.Bytes{Data: sum[:]}, nil
	case "sha1":
		sum := sha1.Sum(data)
		return &jsapi.Bytes{Data: sum[:]}, nil
	case "sha256":
		sum := sha256.Sum256(data)
		return &jsapi.Bytes{Data: sum[:]}, nil
	case "sha384":
		sum := sha512.Sum384(data)
		return &jsapi.Bytes{Data: sum[:]}, nil
	case "sha512":
		sum := sha512.Sum512(data)
		return &jsapi.Bytes{Data: sum[:]}, nil
	}
	return nil, fmt.Errorf("no digest %v", call.Arg(0))
}

func bytesOf(data any) []byte {
	if text, ok := data.(string); ok {
		return []byte(text)
	}
	return data.(*jsapi.Bytes).Data
}

// directory is the path of a directory that stands for the world.
type directory string

func (d directory) at(worldPath any) string { return filepath.Join(string(d), worldPath.(string)) }

func (d directory) read(args []any) (any, error) {
	content, err := os.ReadFile(d.at(args[0]))
	return string(content), err
}

func (d directory) readBytes(args []any) (any, error) {
	content, err := os.ReadFile(d.at(args[0]))
	return &jsapi.Bytes{Data: content}, err
}

func (d directory) write(args []any) (any, error) {
	return nil, os.WriteFile(d.at(args[0]), bytesOf(args[1]), 0o644)
}

func (d directory) append(args []any) (any, error) {
	file, err := os.OpenFile(d.at(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(bytesOf(args[1]))
	return nil, errors.Join(err, file.Close())
}

func (d directory) list(args []any) (any, error) {
	entries, err := os.ReadDir(d.at(args[0]))
	items := make([]any, len(entries))
	for i, entry := range entries {
		items[i] = jsapi.NewObject("name", entry.Name(), "kind", kindOf(entry.Type()))
	}
	return items, err
}

func (d directory) stat(args []any) (any, error)  { return described(os.Stat(d.at(args[0]))) }
func (d directory) lstat(args []any) (any, error) { return described(os.Lstat(d.at(args[0]))) }

func described(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return jsapi.NewObject("kind", kindOf(info.Mode()), "size", float64(info.Size()),
		"mode", float64(info.Mode().Perm()), "mtimeMs", float64(info.ModTime().UnixMilli())), nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	}
	return "other"
}

func (d directory) mkdir(args []any) (any, error) {
	if recursive(args) {
		return nil, os.MkdirAll(d.at(args[0]), 0o755)
	}
	return nil, os.Mkdir(d.at(args[0]), 0o755)
}

func (d directory) remove(args []any) (any, error) {
	if _, err := os.Lstat(d.at(args[0])); err != nil || !recursive(args) {
		return nil, errors.Join(err, os.Remove(d.at(args[0])))
	}
	return nil, os.RemoveAll(d.at(args[0]))
}

func recursive(args []any) bool {
	if len(args) < 2 {
		return false
	}
	value, _ := args[1].(*jsapi.Object).Get("recursive")
	return value == true
}

func (d directory) rename(args []any) (any, error) {
	return nil, os.Rename(d.at(args[0]), d.at(args[1]))
}

// failed gives an error the members that errors of the host's files have.
func (d directory) failed(operation string, args []any, err error) error {
	if err == nil {
		return nil
	}
	code := "EIO"
	for number, name := range map[syscall.Errno]string{
		syscall.ENOENT: "ENOENT", syscall.EEXIST: "EEXIST", syscall.ENOTDIR: "ENOTDIR",
		syscall.EISDIR: "EISDIR", syscall.ENOTEMPTY: "ENOTEMPTY",
	} {
		if errors.Is(err, number) {
			code = name
		}
	}
	return &fileError{code: code, path: path.Clean(args[0].(string)), syscall: strings.ToLower(operation)}
}

type fileError struct{ code, path, syscall string }

func (e *fileError) Error() string { return fmt.Sprintf("%s: %s %s", e.code, e.syscall, e.path) }

// ErrorProperties implements jsapi.Detailed.
func (e *fileError) ErrorProperties() *jsapi.Object {
	return jsapi.NewObject("code", e.code, "path", e.path, "syscall", e.syscall)
}

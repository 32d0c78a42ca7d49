package registry

import (
	"context"
	"io"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Env is what a tool works on: the files and commands of the world. Paths are
// world paths: absolute, POSIX, cleaned. Errors carry the POSIX code, the path
// and the system call that failed, and match [io/fs.ErrNotExist],
// [io/fs.ErrExist] and [io/fs.ErrPermission]. All methods may be called from
// any goroutine.
type Env interface {
	Read(ctx context.Context, path string) ([]byte, error)
	Write(ctx context.Context, path string, data []byte) error // replaces atomically
	Append(ctx context.Context, path string, data []byte) error
	List(ctx context.Context, path string) ([]DirEntry, error) // sorted by name
	Stat(ctx context.Context, path string) (FileInfo, error)
	Lstat(ctx context.Context, path string) (FileInfo, error)
	Mkdir(ctx context.Context, path string, recursive bool) error
	Remove(ctx context.Context, path string, recursive bool) error
	Rename(ctx context.Context, from, to string) error
	// Open opens a regular file to read it at any place. The caller closes it. With
	// noFollow a symbolic link at path is an error.
	Open(ctx context.Context, path string, noFollow bool) (File, error)
	// Canonical is the path that path leads to, with all links followed: two paths of
	// one file have one. What is missing at its end is kept as written.
	Canonical(ctx context.Context, path string) (string, error)
	// Truncate cuts a file to size bytes, or fills it up with zeros.
	Truncate(ctx context.Context, path string, size int64) error
	// Flush has a file on the disk before it returns.
	Flush(ctx context.Context, path string) error
	// TempFile makes an empty file, and TempDir a directory, of a name that was free.
	// They stay until somebody removes them.
	TempFile(ctx context.Context, prefix, suffix string) (path string, err error)
	TempDir(ctx context.Context, prefix string) (path string, err error)
	// Watch calls changed, on one goroutine, for what happens at or in path,
	// until stop is called or ctx ends.
	Watch(ctx context.Context, path string, changed func(FileChange)) (stop func(), err error)
	// Exec runs a command. A code other than zero is no error; a program that
	// cannot start is.
	Exec(ctx context.Context, command ExecCommand) (CommandResult, error)
	// Git runs git in dir and gives its trimmed output; the error has git's
	// standard error as its message.
	Git(ctx context.Context, dir string, args ...string) (string, error)
}

// File is a file that is open for reading: the one that was opened, also when its path
// means another by now.
type File interface {
	io.ReaderAt
	io.Closer
	Stat() (FileInfo, error)
}

// FileKind says what a path names.
type FileKind string

const (
	KindFile      FileKind = "file"
	KindDirectory FileKind = "directory"
	KindSymlink   FileKind = "symlink"
	KindOther     FileKind = "other"
)

// DirEntry is one name in a directory.
type DirEntry struct {
	Name string
	Kind FileKind
}

// FileInfo describes what a path names.
type FileInfo struct {
	Kind     FileKind
	Size     int64  // bytes
	Mode     uint32 // permission bits
	Modified time.Time
}

// FileChange is one change that [Env.Watch] saw.
type FileChange struct {
	Kind string // create, change or remove
	Path string
}

// ExecCommand is a command to run in the world. Exactly one of Shell and Argv
// is set.
type ExecCommand struct {
	Shell   string        // runs under the world's shell
	Argv    []string      // runs a program without a shell
	Dir     string        // world path; empty means /
	Env     [][2]string   // name and value, added to the world's environment in this order
	OnlyEnv bool          // keeps the rest of the world's environment away, but for PATH
	Timeout time.Duration // zero means none; then the whole process tree gets TERM, and KILL
	Stdin   []byte
	// MaxBytes is what is kept of each stream, with the middle dropped; zero
	// means the default.
	MaxBytes int64
	// Conversations are those that the command works for, beside that of the call:
	// aborting one of them ends it, and it is listed under them.
	Conversations []record.ConversationID
	// OnOutput gets whole UTF-8 characters in order; stream is stdout or stderr.
	OnOutput func(text, stream string)
}

// CommandResult is how a command ended.
type CommandResult struct {
	Code     int
	Stdout   string
	Stderr   string
	Signal   string // the signal that ended it, such as SIGKILL; empty for none
	TimedOut bool
}

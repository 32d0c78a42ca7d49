package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/sync/errgroup"
)

// floor is what a reload cannot do without: read, transform and compile of the
// changed file, a fresh bare runtime for each extension and its
// evaluation, and two synced writes. It uses the libraries directly.
type floor struct {
	b        *testing.B
	db       *badger.DB
	programs []*goja.Program
}

func newFloor(b *testing.B, extensions int) *floor {
	b.Helper()
	db, err := bareDatabase(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	f := &floor{b: b, db: db}
	for range extensions {
		f.programs = append(f.programs, f.compile(benchExtension("ext000", 0)))
	}
	return f
}

// bareDatabase opens badger with the settings of package badgerdb.
func bareDatabase(dir string) (*badger.DB, error) {
	return badger.Open(badger.DefaultOptions(dir).
		WithLogger(nil).
		WithSyncWrites(true).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithMemTableSize(16 << 20).
		WithNumMemtables(3).
		WithBlockCacheSize(8 << 20).
		WithIndexCacheSize(16 << 20).
		WithCompression(options.None).
		WithValueLogFileSize(65 << 20).
		WithValueThreshold(64<<10 + 1).
		WithVerifyValueChecksum(true).
		WithNumCompactors(2).
		WithCompactL0OnClose(true))
}

func (f *floor) compile(source string) *goja.Program {
	result := api.Transform(source, api.TransformOptions{
		Loader: api.LoaderTS, Format: api.FormatCommonJS, Target: api.ES2022, Sourcemap: api.SourceMapInline, Sourcefile: "server.ts",
	})
	if len(result.Errors) > 0 {
		f.b.Fatal(result.Errors)
	}
	program, err := goja.Compile("server.ts", "(function(exports,require,module){"+string(result.Code)+"\n})", true)
	if err != nil {
		f.b.Fatal(err)
	}
	return program
}

// measure does it once.
func (f *floor) measure(file string) time.Duration {
	began := time.Now()
	data, err := os.ReadFile(file)
	if err != nil {
		f.b.Fatal(err)
	}
	f.programs[0] = f.compile(string(data))
	var group errgroup.Group
	group.SetLimit(2)
	for _, program := range f.programs {
		group.Go(func() error { return evaluateBare(program) })
	}
	if err := group.Wait(); err != nil {
		f.b.Fatal(err)
	}
	for range 2 {
		if err := f.db.Update(func(txn *badger.Txn) error { return txn.Set([]byte("status"), make([]byte, 1024)) }); err != nil {
			f.b.Fatal(err)
		}
	}
	return time.Since(began)
}

// evaluateBare runs a module in a fresh runtime without any globals.
func evaluateBare(program *goja.Program) error {
	vm := goja.New()
	value, err := vm.RunProgram(program)
	if err != nil {
		return err
	}
	call, _ := goja.AssertFunction(value)
	identity := vm.ToValue(func(call goja.FunctionCall) goja.Value { return call.Argument(0) })
	library := vm.NewObject()
	_ = library.Set("defineExtension", identity)
	_ = library.Set("defineTool", identity)
	module, exports := vm.NewObject(), vm.NewObject()
	_ = module.Set("exports", exports)
	require := vm.ToValue(func(goja.FunctionCall) goja.Value { return library })
	_, err = call(goja.Undefined(), exports, require, module)
	return err
}

func changedFile(dir string) string {
	return filepath.Join(dir, "root/src/sausage/extensions/ext000/server.ts")
}

// startFloor is what a start cannot do without: read, transform and compile of
// every file, a fresh bare runtime for each and its evaluation, and a database.
func startFloor(b *testing.B, dir string, extensions int) time.Duration {
	b.Helper()
	f := &floor{b: b}
	database := b.TempDir()
	began := time.Now()
	db, err := bareDatabase(database)
	if err != nil {
		b.Fatal(err)
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range extensions {
		group.Go(func() error {
			source, err := os.ReadFile(filepath.Join(dir, "root/src/sausage/extensions", fmt.Sprintf("ext%03d", i), "server.ts"))
			if err != nil {
				return err
			}
			return evaluateBare(f.compile(string(source)))
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	spent := time.Since(began)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return spent
}

package guard

import (
	"fmt"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
)

// Options are the limits of one runtime. The zero value means the defaults.
type Options struct {
	// MaxBytes bounds one value that a built-in makes: a buffer in bytes, a string in UTF-16 units. 256 MiB by default.
	// The subject of a regular expression may have one 64th of it, because the engine can need that many bytes per unit.
	MaxBytes int64

	// MaxElements bounds the length of an array or array-like object that a built-in walks, and the number of arguments of
	// apply and construct. 4,194,304 by default, which a walk through holes passes in about two seconds.
	MaxElements int64

	// MaxDepth bounds how deeply a value or a piece of source may be nested. 1,000 by default.
	MaxDepth int

	// MatchTimeout bounds the search for one match by the backtracking engine. 500 ms by default. It belongs to the
	// process: the first Install decides, and later ones with another value fail.
	MatchTimeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	if o.MaxElements == 0 {
		o.MaxElements = 1 << 22
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 1000
	}
	if o.MatchTimeout == 0 {
		o.MatchTimeout = 500 * time.Millisecond
	}
	return o
}

// matchTimeout sets the process-wide limit of the backtracking engine, once. The library reads it whenever it compiles a
// pattern and offers no other way to reach patterns that goja compiles, so this is process state by necessity.
var matchTimeout struct {
	sync.Once
	limit time.Duration
}

func setMatchTimeout(limit time.Duration) error {
	matchTimeout.Do(func() {
		regexp2.DefaultMatchTimeout = limit
		matchTimeout.limit = limit
	})
	if matchTimeout.limit != limit {
		return fmt.Errorf("the match timeout of this process is already %s", matchTimeout.limit)
	}
	return nil
}

// guard is the state of one runtime. It is used on the goroutine that runs the runtime.
type guard struct {
	Options
	rt       *goja.Runtime
	poll     func() // returns, or panics with the interrupt that was asked for
	newRange construct
	steps    int // rounds of loops inside the engine since the last poll

	isArrayCall native

	visitor  goja.Value       // the function that visit gives to forEach
	visiting func(goja.Value) // what it calls

	execObject goja.Value // RegExp.prototype.exec
	sourceOf   native     // the engine's getter of a RegExp's source

	joining    []*goja.Object // receivers of the joins that are under way, outermost first
	generators int            // nested calls of Generator.prototype.next
	locale     int            // nested calls of Array.prototype.toLocaleString
}

// pollEvery is how many elements a loop may handle between two looks for an interrupt.
const pollEvery = 4096

// Install fences in the built-ins of rt. It must be called on the goroutine that runs rt, once, before other code ran in
// it, and fails when goja is not built as this package knows it or when another MatchTimeout is in force; rt must not be
// used then.
//
// Direct eval becomes indirect: code that it runs sees globals only.
func Install(rt *goja.Runtime, opts Options) error {
	g := &guard{Options: opts.withDefaults(), rt: rt}
	if err := setMatchTimeout(g.MatchTimeout); err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	p := &patcher{guard: g}
	p.programs()
	p.errors()
	p.arrays()
	p.iterators()
	p.functions()
	p.strings()
	p.buffers()
	p.bigints()
	p.json()
	p.regexps()
	p.objects()
	p.source()
	if p.err != nil {
		return fmt.Errorf("guard: %w", p.err)
	}
	return nil
}

// rangeErrorf throws a RangeError.
func (g *guard) rangeErrorf(format string, args ...any) {
	message := g.rt.ToValue(fmt.Sprintf(format, args...))
	panic(g.newRange([]goja.Value{message}, nil))
}

// step counts one round of a loop inside the engine and looks for an interrupt now and then.
func (g *guard) step() {
	if g.steps++; g.steps >= pollEvery {
		g.steps = 0
		g.poll()
	}
}

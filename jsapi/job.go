package jsapi

import "time"

// Job describes a call: what it is, whose, and what it may take.
type Job struct {
	// Owner is what the called code belongs to; nil means the owner of the
	// function, else the isolate's own.
	Owner *Owner
	// Work says in errors what runs: "tool add_todo", "factory".
	Work string
	// Running bounds the time without yielding; 0 means no bound.
	Running time.Duration
	// Whole bounds the time until the job's promise settles; 0 means no bound.
	Whole time.Duration
	// Queue bounds the wait for the loop; 0 means [DefaultQueue].
	Queue time.Duration
	// Result is the form of the result.
	Result Form
}

// DefaultQueue is how long a job waits for its turn.
const DefaultQueue = 10 * time.Second

// Form says how a result leaves the isolate.
type Form int

// The forms of a result.
const (
	// AsData walks the result strictly; see value.go.
	AsData Form = iota
	// AsJSON gives what JSON.stringify makes of it, as json.RawMessage; nil for
	// undefined.
	AsJSON
	// AsReference keeps the value in the isolate.
	AsReference
	// AsNothing drops it.
	AsNothing
)

// OwnContext becomes, as an argument of [Isolate.Call], the context object of
// the call: its abortSignal aborts when the call's Go context ends or its time
// is up.
type OwnContext struct{}

// OwnSignal becomes, as an argument, the AbortSignal of the call.
type OwnSignal struct{}

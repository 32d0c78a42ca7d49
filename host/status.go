package host

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
)

// Status is the document of /proc/extensions (host-api section 3).
type Status struct {
	Good    *string `json:"good"`
	Current *string `json:"current"`
	Error   *string `json:"error"`

	Loading    *string            `json:"loading"`
	LoadedAt   *time.Time         `json:"loadedAt"`
	DurationMS *float64           `json:"durationMs"`
	Notice     *Notice            `json:"notice"`
	Extensions []ExtensionStatus  `json:"extensions"`
	Problems   []registry.Problem `json:"problems"`
	History    []LoadRecord       `json:"history"`

	Proven   *string             `json:"proven"`
	Skipped  *Skipped            `json:"skipped,omitempty"`
	Shadowed []registry.Shadowed `json:"shadowed,omitempty"`
	Draining []DrainingStatus    `json:"draining,omitempty"`
	// Unconfined lists what commands in the world are not kept from.
	Unconfined []string `json:"unconfined,omitempty"`
}

// TipIsLive reports whether the newest commit of the branch serves.
func (s Status) TipIsLive() bool {
	return s.Error == nil && s.Good != nil && s.Current != nil && *s.Good == *s.Current
}

// Notice is the latest message of an extension to the world's owner.
type Notice struct {
	Extension string    `json:"extension"`
	Message   string    `json:"message"`
	Time      time.Time `json:"time"`
}

// State says how an extension is.
type State string

// The states of an extension.
const (
	StateLive      State = "live"
	StateFailed    State = "failed"    // its isolate could not be replaced
	StateReplaced  State = "replaced"  // a built-in whose place a world extension took
	StateReplacing State = "replacing" // its isolate was lost; the next call makes another
)

// ExtensionStatus describes one extension.
type ExtensionStatus struct {
	Name     string           `json:"name"`
	Source   string           `json:"source"`
	Order    float64          `json:"order"`
	Tools    []string         `json:"tools"`
	Commands []string         `json:"commands"`
	Hooks    []string         `json:"hooks"`
	Services []string         `json:"services"`
	Sections []string         `json:"sections"`
	Tasks    []string         `json:"tasks"`
	Scopes   []registry.Scope `json:"scopes"`
	State    State            `json:"state"`
	Error    string           `json:"error,omitempty"`
	Calls    int              `json:"calls"` // in flight
	// Resources are the keys of the values kept across reloads.
	Resources []string `json:"resources,omitempty"`
	// Replaces names the built-in whose place this extension took.
	Replaces bool `json:"replaces,omitempty"`
}

// DrainingStatus is a generation that was replaced and still works.
type DrainingStatus struct {
	Commit string          `json:"commit"`
	Units  []registry.Unit `json:"units"`
}

// LoadRecord is one load of a commit, for the history.
type LoadRecord struct {
	Commit     string    `json:"commit"`
	Outcome    Outcome   `json:"outcome"`
	Error      string    `json:"error,omitempty"`
	At         time.Time `json:"at"`
	DurationMS float64   `json:"durationMs"`
	// Phases are the durations of the parts of the load, in milliseconds.
	Phases Phases `json:"phases"`
}

// Phases are the durations of the parts of a load, in milliseconds. Promote ends
// when calls reach the commit.
type Phases struct {
	Read     float64 `json:"read"`
	Compile  float64 `json:"compile"`
	Evaluate float64 `json:"evaluate"`
	Stage    float64 `json:"stage"`
	Promote  float64 `json:"promote"`
}

// Outcome says how a load ended.
type Outcome string

// The outcomes of a load.
const (
	Promoted  Outcome = "promoted"
	Refused   Outcome = "refused"
	Cancelled Outcome = "cancelled" // a newer commit came while this one took long
	Passed    Outcome = "skipped"   // on the list of commits that killed the harness
)

// historyLength is how many loads the status shows.
const historyLength = 20

// remember adds a load to the history.
func (r *Record) remember(load LoadRecord) {
	r.History = append(slices.Clone(r.History), load)
	if extra := len(r.History) - historyLength; extra > 0 {
		r.History = r.History[extra:]
	}
}

func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// status puts the document together from a record and what is live.
func (r Record) status() Status {
	status := Status{
		Good: optional(r.Good), Current: optional(r.Current), Error: optional(r.Error),
		Proven: optional(r.Proven), Skipped: r.Skipped,
		Extensions: []ExtensionStatus{}, Problems: []registry.Problem{}, History: []LoadRecord{},
	}
	if !r.LoadedAt.IsZero() {
		status.LoadedAt = &r.LoadedAt
		duration := milliseconds(r.Duration)
		status.DurationMS = &duration
	}
	status.History = append(status.History, r.History...)
	return status
}

// StoredStatus is the document of a world that no harness serves: what the
// record says, and no extensions.
func StoredStatus(record Record) Status { return record.status() }

// Status returns the document of /proc/extensions as it is now.
func (h *Host) Status() Status {
	h.mu.Lock()
	status := h.record.status()
	status.Loading, status.Notice = optional(h.loading), h.notice
	status.Problems = append(status.Problems, h.problems...)
	h.mu.Unlock()
	if failed := h.sessionProblem(); failed != nil {
		status.Problems = append(status.Problems, *failed)
	}
	generation := h.registry.Current()
	for _, member := range generation.Extensions() {
		status.Extensions = append(status.Extensions, h.describe(generation, member))
	}
	for _, member := range generation.Replaced() {
		replaced := h.describe(generation, member)
		replaced.State = StateReplaced
		status.Extensions = append(status.Extensions, replaced)
	}
	status.Shadowed = generation.Shadowed()
	for _, draining := range h.registry.Draining() {
		status.Draining = append(status.Draining, DrainingStatus{Commit: draining.Commit(), Units: draining.Units()})
	}
	if h.commands != nil {
		status.Unconfined = h.commands.Way().Unconfined
	}
	return status
}

func (h *Host) describe(generation *registry.Generation, member *registry.Member) ExtensionStatus {
	manifest, instance := member.Manifest(), member.Instance()
	described := ExtensionStatus{
		Name: member.Name(), Source: manifest.Source.String(), Order: manifest.Order, State: StateLive, Calls: member.Calls(),
		Tools: []string{}, Commands: []string{}, Hooks: []string{}, Services: []string{}, Sections: []string{}, Tasks: []string{},
		Scopes: manifest.Scopes,
	}
	if len(described.Scopes) == 0 {
		described.Scopes = []registry.Scope{registry.ScopeGlobal}
	}
	for _, tool := range instance.Tools {
		described.Tools = append(described.Tools, tool.Name)
	}
	for _, command := range instance.Commands {
		described.Commands = append(described.Commands, command.Name)
	}
	for _, hook := range instance.Hooks {
		described.Hooks = append(described.Hooks, string(hook.Kind))
	}
	for _, service := range instance.Services {
		described.Services = append(described.Services, service.ID)
	}
	for _, section := range instance.Sections {
		described.Sections = append(described.Sections, section.Key)
	}
	for _, task := range instance.Tasks {
		described.Tasks = append(described.Tasks, task.Definition.Name)
	}
	described.Replaces = manifest.Source == registry.SourceWorld && slices.ContainsFunc(generation.Replaced(), func(r *registry.Member) bool { return r.Name() == member.Name() })
	if err := member.Err(); err != nil {
		described.State, described.Error = StateFailed, err.Error()
	}
	if own, ok := member.Extension().(*extension); ok {
		own.describe(&described)
	}
	return described
}

// statusText is the document as JSON, for /proc/extensions.
func (h *Host) statusText() ([]byte, error) {
	text, err := json.MarshalIndent(h.Status(), "", "  ")
	return append(text, '\n'), err
}

package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
)

// Progress is one thing that a running tool published. One field is set.
type Progress struct {
	Output string
	// Skipped, with Output, is what was left out in front of it.
	Skipped    *Skipped
	Details    json.RawMessage
	Diagnostic *Diagnostic
}

// Skipped is output that was not delivered, because what follows it is more than
// the [OutputWindow].
type Skipped struct {
	Bytes, Lines int64 // Lines counts line feeds
	EndsLine     bool  // the last byte is a line feed
}

// SettledError says that a call was used after it had ended.
type SettledError struct{ CallID, Tool string }

func (e *SettledError) Error() string {
	return fmt.Sprintf("call %q of tool %q has settled", e.CallID, e.Tool)
}

// What is kept of what a running call publishes: of the output its first
// maxPublished and its last maxWindow bytes, and the first diagnostics, at most
// maxDiagnostics of maxPublished bytes together.
const (
	maxPublished   = 1 << 20
	maxWindow      = 64 << 10
	maxDiagnostics = 1000
)

// published gathers what a running call publishes.
type published struct {
	forwards    bool // and keeps nothing: the call's Progress does
	mu          sync.Mutex
	settled     bool
	output      []byte
	dropped     int    // bytes of output beyond maxPublished
	window      []byte // ends with the last maxWindow bytes of the output
	details     json.RawMessage
	diagnostics []Diagnostic
	remarked    int // bytes of the diagnostics
	unremarked  int // diagnostics that are not kept
}

// Output publishes text while the tool runs. A result without content has the
// published text. The error is a [*SettledError]. Safe for concurrent use, like
// the other methods.
func (c *Call) Output(text string) error {
	return c.publish(Progress{Output: text}, func(p *published) { p.write(text) })
}

// OutputAfter is Output of text in front of which output was left out. The error is a
// [*SettledError].
func (c *Call) OutputAfter(skipped Skipped, text string) error {
	return c.publish(Progress{Output: text, Skipped: &skipped}, func(p *published) { p.write(text) })
}

// Details publishes details. A result without details has the last ones. The
// error is a [*SettledError].
func (c *Call) Details(details json.RawMessage) error {
	return c.publish(Progress{Details: details}, func(p *published) { p.details = details })
}

// Diagnose adds a diagnostic, which stands before those of the result. The
// error is a [*SettledError].
func (c *Call) Diagnose(d Diagnostic) error {
	return c.publish(Progress{Diagnostic: &d}, func(p *published) { p.remark(d) })
}

// Retained gives the output so far as a result without content would have it: what
// [CallRuntime.RetainedOutput] gives, or without one the beginning, at most 1 MiB.
// The error is a [*SettledError].
func (c *Call) Retained() (string, error) {
	if c.Runtime != nil {
		return c.Runtime.RetainedOutput()
	}
	return c.shown(func(p *published) []byte { return p.output })
}

// Window gives the end of the output so far, at most 64 KiB; nothing with a
// [CallRuntime]. The error is a [*SettledError].
func (c *Call) Window() (string, error) {
	return c.shown((*published).end)
}

func (c *Call) shown(part func(*published) []byte) (string, error) {
	if c.published == nil {
		return "", &SettledError{CallID: c.ID, Tool: c.Tool}
	}
	c.published.mu.Lock()
	defer c.published.mu.Unlock()
	if c.published.settled {
		return "", &SettledError{CallID: c.ID, Tool: c.Tool}
	}
	return string(part(c.published)), nil
}

func (c *Call) publish(progress Progress, keep func(*published)) error {
	if c.published == nil {
		return &SettledError{CallID: c.ID, Tool: c.Tool}
	}
	c.published.mu.Lock()
	defer c.published.mu.Unlock()
	if c.published.settled {
		return &SettledError{CallID: c.ID, Tool: c.Tool}
	}
	if !c.published.forwards {
		keep(c.published)
	}
	if c.Progress != nil {
		c.Progress(progress)
	}
	return nil
}

// write keeps the beginning of the output, up to a whole character.
func (p *published) write(text string) {
	keep := len(text)
	if room := maxPublished - len(p.output); keep > room || p.dropped > 0 {
		keep = max(room, 0)
		if p.dropped > 0 {
			keep = 0
		}
		for keep > 0 && !utf8.RuneStart(text[keep]) {
			keep--
		}
	}
	p.output = append(p.output, text[:keep]...)
	p.dropped += len(text) - keep
	// Cut at twice its length: cutting each time would copy all of it each time.
	if p.window = append(p.window, text[max(len(text)-maxWindow, 0):]...); len(p.window) > 2*maxWindow {
		p.window = append(p.window[:0], p.end()...)
	}
}

// end is the end of the output, from a whole character on.
func (p *published) end() []byte {
	end := p.window
	if len(end) <= maxWindow {
		return end
	}
	for end = end[len(end)-maxWindow:]; len(end) > 0 && !utf8.RuneStart(end[0]); {
		end = end[1:]
	}
	return end
}

// remark keeps a diagnostic while there is room.
func (p *published) remark(d Diagnostic) {
	size := len(d.Severity) + len(d.Message)
	if len(p.diagnostics) == maxDiagnostics || p.remarked+size > maxPublished {
		p.unremarked++
		return
	}
	p.diagnostics, p.remarked = append(p.diagnostics, d), p.remarked+size
}

// settle ends publishing and completes the result with what was published.
func (p *published) settle(result *Result) *Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled = true
	if p.forwards {
		return result
	}
	r := *result
	if len(p.output) > 0 && len(r.Content) == 0 {
		r.Content = []Content{{Type: ContentText, Text: string(p.output)}}
	}
	if r.Details == nil {
		r.Details = p.details
	}
	r.Diagnostics = slices.Concat(p.diagnostics, r.Diagnostics)
	if p.unremarked > 0 {
		r.Diagnostics = append(r.Diagnostics, Diagnostic{Severity: "warn", Message: fmt.Sprintf(
			"there were too many diagnostics: %d of them are not kept", p.unremarked)})
	}
	if p.dropped > 0 {
		r.Diagnostics = append(r.Diagnostics, Diagnostic{Severity: "warn", Message: fmt.Sprintf(
			"the output was cut to its beginning: %d bytes of it are not kept", p.dropped)})
	}
	return &r
}

package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/agent/internal/pace"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/registry"
)

// outputRate is how many bytes of output a second are stored while a call runs.
const outputRate = 100 << 10

// What is kept of the diagnostics of a call: so many, of so many bytes together.
const (
	maxDiagnostics     = 1000
	maxDiagnosticBytes = 1 << 20
)

// publishing is what a running call has published so far, which is stored in its slot
// now and then.
type publishing struct {
	call  *toolCall
	pacer *pace.Pacer
	// told is told of everything too; nil for nobody.
	told func(registry.Progress)

	mu          sync.Mutex
	window      *output.Window
	details     json.RawMessage
	diagnostics []registry.Diagnostic
	bytes       int // of the diagnostics
	left        int // diagnostics that are not kept
	// written is what is stored of all that; of the pacer's goroutine.
	written written
}

// written is what a slot has of what its call published.
type written struct {
	output      string
	details     json.RawMessage
	diagnostics int
}

// size returns about how many bytes a commit writes that follows on w: what has not
// changed costs nothing.
func (w written) size(output string, details json.RawMessage, diagnostics []json.RawMessage) (size int) {
	if output != w.output {
		size += len(output)
	}
	if !bytes.Equal(details, w.details) {
		size += len(details)
	}
	for _, d := range diagnostics[w.diagnostics:] {
		size += len(d)
	}
	return size
}

func (c *toolCall) publishing() *publishing {
	limits := c.limits.WithDefaults()
	p := &publishing{call: c, told: c.harness.listener(c.run), window: output.NewWindow(output.Limits{
		Bytes: limits.MaxBytes, Lines: limits.MaxLines, Tail: limits.Retain == registry.RetainTail,
	})}
	p.pacer = &pace.Pacer{Clock: c.harness.clock, Interval: c.harness.Settings().Progress.OutputInterval, Rate: outputRate, Store: p.store}
	return p
}

// progress takes what the call publishes.
func (p *publishing) progress(news registry.Progress) {
	p.keep(news)
	p.pacer.Changed()
	if p.told != nil {
		p.told(news)
	}
}

func (p *publishing) keep(news registry.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := news.Skipped; s != nil {
		p.window.Skip(s.Bytes, s.Lines, s.EndsLine)
	}
	p.window.Write(news.Output)
	if news.Details != nil {
		p.details = news.Details
	}
	d := news.Diagnostic
	if d == nil {
		return
	}
	size := len(d.Severity) + len(d.Message) + len(d.Code)
	if len(p.diagnostics) == maxDiagnostics || p.bytes+size > maxDiagnosticBytes {
		p.left++
		return
	}
	p.diagnostics, p.bytes = append(p.diagnostics, *d), p.bytes+size
}

// retained is the output as a result without content has it.
func (p *publishing) retained() (string, output.Dropped) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.window.Retained()
}

// store commits what was published to the call's slot. It does not end with the call:
// what is on its way is stored.
func (p *publishing) store() (int, error) {
	text, gone := p.retained()
	p.mu.Lock()
	details, diagnostics := p.details, slices.Clone(p.diagnostics)
	p.mu.Unlock()
	encoded, err := encodedDiagnostics(diagnostics)
	if err != nil {
		return 0, err
	}
	size := p.written.size(text, details, encoded)
	run := p.call.run
	err = run.CommitUnlimited(context.Background(), func(_ context.Context, tx *durable.Tx) (toolNext, error) {
		return run.Unchanged(), p.call.slot.edit(tx, func(s *NestedSlot) {
			s.Output, s.DroppedBytes, s.DroppedLines = text, gone.Bytes, gone.Lines
			s.Details, s.Diagnostics = details, encoded
		})
	})
	p.written = written{text, details, len(encoded)}
	return size, err
}

// end stops storing: the rest belongs into the commit of the result.
func (p *publishing) end() { p.pacer.End() }

// settle tells who waits for what was published that it is stored with the result, or
// why it is not.
func (p *publishing) settle(err error) { p.pacer.Settle(err) }

// recorded is what was published, once nothing more is.
func (p *publishing) recorded() recorded {
	text, gone := p.retained()
	p.mu.Lock()
	defer p.mu.Unlock()
	r := recorded{output: text, gone: gone, details: p.details, before: slices.Clone(p.diagnostics)}
	if p.left > 0 {
		r.after = []registry.Diagnostic{{
			Severity: "warn", Code: "truncated", Message: fmt.Sprintf("there were too many diagnostics: %s of them are not kept", output.Grouped(p.left)),
		}}
	}
	return r
}

// droppedOf is how much of the output of a slot is not kept.
func droppedOf(s NestedSlot) output.Dropped {
	return output.Dropped{Bytes: s.DroppedBytes, Lines: s.DroppedLines}
}

func encodedDiagnostics(list []registry.Diagnostic) ([]json.RawMessage, error) {
	encoded := make([]json.RawMessage, 0, len(list))
	for _, d := range list {
		text, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, text)
	}
	return encoded, nil
}

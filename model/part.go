package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/model/message"
)

// Part is a block of a response that is being written. Several may be open at a time.
type Part struct {
	w      *Writer
	at     int
	kind   EventType // of its start
	text   strings.Builder
	id     string
	name   string
	sign   string
	closed message.Block

	// The arguments of a call as they were last read, and from how many bytes.
	arguments []byte
	read      int
}

// Text begins a text.
func (w *Writer) Text() (*Part, error) { return w.begin(&Part{kind: TextStart}) }

// Thinking begins thinking.
func (w *Writer) Thinking() (*Part, error) { return w.begin(&Part{kind: ThinkingStart}) }

// ToolCall begins a tool call, whose appended text is the JSON of its arguments. An
// empty id, and one that another call of the response has, is replaced at the end.
func (w *Writer) ToolCall(id, name string) (*Part, error) {
	return w.begin(&Part{kind: ToolCallStart, id: id, name: name})
}

func (w *Writer) begin(part *Part) (*Part, error) {
	if err := w.Start(); err != nil {
		return nil, err
	}
	part.w = w
	part.id, part.name = validText(part.id), validText(part.name)
	w.mu.Lock()
	part.at = len(w.parts)
	w.parts = append(w.parts, part)
	err := w.grow(blockOverhead + len(part.id) + len(part.name))
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	w.open = append(w.open, part)
	return part, w.send(Event{Type: part.kind, ContentIndex: part.at})
}

// Append adds text. What is not UTF-8 becomes U+FFFD. Nothing is told of an empty one.
func (p *Part) Append(delta string) error {
	switch {
	case p.closed != nil:
		return errEnded
	case delta == "":
		return p.w.check()
	}
	delta = validText(delta)
	p.w.mu.Lock()
	p.text.WriteString(delta)
	err := p.w.grow(len(delta))
	p.w.mu.Unlock()
	if err != nil {
		return err
	}
	return p.w.send(Event{Type: p.says(TextDelta, ThinkingDelta, ToolCallDelta), ContentIndex: p.at, Delta: delta})
}

// Name sets the id and the name of a tool call as far as they are not empty: servers
// may tell them late.
func (p *Part) Name(id, name string) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if id != "" {
		p.id = validText(id)
	}
	if name != "" {
		p.name = validText(name)
	}
}

// Sign sets the provider's signature on the block, to be sent back with it.
func (p *Part) Sign(signature string) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.sign = validText(signature)
}

// Close ends the block. A second call does nothing.
func (p *Part) Close() error {
	if p.closed != nil {
		return p.w.check()
	}
	p.w.mu.Lock()
	if p.kind == ToolCallStart && p.w.taken(p) {
		p.id = fmt.Sprintf("call_%d_%d", p.w.began.UnixMilli(), p.at)
	}
	block := p.complete()
	p.closed = block
	p.w.mu.Unlock()
	if at := slices.Index(p.w.open, p); at >= 0 {
		p.w.open = slices.Delete(p.w.open, at, at+1)
	}
	event := Event{Type: p.says(TextEnd, ThinkingEnd, ToolCallEnd), ContentIndex: p.at}
	switch block := block.(type) {
	case *message.ToolCall:
		event.ToolCall = block
	default:
		event.Content = p.text.String()
	}
	return p.w.send(event)
}

// taken says whether a call has no id of its own.
func (w *Writer) taken(call *Part) bool {
	if call.id == "" || w.ids[call.id] {
		return true
	}
	if w.ids == nil {
		w.ids = make(map[string]bool)
	}
	w.ids[call.id] = true
	return false
}

// says picks the event of the part's kind.
func (p *Part) says(text, thinking, call EventType) EventType {
	switch p.kind {
	case TextStart:
		return text
	case ThinkingStart:
		return thinking
	}
	return call
}

// complete returns the block when its end is known.
func (p *Part) complete() message.Block {
	switch p.kind {
	case TextStart:
		return &message.Text{Text: p.text.String(), TextSignature: p.sign}
	case ThinkingStart:
		return &message.Thinking{Thinking: p.text.String(), ThinkingSignature: p.sign}
	}
	arguments, flaw := ParseArguments(p.text.String())
	return &message.ToolCall{ID: p.id, Name: p.name, Arguments: arguments, ThoughtSignature: p.sign, ArgumentsError: flaw}
}

// block returns the block as far as it is written. The arguments of a call may lag behind
// a little, unless they are to be exact.
func (p *Part) block(exact bool) message.Block {
	switch {
	case p.closed != nil:
		return p.closed
	case p.kind != ToolCallStart:
		return p.complete()
	}
	// Reading begins at the beginning each time. A long text is therefore read again when
	// it has grown by a part of itself, which takes linear time in all.
	const short, part = 4 << 10, 8
	if n := p.text.Len(); p.arguments == nil || p.read < n && (exact || n <= short || n-p.read >= p.read/part) {
		p.arguments, p.read = PartialArguments(p.text.String()), n
	}
	return &message.ToolCall{ID: p.id, Name: p.name, Arguments: p.arguments, ThoughtSignature: p.sign}
}

// validText replaces what is not UTF-8.
func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

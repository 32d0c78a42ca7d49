package faux

import (
	"container/list"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// keptBytes is how large the cached prompts may be together. Those that were not used
// for longest go first.
const keptBytes = 64 << 20

// prompts are the last prompts of sessions.
type prompts struct {
	mu       sync.Mutex
	sessions map[string]*list.Element
	used     list.List // of *cached, the newest first
	size     int
}

type cached struct{ session, prompt string }

// swap caches the prompt of a session, and returns the one before.
func (p *prompts) swap(session, prompt string) (before string, had bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if element, ok := p.sessions[session]; ok {
		before, had = element.Value.(*cached).prompt, true
		p.drop(element)
	}
	if p.sessions == nil {
		p.sessions = make(map[string]*list.Element)
	}
	p.sessions[session] = p.used.PushFront(&cached{session, prompt})
	p.size += len(prompt)
	for p.size > keptBytes && p.used.Len() > 1 {
		p.drop(p.used.Back())
	}
	return before, had
}

func (p *prompts) drop(element *list.Element) {
	entry := p.used.Remove(element).(*cached)
	delete(p.sessions, entry.session)
	p.size -= len(entry.prompt)
}

// usage counts a request and the content of its response.
func (p *Provider) usage(request model.Request, content message.Blocks) message.Usage {
	prompt := Prompt(request.Messages)
	usage := message.Usage{Input: tokens(model.Units(prompt)), Output: tokens(model.Units(spoken(content)))}
	usage.TotalTokens = usage.Input + usage.Output
	if request.SessionID == "" || request.Options.CacheRetention == model.CacheNone {
		return usage
	}
	if before, had := p.prompts.swap(request.SessionID, prompt); had {
		usage.CacheRead = tokens(model.Units(prompt[:commonPrefix(before, prompt)]))
	}
	usage.CacheWrite = max(usage.Input-usage.CacheRead, 0)
	usage.Input = 0
	usage.TotalTokens = usage.Output + usage.CacheRead + usage.CacheWrite
	return usage
}

// commonPrefix returns how many bytes both texts begin with, in whole characters.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	at := 0
	for at < n && a[at] == b[at] {
		at++
	}
	for at > 0 && at < len(b) && !utf8.RuneStart(b[at]) {
		at--
	}
	return at
}

// Prompt returns the text by which prompts are compared and counted: each message
// with its role, its text, and the tools that it adds and removes, where it stands.
func Prompt(transcript message.Messages) string {
	var text strings.Builder
	for i, m := range transcript {
		if i > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(string(m.Role()))
		text.WriteString(":")
		text.WriteString(shown(m))
	}
	return text.String()
}

// shown returns what a model sees of a message.
func shown(m message.Message) string {
	switch m := m.(type) {
	case *message.System:
		return shownSystem(m)
	case *message.User:
		if m.Content.Blocks == nil {
			return m.Content.Text
		}
		return spoken(m.Content.Blocks)
	case *message.Assistant:
		return spoken(m.Content)
	case *message.ToolResult:
		if len(m.Content) == 0 {
			return m.ToolName
		}
		return m.ToolName + "\n" + spoken(m.Content)
	}
	return ""
}

func shownSystem(m *message.System) string {
	var parts []string
	if text := model.SystemText(m); text != "" {
		parts = append(parts, text)
	}
	for _, tool := range m.ToolsRemoved {
		parts = append(parts, "tool-:"+asJSON(tool))
	}
	for _, tool := range m.ToolsAdded {
		parts = append(parts, "tool+:"+asJSON(tool))
	}
	return strings.Join(parts, "\n")
}

// asJSON returns a value of package message as it is stored; one that cannot be stored
// is never sent.
func asJSON(value interface{ MarshalJSON() ([]byte, error) }) string {
	text, err := value.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// spoken returns blocks as text, one below the other.
func spoken(blocks message.Blocks) string {
	lines := make([]string, 0, len(blocks))
	for _, block := range blocks {
		switch block := block.(type) {
		case *message.Text:
			lines = append(lines, block.Text)
		case *message.Thinking:
			lines = append(lines, block.Thinking)
		case *message.ToolCall:
			lines = append(lines, block.Name+":"+arguments(block))
		case *message.Image:
			lines = append(lines, "[image:"+block.MimeType+":"+strconv.Itoa(len(block.Data))+"]")
		}
	}
	return strings.Join(lines, "\n")
}

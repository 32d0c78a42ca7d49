package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/model/message"
)

// CurrentSystem returns the one system message that the system messages of a
// transcript amount to, or nil when there is none. Its content is theirs, joined by
// blank lines. A section that is set again keeps its place, one that was removed and
// is set again comes last; so do tools. It shares its parts with the transcript.
func CurrentSystem(transcript message.Messages) *message.System {
	var content []string
	var sections message.Sections
	var current *message.System
	for _, m := range transcript {
		system, ok := m.(*message.System)
		if !ok {
			continue
		}
		if current == nil {
			current = &message.System{Timestamp: system.Timestamp}
		}
		if text := system.Text(); text != "" {
			content = append(content, text)
		}
		for _, change := range system.Sections {
			sections = changed(sections, change)
		}
	}
	if current == nil {
		return nil
	}
	current.Content.Text = strings.Join(content, "\n\n")
	current.Sections = sections
	current.ToolsAdded = Tools(transcript)
	return current
}

// changed makes one change to sections that are in force.
func changed(sections message.Sections, change message.Section) message.Sections {
	at := slices.IndexFunc(sections, func(s message.Section) bool { return s.Name == change.Name })
	switch {
	case change.Removed && at >= 0:
		return slices.Delete(sections, at, at+1)
	case change.Removed:
		return sections
	case at >= 0:
		sections[at] = change
		return sections
	}
	return append(sections, change)
}

// SystemPrompt returns the text of the prompt that a transcript amounts to: content and
// sections, joined by blank lines. It is empty without one.
func SystemPrompt(transcript message.Messages) string {
	if system := CurrentSystem(transcript); system != nil {
		return SystemText(system)
	}
	return ""
}

// SystemText returns a system message as a whole prompt: its content and then the
// texts of its sections, joined by blank lines.
func SystemText(system *message.System) string {
	parts := []string{system.Text()}
	for _, section := range system.Sections {
		if !section.Removed {
			parts = append(parts, section.Text)
		}
	}
	return joinParagraphs(parts)
}

// SystemUpdateText returns a later system message as the model is told of it where it
// stands: its content, and each change of a section with the section's name. It is
// empty when only tools change.
func SystemUpdateText(system *message.System) string {
	parts := []string{system.Text()}
	for _, section := range system.Sections {
		if section.Removed {
			parts = append(parts, `The section "`+section.Name+`" of the system prompt is removed.`)
		} else {
			parts = append(parts, `The section "`+section.Name+`" of the system prompt is now:`+"\n\n"+section.Text)
		}
	}
	return joinParagraphs(parts)
}

// joinParagraphs joins what is not empty by blank lines.
func joinParagraphs(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// Collapse returns a transcript for protocols whose prompt is fixed: the system message
// of [CurrentSystem] first, and no other.
func Collapse(transcript message.Messages) message.Messages {
	collapsed := make(message.Messages, 0, len(transcript))
	if system := CurrentSystem(transcript); system != nil {
		collapsed = append(collapsed, system)
	}
	for _, m := range transcript {
		if m.Role() != message.RoleSystem {
			collapsed = append(collapsed, m)
		}
	}
	return collapsed
}

// Tools returns the tools that the model may call at the end of a transcript, in the
// order in which they were added; nil when there are none.
func Tools(transcript message.Messages) []message.ToolDeclaration {
	var tools toolSet
	for _, m := range transcript {
		if system, ok := m.(*message.System); ok {
			tools.change(system)
		}
	}
	return tools.list()
}

// toolSet are tools by name, in the order of their addition.
type toolSet struct {
	order  []*message.ToolDeclaration // nil where one was removed
	places map[string]int
}

func (s *toolSet) change(system *message.System) {
	for _, removed := range system.ToolsRemoved {
		if at, ok := s.places[removed.Name]; ok {
			s.order[at] = nil
			delete(s.places, removed.Name)
		}
	}
	for i := range system.ToolsAdded {
		added := &system.ToolsAdded[i]
		if at, ok := s.places[added.Name]; ok {
			s.order[at] = added
			continue
		}
		if s.places == nil {
			s.places = make(map[string]int)
		}
		s.places[added.Name] = len(s.order)
		s.order = append(s.order, added)
	}
}

func (s *toolSet) list() []message.ToolDeclaration {
	var tools []message.ToolDeclaration
	for _, tool := range s.order {
		if tool != nil {
			tools = append(tools, *tool)
		}
	}
	return tools
}

// ToolChanges returns what a system message has to add and to remove so that the tools
// previous become current. A tool whose declaration differs is removed and added.
// Both are nil when the tools are the same, in whatever order.
func ToolChanges(previous, current []message.ToolDeclaration) (added []message.ToolDeclaration, removed []message.ToolReference) {
	before, after := declarations(previous), declarations(current)
	for _, tool := range current {
		if other, ok := before[tool.Name]; !ok || !SameDeclaration(other, tool) {
			added = append(added, tool)
		}
	}
	for _, tool := range previous {
		if other, ok := after[tool.Name]; !ok || !SameDeclaration(tool, other) {
			removed = append(removed, message.ToolReference{Name: tool.Name})
		}
	}
	return added, removed
}

// declarations are tools by name.
func declarations(tools []message.ToolDeclaration) map[string]message.ToolDeclaration {
	named := make(map[string]message.ToolDeclaration, len(tools))
	for _, tool := range tools {
		named[tool.Name] = tool
	}
	return named
}

// SameDeclaration says whether two tools are the same to a model: name, description,
// the text of the parameters without white space, and how sampling is constrained.
func SameDeclaration(a, b message.ToolDeclaration) bool {
	const sampling = "constrainedSampling"
	left, _ := a.Extra.Get(sampling)
	right, _ := b.Extra.Get(sampling)
	return a.Name == b.Name && a.Description == b.Description && sameJSON(a.Parameters, b.Parameters) && sameJSON(left, right)
}

// sameJSON says whether two texts of JSON differ in white space only. Nothing is {}.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return bytes.Equal(compactJSON(a), compactJSON(b))
}

func compactJSON(text json.RawMessage) []byte {
	if len(text) == 0 {
		return []byte("{}")
	}
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return text
	}
	return compact.Bytes()
}

package registry

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Section is a part of the system prompt.
type Section struct {
	Key string // ^[a-z][a-z0-9_-]*$; "instructions" is reserved
	// Untagged leaves the text as it is. Otherwise it stands between <key> and </key>,
	// each on a line of its own.
	Untagged bool
	// Render writes the text before each request; shown false leaves the section out.
	// It gives the same text for the same input. An error, a panic or its time limit
	// is reported, and the section stays as it was shown last.
	Render func(ctx context.Context, input SectionInput) (text string, shown bool, err error)
	Where  Position
}

// SectionInput is what sections are written from.
type SectionInput struct {
	Conversation record.ConversationID
	Agent        *Agent // its tools are those of the request
	Env          Env    // nil when there is none, or it failed
	// Shown are the sections in effect, in their order, with their tags.
	Shown     message.Sections
	Documents durable.Documents // as they are stored
}

// instructions is the key of the section that the agent itself writes.
const instructions = "instructions"

// boundSection is a section with the extension it came from, and whose code renders
// it: that of the last wrap.
type boundSection struct {
	Section
	extension string
	member    *Member
	what      string
}

// RenderSections writes the agent's sections, in order, with their tags: what the
// prompt is to be. The input's agent is this one. The error is the cause of ctx, when
// that ended.
func (a *Agent) RenderSections(ctx context.Context, input SectionInput) (message.Sections, error) {
	input.Agent = a
	sections := message.Sections{}
	for _, s := range a.sections {
		section, shown, err := a.render(ctx, s, input)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			a.generation.report(attributed(s.member, s.what, err))
			section, shown = shownSection(input.Shown, s.Key)
		}
		if shown {
			sections = append(sections, section)
		}
	}
	if a.Instructions != "" {
		sections = append(sections, message.Section{Name: instructions, Text: tagged(instructions, a.Instructions)})
	}
	return sections, nil
}

func (a *Agent) render(ctx context.Context, s *boundSection, input SectionInput) (section message.Section, shown bool, err error) {
	text, err := invoke(ctx, s.member, s.what, a.generation.limits.Hook, func(ctx context.Context) (text string, err error) {
		text, shown, err = s.Render(ctx, input)
		if err == nil && shown {
			err = checkSize("its text", len(text), maxText)
		}
		return text, err
	})
	if !s.Untagged {
		text = tagged(s.Key, text)
	}
	return message.Section{Name: s.Key, Text: text}, shown, err
}

func tagged(key, text string) string { return "<" + key + ">\n" + text + "\n</" + key + ">" }

func shownSection(shown message.Sections, key string) (section message.Section, found bool) {
	for _, s := range shown {
		if s.Name == key && !s.Removed {
			return s, true
		}
	}
	return section, false
}

// Package prompt compares the prompt that a model was shown with the one that it is to
// have, and plans the entries that lead from one to the other (section 7.4 of the
// pi-durable specification).
package prompt

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// State is a prompt: its sections and its tools, both in order.
type State struct {
	Sections message.Sections
	Tools    []message.ToolDeclaration
}

// Shown returns what the system messages of a transcript amount to. It shares its
// parts with the transcript.
func Shown(transcript message.Messages) State {
	current := model.CurrentSystem(transcript)
	if current == nil {
		return State{}
	}
	return State{current.Sections, current.ToolsAdded}
}

// Plan returns the entries that are to be appended to a context so that its prompt is
// the desired one; none when it is. The time is in milliseconds since 1970.
func Plan(context durable.ContextView, desired State, now int64) []durable.EntryDraft {
	if context.Head != nil && !told(context) {
		baseline := &message.System{Sections: desired.Sections, ToolsAdded: desired.Tools, Timestamp: now}
		draft := entry(baseline)
		draft.Edits = omissions(context)
		return []durable.EntryDraft{draft}
	}
	shown := Shown(context.Messages)
	changes := sections(shown.Sections, desired.Sections, now)
	removed, added := tools(shown.Tools, desired.Tools)
	if len(removed)+len(added) > 0 {
		if len(changes) == 0 {
			changes = []*message.System{{Timestamp: now}}
		}
		last := changes[len(changes)-1]
		last.ToolsRemoved, last.ToolsAdded = removed, added
	}
	var drafts []durable.EntryDraft
	for _, change := range changes {
		drafts = append(drafts, entry(change))
	}
	return drafts
}

func entry(m *message.System) durable.EntryDraft {
	return durable.EntryDraft{Kind: durable.SystemEntry, Model: message.Messages{m}}
}

// told says whether a prompt was written after the context was begun anew: what is
// left of earlier ones is changes of a prompt that is gone.
func told(context durable.ContextView) bool {
	return slices.ContainsFunc(context.Entries, func(e record.Entry) bool {
		return e.Kind == durable.SystemEntry && e.ID > context.Head.ID
	})
}

// omissions leave out what is left of earlier prompts.
func omissions(context durable.ContextView) (edits []record.Edit) {
	for _, e := range context.Entries {
		if e.Kind == durable.SystemEntry {
			edits = append(edits, record.Edit{Target: e.ID, Action: record.Omit})
		}
	}
	return edits
}

// sections returns the messages that lead from sections to others. What stays keeps its
// place and what is new comes last; where that is not the desired order all go first.
func sections(shown, desired message.Sections, now int64) []*message.System {
	var patch message.Sections
	var order []string
	for _, s := range shown {
		if slices.ContainsFunc(desired, named(s.Name)) {
			order = append(order, s.Name)
			continue
		}
		patch = append(patch, message.Section{Name: s.Name, Removed: true})
	}
	for _, d := range desired {
		switch at := slices.IndexFunc(shown, named(d.Name)); {
		case at < 0:
			order = append(order, d.Name)
			patch = append(patch, d)
		case shown[at].Text != d.Text:
			patch = append(patch, d)
		}
	}
	if slices.EqualFunc(order, desired, func(name string, d message.Section) bool { return d.Name == name }) {
		if len(patch) == 0 {
			return nil
		}
		return []*message.System{{Sections: patch, Timestamp: now}}
	}
	var all message.Sections
	for _, s := range shown {
		all = append(all, message.Section{Name: s.Name, Removed: true})
	}
	return []*message.System{{Sections: all, Timestamp: now}, {Sections: desired, Timestamp: now}}
}

func named(name string) func(message.Section) bool {
	return func(s message.Section) bool { return s.Name == name }
}

// tools returns what leads from tools to others. One that is declared otherwise goes
// and comes back; where what comes, which is last, is not the desired order all do.
func tools(offered, desired []message.ToolDeclaration) (removed []message.ToolReference, added []message.ToolDeclaration) {
	added, removed = model.ToolChanges(offered, desired)
	result := model.Tools(message.Messages{&message.System{ToolsAdded: offered}, &message.System{ToolsRemoved: removed, ToolsAdded: added}})
	if slices.EqualFunc(result, desired, func(a, b message.ToolDeclaration) bool { return a.Name == b.Name }) {
		return removed, added
	}
	removed = nil
	for _, o := range offered {
		removed = append(removed, message.ToolReference{Name: o.Name})
	}
	return removed, desired
}

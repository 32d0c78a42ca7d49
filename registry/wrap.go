package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Wrap puts an extension's code around a tool or a section of whoever provides it,
// where the extension is selected. One of the names is set, with its function, which
// is pure: it gives another value and does not change the one it got. A wrap whose
// target is not there does nothing.
type Wrap struct {
	Tool    string
	Section string
	// WrapTool gives what stands in the tool's place: its declaration, validation,
	// replay policy and execution. The name stays. inner may be called, with the call
	// that Execute got or a changed copy of it.
	WrapTool func(ctx context.Context, inner Tool) (Tool, error)
	// WrapSection gives what stands in the section's place. The key stays.
	WrapSection func(ctx context.Context, inner Section) (Section, error)
	Where       Position
}

// boundWrap is a wrap with its extension.
type boundWrap struct {
	Wrap
	member *Member
	what   string
}

// wrap applies the wraps of the selected extensions, in order, and reports whether
// all of them went well.
func (s *selection) wrap(ctx context.Context) (whole bool) {
	whole = true
	for _, part := range s.extensions {
		for _, w := range part.wraps {
			if err := s.apply(ctx, w); err != nil {
				whole = false
				if ctx.Err() == nil {
					s.generation.report(attributed(w.member, w.what, err))
				}
			}
		}
	}
	return whole
}

// apply puts one wrap around its target. On an error the target is gone.
func (s *selection) apply(ctx context.Context, w boundWrap) error {
	if i := toolIndex(s.tools, w.Tool); i >= 0 {
		wrapped, err := s.generation.wrapTool(ctx, w, s.tools[i])
		if err != nil {
			s.tools = slices.Delete(s.tools, i, i+1)
			return err
		}
		s.tools[i] = wrapped
	}
	if i := sectionIndex(s.sections, w.Section); i >= 0 {
		wrapped, err := s.generation.wrapSection(ctx, w, s.sections[i])
		if err != nil {
			s.sections = slices.Delete(s.sections, i, i+1)
			return err
		}
		s.sections[i] = wrapped
	}
	return nil
}

func (g *Generation) wrapTool(ctx context.Context, w boundWrap, inner *BoundTool) (*BoundTool, error) {
	outer, err := invoke(ctx, w.member, w.what, g.limits.Hook, func(ctx context.Context) (Tool, error) {
		return w.WrapTool(ctx, inner.layer(g.limits))
	})
	if err != nil {
		return nil, err
	}
	if outer.Name != inner.Name {
		return nil, fmt.Errorf("gives the tool %q the name %q; a wrap keeps the name", inner.Name, outer.Name)
	}
	bound, defects := bindTool(g.wrapped, w.member, outer)
	if len(defects) > 0 {
		return nil, fmt.Errorf("gives a tool that is not valid: %s", defects[0].message)
	}
	bound.Extension, bound.what = inner.Extension, w.what
	return bound, nil
}

// layer is the tool as a wrap around it gets it: each function runs as one of the
// extension it came from.
func (t *BoundTool) layer(limits Limits) Tool {
	inner := t.Tool
	inner.Execute = func(ctx context.Context, call *Call) (*Result, error) {
		return invoke(ctx, t.member, t.what, 0, func(ctx context.Context) (*Result, error) { return t.Execute(ctx, call) })
	}
	if t.PrepareArguments != nil {
		inner.PrepareArguments = func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			return invoke(ctx, t.member, t.what, limits.Hook, func(ctx context.Context) (json.RawMessage, error) {
				return t.PrepareArguments(ctx, arguments)
			})
		}
	}
	return inner
}

func (g *Generation) wrapSection(ctx context.Context, w boundWrap, inner *boundSection) (*boundSection, error) {
	outer, err := invoke(ctx, w.member, w.what, g.limits.Hook, func(ctx context.Context) (Section, error) {
		return w.WrapSection(ctx, inner.layer(g.limits))
	})
	if err != nil {
		return nil, err
	}
	if outer.Key != inner.Key {
		return nil, fmt.Errorf("gives the section %q the key %q; a wrap keeps the key", inner.Key, outer.Key)
	}
	if outer.Render == nil {
		return nil, fmt.Errorf("gives the section %q no render function", inner.Key)
	}
	return &boundSection{Section: outer, extension: inner.extension, member: w.member, what: w.what}, nil
}

// layer is the section as a wrap around it gets it.
func (s *boundSection) layer(limits Limits) Section {
	inner := s.Section
	inner.Render = func(ctx context.Context, input SectionInput) (text string, shown bool, err error) {
		text, err = invoke(ctx, s.member, s.what, limits.Hook, func(ctx context.Context) (text string, err error) {
			text, shown, err = s.Render(ctx, input)
			return text, err
		})
		return text, shown, err
	}
	return inner
}

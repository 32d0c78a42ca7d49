package agent

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// shapedResult is a result as it is stored.
type shapedResult struct {
	message *message.ToolResult
	// diagnostics are all of them; the message shows them to the model.
	diagnostics []registry.Diagnostic
	control     *control
}

// failure is the beginning of what a failed call has to say; "" for others.
func (s *shapedResult) failure() string { return beginning(s.message.IsError, s.message.Text()) }

// beginning is the beginning of a text that tells a failure; "" when there is none.
func beginning(failed bool, text string) string {
	const most = 500
	switch {
	case !failed:
		return ""
	case len(text) > most:
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// shaped makes a result what models and transcripts take: text within limits, the
// diagnostics in a block of their own at its end, and nothing that is not JSON.
func (h *Harness) shaped(call, tool string, result *registry.Result, limits registry.OutputLimits) *shapedResult {
	s := &shapedResult{diagnostics: slices.Clone(result.Diagnostics)}
	s.message = &message.ToolResult{
		ToolCallID: call, ToolName: tool, Usage: result.Usage, IsError: result.IsError, Timestamp: h.milliseconds(),
	}
	content, gone := bounded(result.Content, limits)
	if gone.Bytes > 0 {
		s.diagnostics = append(s.diagnostics, truncated(limits, gone))
	}
	if result.Details != nil && !(json.Valid(result.Details) && utf8.Valid(result.Details)) {
		s.diagnostics = append(s.diagnostics, wrong("the details of the result are not JSON, and are left out"))
	} else {
		s.message.Details = result.Details
	}
	if result.Control != nil {
		var asked control
		if err := json.Unmarshal(result.Control, &asked); err != nil {
			s.diagnostics = append(s.diagnostics, wrong("the control of the result is not { addTools?: string[], terminate?: boolean, handoff?: string }, and is left out"))
		} else {
			s.control = &asked
		}
	}
	s.message.Content = append(content, block(s.diagnostics)...)
	return s
}

// wrong is a diagnostic of a result that is not what it must be.
func wrong(what string) registry.Diagnostic {
	return registry.Diagnostic{Severity: "error", Code: "invalid_result", Message: what}
}

// bounded returns content within limits, which are those of all its text together, and
// how much of the text was left out.
func bounded(content []registry.Content, limits registry.OutputLimits) (message.Blocks, output.Dropped) {
	limits = limits.WithDefaults()
	left := output.Limits{Bytes: limits.MaxBytes, Lines: limits.MaxLines, Tail: limits.Retain == registry.RetainTail}
	blocks := message.Blocks{}
	var gone output.Dropped
	order := slices.Clone(content)
	if left.Tail {
		slices.Reverse(order)
	}
	for _, c := range order {
		if c.Type == registry.ContentImage {
			blocks = append(blocks, &message.Image{Data: base64.StdEncoding.EncodeToString(c.Data), MimeType: c.MIMEType})
			continue
		}
		text := strings.ToValidUTF8(c.Text, "�")
		if cut, dropped := cut(text, left); dropped.Bytes > 0 {
			text = cut
			gone.Bytes, gone.Lines = gone.Bytes+dropped.Bytes, gone.Lines+dropped.Lines
			if cut == "" {
				continue
			}
		}
		left.Bytes, left.Lines = left.Bytes-len(text), left.Lines-strings.Count(text, "\n")
		blocks = append(blocks, &message.Text{Text: text})
	}
	if left.Tail {
		slices.Reverse(blocks)
	}
	return blocks, gone
}

// cut keeps the part of a text that is within limits, and returns how much is not.
func cut(text string, limits output.Limits) (string, output.Dropped) {
	limits.Bytes, limits.Lines = max(limits.Bytes, 0), max(limits.Lines, 0)
	if len(text) <= limits.Bytes && strings.Count(text, "\n") < limits.Lines {
		return text, output.Dropped{}
	}
	return output.Cut(text, limits)
}

// truncated tells that a text was cut.
func truncated(limits registry.OutputLimits, gone output.Dropped) registry.Diagnostic {
	kept := "beginning"
	if limits.Retain == registry.RetainTail {
		kept = "end"
	}
	return registry.Diagnostic{Severity: "warn", Code: "truncated", Message: fmt.Sprintf(
		"output truncated to its %s: %s lines, %s bytes dropped", kept, output.Grouped(gone.Lines), output.Grouped(gone.Bytes))}
}

// The diagnostics that a model is shown are bounded, each and together. The stored ones
// are whole.
var (
	remark  = output.Limits{Bytes: 8 << 10, Lines: 200}
	remarks = output.Limits{Bytes: 32 << 10, Lines: 1000, Tail: true} // what failed a call is the last
)

// block is the part of a result that shows diagnostics to the model.
func block(diagnostics []registry.Diagnostic) message.Blocks {
	if len(diagnostics) == 0 {
		return nil
	}
	var text strings.Builder
	for _, d := range diagnostics {
		shown, gone := cut(strings.ToValidUTF8(d.Message, "�"), remark)
		fmt.Fprintf(&text, "[%s] %s\n", d.Severity, shown)
		if gone.Bytes > 0 {
			fmt.Fprintf(&text, "[%s bytes dropped]\n", output.Grouped(gone.Bytes))
		}
	}
	shown, gone := cut(text.String(), remarks)
	if gone.Bytes > 0 {
		shown = fmt.Sprintf("[%s bytes of remarks dropped]\n%s", output.Grouped(gone.Bytes), shown)
	}
	return message.Blocks{&message.Text{Text: "<harness>\n" + shown + "</harness>"}}
}

// appendResult appends a result, and counts its usage.
func appendResult(tx *durable.Tx, conversation record.ConversationID, s *shapedResult) (record.EntryID, error) {
	diagnostics, err := encodedDiagnostics(s.diagnostics)
	if err != nil {
		return 0, err
	}
	draft, err := durable.ToolResultEntry.Draft(durable.ToolResultData{Diagnostics: diagnostics})
	if err != nil {
		return 0, err
	}
	draft.Model = message.Messages{s.message}
	entry, err := tx.AppendEntry(conversation, draft)
	if err != nil {
		return 0, err
	}
	return entry.ID, durable.AddUsage(tx, conversation, s.message)
}

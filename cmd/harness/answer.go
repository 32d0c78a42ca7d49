package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// answerPrinter prints what goes on in a conversation until an input is settled.
type answerPrinter struct {
	program      *program
	json         bool
	conversation record.ConversationID
	writing      bool            // a message of the model is under way
	shown        strings.Builder // its text so far
}

// agentEvent is what is printed of an agent event.
type agentEvent struct {
	Type    string          `json:"type"`
	Message json.RawMessage `json:"message"`
	Entry   *record.Entry   `json:"entry"`
	Changes []struct {
		Type    string          `json:"type"`
		Delta   string          `json:"delta"`
		Block   *textBlock      `json:"block"`
		Message json.RawMessage `json:"message"`
	} `json:"changes"`
	ToolName     string          `json:"toolName"`
	Args         json.RawMessage `json:"args"`
	ErrorMessage string          `json:"errorMessage"`
	Reason       string          `json:"reason"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// print prints one line of the answer.
func (a *answerPrinter) print(line control.SubmitLine) error {
	if line.Begun != nil {
		a.begin(*line.Begun)
		return nil
	}
	if a.json {
		_, err := fmt.Fprintf(a.program.out, "%s\n", line.Event)
		return err
	}
	var event agentEvent
	if err := json.Unmarshal(line.Event, &event); err != nil {
		return fmt.Errorf("read an agent event: %w", err)
	}
	return a.show(event)
}

func (a *answerPrinter) begin(begun control.Begun) {
	a.conversation = begun.Conversation
	if begun.Scripted {
		fmt.Fprintf(a.program.err, "harness: no model is configured, so the scripted model %s answers; see harness models\n", begun.Model)
	}
	fmt.Fprintf(a.program.err, "conversation %d\n", begun.Conversation)
}

func (a *answerPrinter) show(event agentEvent) error {
	switch event.Type {
	case "message_start":
		return a.whole(event.Message)
	case "message_update":
		for _, change := range event.Changes {
			switch {
			case change.Type == "text_start" && change.Block != nil:
				a.write(change.Block.Text)
			case change.Type == "text_delta":
				a.write(change.Delta)
			case change.Type == "message":
				if err := a.whole(change.Message); err != nil {
					return err
				}
			}
		}
	case "message_end":
		if event.Entry != nil && len(event.Entry.Model) == 1 {
			if answer, is := event.Entry.Model[0].(*message.Assistant); is {
				a.upTo(answer)
				a.end()
			}
		}
	case "tool_execution_start":
		a.remark("%s %s", event.ToolName, event.Args)
	case "auto_retry_start":
		a.remark("the model failed, and is asked again: %s", event.ErrorMessage)
	case "compaction_start":
		a.remark("the conversation is summarized (%s)", event.Reason)
	}
	return nil
}

// whole shows a message of the model as far as it goes.
func (a *answerPrinter) whole(text json.RawMessage) error {
	var partial struct {
		Role    string      `json:"role"`
		Content []textBlock `json:"content"`
	}
	var role struct {
		Role string `json:"role"`
	}
	if err := json.Unmarshal(text, &role); err != nil || role.Role != "assistant" {
		return err
	}
	if err := json.Unmarshal(text, &partial); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	var said strings.Builder
	for _, block := range partial.Content {
		if block.Type == "text" {
			said.WriteString(block.Text)
		}
	}
	a.rest(said.String())
	return nil
}

// upTo shows what is not shown yet of a message that has ended.
func (a *answerPrinter) upTo(answer *message.Assistant) {
	var said strings.Builder
	for _, block := range answer.Content {
		if text, is := block.(*message.Text); is {
			said.WriteString(text.Text)
		}
	}
	a.rest(said.String())
}

// rest shows what a text has beyond what is shown; another text on a line of its own.
func (a *answerPrinter) rest(text string) {
	if rest, goesOn := strings.CutPrefix(text, a.shown.String()); goesOn {
		a.write(rest)
		return
	}
	a.end()
	a.write(text)
}

func (a *answerPrinter) write(text string) {
	if text == "" {
		return
	}
	a.writing = true
	a.shown.WriteString(text)
	fmt.Fprint(a.program.out, a.program.out.content(text))
}

// remark prints a line beside the answer.
func (a *answerPrinter) remark(format string, arguments ...any) {
	fmt.Fprintln(a.program.err, a.program.err.paint(dim, visible(fmt.Sprintf(format, arguments...))))
}

// end ends the line of a message.
func (a *answerPrinter) end() {
	if a.writing && !strings.HasSuffix(a.shown.String(), "\n") {
		fmt.Fprintln(a.program.out)
	}
	a.writing = false
	a.shown.Reset()
}

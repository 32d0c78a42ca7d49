package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
)

// client holds of a conversation what its events tell, and has nothing but their JSON.
type client struct {
	t      testing.TB
	events *agent.Events

	mu      sync.Mutex
	holds   picture
	batches [][]agent.Event
	ended   error
	done    chan struct{}
}

// picture is what a client shows.
type picture struct {
	Entries     []json.RawMessage
	Run         any // its first input: inputs that join it are not told of
	Message     map[string]any
	Retry       any
	Tools       map[string]map[string]any // those that run, by their ids
	Nested      map[string]string
	Compactions map[string]any
	Inbox       any
	Agent       any
	Usage       any
}

// events returns a client of the root conversation, which takes each batch as it comes.
func (h *harness) client() *client {
	h.t.Helper()
	events, err := h.WatchEvents(context.Background(), h.root().ID())
	if err != nil {
		h.t.Fatal(err)
	}
	c := &client{t: h.t, events: events, done: make(chan struct{})}
	c.holds = c.pictureOf(events.Snapshot())
	go c.take()
	h.t.Cleanup(func() {
		events.Close()
		<-c.done
		var end *durable.WatchEndError
		if !errors.As(c.ended, &end) {
			h.t.Errorf("the events have ended with %v", c.ended)
		}
	})
	return c
}

func (c *client) take() {
	defer close(c.done)
	for {
		batch, err := c.events.Next(context.Background())
		if err != nil {
			c.ended = err
			return
		}
		c.mu.Lock()
		c.batches = append(c.batches, batch)
		for _, e := range batch {
			c.apply(e)
		}
		c.mu.Unlock()
	}
}

// check compares what the client holds with how everything stands now.
func (c *client) check(h *harness) {
	c.t.Helper()
	now, err := h.WatchEvents(context.Background(), h.root().ID())
	if err != nil {
		c.t.Fatal(err)
	}
	defer now.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	want := c.pictureOf(now.Snapshot())
	want.Nested = c.holds.Nested
	if diff := cmp.Diff(want, c.holds); diff != "" {
		c.t.Fatalf("after %d batches the client holds something else (-there +held):\n%s", len(c.batches), diff)
	}
}

// fields is the JSON of an event.
func (c *client) fields(e agent.Event) map[string]json.RawMessage {
	text, err := json.Marshal(e)
	if err != nil {
		c.t.Error(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		c.t.Error(err)
	}
	return fields
}

func (c *client) read(text json.RawMessage) (parsed any) {
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		c.t.Error(err)
	}
	return parsed
}

func (c *client) pictureOf(snapshot agent.Event) picture {
	f := c.fields(snapshot)
	p := picture{Tools: map[string]map[string]any{}, Nested: map[string]string{}, Compactions: map[string]any{}}
	if err := json.Unmarshal(f["entries"], &p.Entries); err != nil {
		c.t.Error(err)
	}
	if run, is := c.read(f["run"]).(map[string]any); is {
		p.Run = run["inputs"].([]any)[0]
	}
	p.Inbox, p.Agent, p.Usage = c.read(f["inbox"]), c.read(f["agent"]), c.read(f["usage"])
	if generation, is := c.read(f["generation"]).(map[string]any); is {
		p.Message, _ = generation["message"].(map[string]any)
		if retry, is := generation["retry"].(map[string]any); is {
			p.Retry = retry["at"]
		}
	}
	for _, slot := range c.read(f["tools"]).([]any) {
		slot := slot.(map[string]any)
		if slot["status"] == "running" {
			p.Tools[slot["callId"].(string)] = shownOf(slot)
		}
	}
	for _, status := range c.read(f["compactions"]).([]any) {
		status := status.(map[string]any)
		p.Compactions[fmt.Sprint(status["taskId"])] = status["reason"]
	}
	return p
}

// shownOf is what a running call shows.
func shownOf(slot map[string]any) map[string]any {
	shown := map[string]any{"output": "", "details": nil, "diagnostics": []any{}}
	for name, value := range slot {
		if _, is := shown[name]; is {
			shown[name] = value
		}
	}
	return shown
}

func (c *client) apply(e agent.Event) {
	f := c.fields(e)
	id, _ := c.read(f["toolCallId"]).(string)
	_, nested := f["parentToolCallId"]
	switch e.Type {
	case agent.EventSnapshot:
		c.holds = c.pictureOf(e)
	case agent.EventRunStart:
		c.holds.Run = c.read(f["inputs"]).([]any)[0]
	case agent.EventRunEnd:
		c.holds.Run = nil
	case agent.EventMessageStart:
		if message, _ := c.read(f["message"]).(map[string]any); message["role"] == "assistant" {
			c.holds.Message = message
		}
	case agent.EventMessageUpdate:
		c.holds.Message["usage"] = c.read(f["usage"])
		for _, change := range c.read(f["changes"]).([]any) {
			c.holds.Message = changed(c.holds.Message, change.(map[string]any))
		}
	case agent.EventMessageEnd, agent.EventEntryAppended:
		if e.Entry.Kind == durable.AssistantEntry {
			c.holds.Message = nil
		}
		c.append(f["entry"], int64(e.Entry.Head))
	case agent.EventToolStart, agent.EventToolEnd, agent.EventToolUpdate:
		c.applyTool(e.Type, f, id, nested)
	case agent.EventInboxUpdate:
		c.holds.Inbox = c.read(f["items"])
	case agent.EventRetryStart:
		c.holds.Retry = c.read(f["at"])
	case agent.EventRetryEnd:
		c.holds.Retry = nil
	case agent.EventAgentChanged:
		c.holds.Agent = c.read(f["agent"])
	case agent.EventUsageChanged:
		c.holds.Usage = c.read(f["usage"])
	case agent.EventCompactionStart:
		c.holds.Compactions[fmt.Sprint(c.read(f["taskId"]))] = c.read(f["reason"])
	case agent.EventCompactionEnd:
		delete(c.holds.Compactions, fmt.Sprint(c.read(f["taskId"])))
	}
}

func (c *client) applyTool(kind agent.EventType, f map[string]json.RawMessage, id string, nested bool) {
	switch {
	case nested && kind == agent.EventToolStart:
		c.holds.Nested[id] = "running"
	case nested && kind == agent.EventToolEnd:
		c.holds.Nested[id] = "ended"
	case nested:
	case kind == agent.EventToolStart:
		c.holds.Tools[id] = shownOf(nil)
	case kind == agent.EventToolEnd:
		delete(c.holds.Tools, id)
	default:
		shown := c.holds.Tools[id]
		if f["details"] != nil {
			shown["details"] = c.read(f["details"])
		}
		if f["diagnostics"] != nil {
			shown["diagnostics"] = c.read(f["diagnostics"])
		}
		if output, is := c.read(f["output"]).(map[string]any); is {
			shown["output"] = published(shown["output"].(string), output)
		}
	}
}

// published applies a change of output to what there was of it.
func published(before string, change map[string]any) string {
	if set, is := change["set"].(string); is {
		return set
	}
	units := utf16.Encode([]rune(before))
	if trimmed, is := change["trimStart"].(float64); is {
		units = units[int(trimmed):]
	}
	added, _ := change["append"].(string)
	return string(utf16.Decode(units)) + added
}

// append adds an entry, which may begin the context at another one or at itself.
func (c *client) append(entry json.RawMessage, head int64) {
	if head == 0 {
		c.holds.Entries = append(c.holds.Entries, entry)
		return
	}
	kept := slices.DeleteFunc(slices.Clone(c.holds.Entries), func(other json.RawMessage) bool {
		var known struct{ ID, Head int64 }
		if err := json.Unmarshal(other, &known); err != nil {
			c.t.Error(err)
		}
		return known.Head != 0 || known.ID < head
	})
	c.holds.Entries = append([]json.RawMessage{entry}, kept...)
}

// changed applies a change to a message.
func changed(message, change map[string]any) map[string]any {
	if change["type"] == "message" {
		return change["message"].(map[string]any)
	}
	content, index := message["content"].([]any), int(change["contentIndex"].(float64))
	added, _ := change["delta"].(string)
	switch change["type"] {
	case "text_start", "thinking_start", "toolcall_start":
		content = append(content, change["block"])
	case "block":
		content[index] = change["block"]
	case "text_delta":
		block := content[index].(map[string]any)
		block["text"] = block["text"].(string) + added
	case "thinking_delta":
		block := content[index].(map[string]any)
		block["thinking"] = block["thinking"].(string) + added
	case "toolcall_delta":
		content[index].(map[string]any)["arguments"] = lengthened(content[index].(map[string]any)["arguments"], change["path"].([]any), added)
	}
	message["content"] = content
	return message
}

// lengthened adds to the string at a path.
func lengthened(value any, path []any, added string) any {
	if len(path) == 0 {
		return value.(string) + added
	}
	switch key := path[0].(type) {
	case string:
		value.(map[string]any)[key] = lengthened(value.(map[string]any)[key], path[1:], added)
	case float64:
		value.([]any)[int(key)] = lengthened(value.([]any)[int(key)], path[1:], added)
	}
	return value
}

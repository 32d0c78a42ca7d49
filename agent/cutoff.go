package agent

import (
	"encoding/json"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// cutOff has the last that providers said of requests that were aborted, by the tasks
// that made them, until their abort stores it: a phase cannot, once an abort is
// requested. It is gone with the process.
type cutOff struct {
	mu        sync.Mutex
	responses map[record.TaskID]*message.Assistant
}

// put keeps a response that tells something and can be stored, and which may be nil.
func (c *cutOff) put(task record.TaskID, response *message.Assistant) {
	if response == nil || len(response.Content) == 0 && response.Usage.TotalTokens == 0 {
		return
	}
	text, err := json.Marshal(response)
	if err != nil {
		return
	}
	kept := new(message.Assistant)
	if err := json.Unmarshal(text, kept); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.responses == nil {
		c.responses = make(map[record.TaskID]*message.Assistant)
	}
	c.responses[task] = kept
}

// get returns the response of a task, nil for none. It is not to be changed.
func (c *cutOff) get(task record.TaskID) *message.Assistant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.responses[task]
}

// drop forgets the response of a task that has ended.
func (c *cutOff) drop(task record.TaskID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.responses, task)
}

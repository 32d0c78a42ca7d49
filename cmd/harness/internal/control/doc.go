// Package control is how commands reach a running harness: HTTP/1.1 over the unix
// socket in the world's state directory. Anybody who can open the socket can do
// what the harness can, so it belongs to its user alone (mode 0600).
//
// A request has one JSON document or nothing; an answer that comes bit by bit is
// one JSON document a line. A client that goes away ends what it asked for, and so
// does one that leaves more than 4 MiB unread of what a tool publishes; the output
// of a command waits for its reader until the harness stops. A conversation goes on
// without the client that has submitted to it.
package control

import (
	"encoding/json"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// The paths of the requests.
const (
	pathStatus = "/v1/status" // GET: host.Status; with ?settled of when the newest commit has been loaded
	pathTools  = "/v1/tools"  // GET: a list of Tool
	pathCall   = "/v1/call"   // POST CallRequest: lines of callLine
	pathExec   = "/v1/exec"   // POST ExecRequest: lines of execLine
	pathReload = "/v1/reload" // POST: host.Status
	pathBackup = "/v1/backup" // GET: the backup, and how it ended in the trailer backupTrailer
	pathCheck  = "/v1/check"  // POST: lines of checkLine
	pathStats  = "/v1/stats"  // GET: host.DatabaseStats

	pathModels        = "/v1/models"        // GET: a list of Model
	pathConversations = "/v1/conversations" // POST: lines of listLine, each a Conversation
	pathShow          = "/v1/show"          // POST conversationRequest: lines of listLine, each an entry
	pathSubmit        = "/v1/submit"        // POST SubmitRequest: lines of submitLine
	pathAbort         = "/v1/abort"         // POST conversationRequest: done
	pathInspect       = "/v1/inspect"       // GET: Inspection
)

// CallRequest asks for a call of a tool.
type CallRequest struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // a JSON object; empty means {}
}

// callLine is one line of the answer to a [CallRequest]: what the tool publishes,
// and last its result.
type callLine struct {
	Output     string               `json:"output,omitempty"`
	Details    json.RawMessage      `json:"details,omitempty"`
	Diagnostic *registry.Diagnostic `json:"diagnostic,omitempty"`
	Result     *registry.Result     `json:"result,omitempty"`
}

// ExecRequest asks for a command to be run in the world.
type ExecRequest struct {
	Argv      []string     `json:"argv"`
	Dir       string       `json:"dir,omitempty"` // world path
	Env       []run.EnvVar `json:"env,omitempty"`
	TimeoutMS int64        `json:"timeoutMs,omitempty"` // 0 is none
	Stdin     []byte       `json:"stdin,omitempty"`
}

// execLine is one line of the answer to an [ExecRequest]: output, and last how the
// command ended or why it did not start.
type execLine struct {
	Stdout []byte      `json:"stdout,omitempty"`
	Stderr []byte      `json:"stderr,omitempty"`
	Exit   *run.Result `json:"exit,omitempty"` // without the streams
	Error  *execError  `json:"error,omitempty"`
}

// execError is why a command did not run to its end. One with a code is a
// [run.StartError].
type execError struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Dir     string `json:"dir,omitempty"`
}

// Tool describes a tool that can be called.
type Tool struct {
	Name        string          `json:"name"`
	Extension   string          `json:"extension"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// Tools lists the tools of a generation, in the order of their extensions.
func Tools(generation *registry.Generation) []Tool {
	list := []Tool{}
	for _, tool := range generation.Tools() {
		list = append(list, Tool{
			Name: tool.Name, Extension: tool.Extension, Description: tool.Description, Parameters: tool.Parameters,
		})
	}
	return list
}

// failure is the answer to a request that could not be served.
type failure struct {
	Error string `json:"error"`
}

// Command is the request as package run takes it. Its output goes to onOutput only.
func (r ExecRequest) Command(onOutput func(text string, stream run.Stream)) run.Command {
	return run.Command{
		Argv: r.Argv, Dir: r.Dir, Env: r.Env, Stdin: r.Stdin, Timeout: time.Duration(r.TimeoutMS) * time.Millisecond,
		MaxBytes: 1, OnOutput: onOutput,
	}
}

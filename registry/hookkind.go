package registry

import (
	"slices"
	"strings"
)

// HookKind names a place where extensions take part.
type HookKind string

// The kinds of hooks. [HookToolCall] is also written ToolTask.beforeTool, and
// [HookToolResult] ToolTask.afterTool. These two and the kinds of the durable tasks
// run; the others are declared, validated and listed.
const (
	HookBeforeAgentStart HookKind = "before_agent_start"
	HookToolCall         HookKind = "tool_call"
	HookToolResult       HookKind = "tool_result"
	HookAgentEnd         HookKind = "agent_end"
	HookSessionStart     HookKind = "session_start"
	HookSessionShutdown  HookKind = "session_shutdown"

	HookBeforeRequest HookKind = "GenerationTask.beforeRequest"
	HookAfterResponse HookKind = "GenerationTask.afterResponse"
	HookOnYield       HookKind = "GenerationTask.onYield"
	HookAfterTools    HookKind = "GenerationTask.afterTools"
	HookOnAbort       HookKind = "ToolTask.onAbort"
	HookBeforeCompact HookKind = "CompactionTask.beforeCompact"
)

// Kinds that a manifest declares to say that an extension brings tools or
// commands. No hook has them.
const (
	HookTool    HookKind = "tool"
	HookCommand HookKind = "command"
)

// HookKinds lists the kinds of hooks in the spelling of the constants, in the
// order of the documentation.
func HookKinds() []HookKind {
	return []HookKind{
		HookBeforeAgentStart, HookToolCall, HookToolResult, HookAgentEnd, HookSessionStart, HookSessionShutdown,
		HookBeforeRequest, HookAfterResponse, HookOnYield, HookAfterTools, HookOnAbort, HookBeforeCompact,
	}
}

// The names of the engine's own tasks. Names of others do not begin with "pi.".
const (
	TaskGeneration = "pi.generation"
	TaskTool       = "pi.tool"
	TaskCompaction = "pi.compaction"
	// TaskWork stands for work of the process for a conversation, such as a command.
	TaskWork = "harness.work"

	enginePrefix = "pi."
)

// TaskHook is the kind of a handler that an extension attaches to a durable
// task, such as ("pi.tool", "beforeTool") or a task of an extension's own.
func TaskHook(task, handler string) HookKind {
	switch task {
	case TaskGeneration:
		task = "GenerationTask"
	case TaskTool:
		task = "ToolTask"
	case TaskCompaction:
		task = "CompactionTask"
	}
	return HookKind(task + "." + handler).Canonical()
}

// Canonical gives the one spelling of the kind that the framework uses.
func (k HookKind) Canonical() HookKind {
	switch k {
	case "ToolTask.beforeTool":
		return HookToolCall
	case "ToolTask.afterTool":
		return HookToolResult
	case "Tool":
		return HookTool
	case "Command":
		return HookCommand
	}
	return k
}

// known reports whether the canonical kind k exists: a kind of this package, or
// a handler of a task that an extension declares itself.
func (k HookKind) known() bool {
	switch k {
	case HookTool, HookCommand:
		return true
	}
	if k.builtin() {
		return true
	}
	task, handler, ok := k.cut()
	switch task {
	case "GenerationTask", "ToolTask", "CompactionTask":
		return false
	}
	return ok && task != "" && handler != ""
}

// builtin reports whether the canonical kind k is one of this package.
func (k HookKind) builtin() bool { return slices.Contains(HookKinds(), k) }

func (k HookKind) cut() (task, handler string, ok bool) {
	i := strings.LastIndexByte(string(k), '.')
	if i < 0 {
		return "", "", false
	}
	return string(k[:i]), string(k[i+1:]), true
}

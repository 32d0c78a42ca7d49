package bind

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// agentObject is an agent as JavaScript sees it: extensions, tools and sections are
// plain data that stand for their names.
func agentObject(agent *registry.Agent) *jsapi.Object {
	shown := jsapi.NewObject("thinkingLevel", agent.Thinking)
	if agent.Model != nil {
		shown.Set("model", agent.Model)
	}
	extensions, sections := &jsapi.Array{}, &jsapi.Array{}
	for _, member := range agent.Extensions() {
		extensions.Items = append(extensions.Items, jsapi.NewObject("name", member.Name()))
	}
	for _, section := range agent.Sections() {
		sections.Items = append(sections.Items, sectionObject(section.Value))
	}
	shown.Set("extensions", extensions).Set("sections", sections)
	shown.Set("tools", toolObjects(agent.Tools())).Set("modelTools", toolObjects(agent.ModelTools())).Set("callableTools", toolObjects(agent.CallableTools()))
	if agent.Instructions != "" {
		shown.Set("instructions", agent.Instructions)
	}
	if agent.Cwd != "" {
		shown.Set("cwd", agent.Cwd)
	}
	return shown
}

func toolObjects(tools []*registry.BoundTool) *jsapi.Array {
	list := &jsapi.Array{}
	for _, tool := range tools {
		list.Items = append(list.Items, toolObject(&tool.Tool))
	}
	return list
}

// toolObject is what a tool says of itself, with the members of its extension's own.
func toolObject(tool *registry.Tool) *jsapi.Object {
	shown := &jsapi.Object{}
	var own map[string]json.RawMessage
	if json.Unmarshal(tool.Metadata, &own) == nil {
		for _, key := range slices.Sorted(maps.Keys(own)) {
			shown.Set(key, own[key])
		}
	}
	shown.Set("name", tool.Name).Set("description", tool.Description).Set("parameters", tool.Parameters)
	if tool.Replay == registry.ReplaySafe {
		shown.Set("replay", "safe")
	}
	if tool.ExecutionMode == registry.ExecutionSequential {
		shown.Set("executionMode", "sequential")
	}
	if len(tool.Callers) > 0 {
		shown.Set("callers", tool.Callers)
	}
	if tool.StructuredOutput != nil {
		shown.Set("structuredOutput", tool.StructuredOutput)
	}
	if tool.ConstrainedSampling != nil {
		shown.Set("constrainedSampling", tool.ConstrainedSampling)
	}
	if limits := tool.OutputLimits; limits != (registry.OutputLimits{}) {
		shown.Set("outputLimits", outputLimits{MaxBytes: limits.MaxBytes, MaxLines: limits.MaxLines, Retain: string(limits.Retain)})
	}
	if tool.Timeout > 0 {
		shown.Set("timeout", tool.Timeout.Seconds())
	}
	return shown
}

// outputLimits are the limits of a tool's output as authors write them.
type outputLimits struct {
	MaxBytes int    `json:"maxBytes,omitempty"`
	MaxLines int    `json:"maxLines,omitempty"`
	Retain   string `json:"retain,omitempty"`
}

func sectionObject(section registry.Section) *jsapi.Object {
	shown := jsapi.NewObject("key", section.Key)
	if section.Untagged {
		shown.Set("tag", false)
	}
	return shown
}

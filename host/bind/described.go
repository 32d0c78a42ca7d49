package bind

import (
	"encoding/json"

	"github.com/seed-d579e5eb/harness/registry"
)

// describedTool is a tool as script/declaration.ts describes it.
type describedTool struct {
	Name, Description, Parameters string
	Replay, ExecutionMode         string
	Timeout                       float64
	Prepares                      bool
	Callers                       []registry.Caller
	OutputLimits                  *outputLimits
	StructuredOutput              json.RawMessage
	ConstrainedSampling           json.RawMessage
	Metadata                      json.RawMessage
}

// tool is the tool without its functions.
func (d *describedTool) tool(where registry.Position) registry.Tool {
	declared := registry.Tool{
		Name: d.Name, Description: d.Description, Parameters: json.RawMessage(d.Parameters),
		ExecutionMode: executionMode(d.ExecutionMode), Where: where, Timeout: timeLimit(d.Timeout), Callers: d.Callers,
		StructuredOutput: d.StructuredOutput, ConstrainedSampling: d.ConstrainedSampling, Metadata: d.Metadata,
	}
	if d.Replay == string(registry.ReplaySafe) {
		declared.Replay = registry.ReplaySafe
	}
	if limits := d.OutputLimits; limits != nil {
		declared.OutputLimits = registry.OutputLimits{MaxBytes: limits.MaxBytes, MaxLines: limits.MaxLines, Retain: registry.Retain(limits.Retain)}
		if limits.Retain == "head" {
			declared.OutputLimits.Retain = registry.RetainHead
		}
	}
	return declared
}

// describedTask is a task as script/declaration.ts describes it.
type describedTask struct {
	Name     string
	Version  int
	Phases   []string
	Migrates bool
}

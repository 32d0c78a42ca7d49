package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
)

// oneStream has the shell write errors where the rest of the output goes, so that both
// are seen in the order in which they were written.
const oneStream = "exec 2>&1; "

// Bash returns a tool that runs commands under the world's shell.
func Bash(options Options) registry.Tool {
	limits := registry.OutputLimits{Retain: registry.RetainTail}.WithDefaults()
	return registry.Tool{
		Name: "bash",
		Description: "Run a command in the shell, in the working folder, and show what it writes to standard output and standard error. " +
			"Of a long output the end is shown, with a remark about the file that has all of it. Nothing of a command runs on after the call.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"command":{"type":"string","minLength":1,"description":"The command."},` +
			`"timeout":{"type":"number","exclusiveMinimum":0,"description":"Seconds after which the command is ended; none by default."}},` +
			`"required":["command"],"additionalProperties":false}`),
		OutputLimits: limits,
		Execute: func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			args, err := arguments[struct {
				Command string
				Timeout float64
			}](call)
			if err != nil {
				return nil, err
			}
			args.Command = oneStream + args.Command
			if options.CommandPrefix != "" {
				args.Command = options.CommandPrefix + "\n" + args.Command
			}
			spill := registry.NewSpill(call.Env, limits.MaxBytes, limits.MaxLines)
			command := registry.ExecCommand{
				Shell: args.Command, Dir: folder(call), Timeout: seconds(args.Timeout), MaxBytes: 1,
				OnOutput: func(text, _ string) {
					spill.Write(ctx, text)
					_ = call.Output(text) // a call that has settled shows nothing
				},
			}
			ended, err := call.Env.Exec(ctx, command)
			path, spillErr := spill.End(ctx)
			diagnose(call, path, spillErr)
			if err != nil {
				return nil, err
			}
			return ran(ended, args.Timeout, path), nil
		},
	}
}

// seconds is a time limit of a call; one that a duration cannot hold is none.
func seconds(limit float64) time.Duration {
	if limit >= float64(1<<63-1)/float64(time.Second) {
		return 0
	}
	return time.Duration(limit * float64(time.Second))
}

// diagnose says where the complete output is.
func diagnose(call *registry.Call, path string, err error) {
	switch {
	case err != nil:
		_ = call.Diagnose(registry.Diagnostic{Severity: "warn", Code: "not_spilled", Message: "the complete output could not be kept: " + err.Error()})
	case path != "":
		_ = call.Diagnose(registry.Diagnostic{Severity: "info", Code: "spilled", Message: "the complete output is in " + path})
	}
}

// ran is the result of a command that has ended. What it wrote is published.
func ran(ended registry.CommandResult, timeout float64, path string) *registry.Result {
	var details struct {
		ExitCode *int   `json:"exitCode,omitempty"`
		Spilled  string `json:"spillPath,omitempty"`
	}
	details.Spilled = path
	why := registry.Diagnostic{Severity: "error", Code: "exit_code", Message: fmt.Sprintf("the command ended with exit code %d", ended.Code)}
	if ended.TimedOut {
		why.Code, why.Message = "timeout", fmt.Sprintf("the command was ended after its time limit of %s s", strconv.FormatFloat(timeout, 'f', -1, 64))
	} else {
		details.ExitCode = &ended.Code
	}
	result := &registry.Result{Details: encoded(details)}
	if ended.TimedOut || ended.Code != 0 {
		result.IsError, result.Diagnostics = true, []registry.Diagnostic{why}
	}
	return result
}

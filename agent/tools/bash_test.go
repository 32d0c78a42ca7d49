package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/agent/tools"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestBashShowsWhatACommandWrites(t *testing.T) {
	w := newWorld(t, tools.Options{CommandPrefix: "greeting=hello"})
	w.expect("hello\nworld\n", "bash", "command", "echo $greeting; echo world >&2")
	w.expect("", "bash", "command", "true")
}

func TestACommandThatFailsIsAnErrorWithItsOutput(t *testing.T) {
	w := newWorld(t, tools.Options{})
	w.expect("error|before\n|[error exit_code] the command ended with exit code 3", "bash", "command", "echo before; exit 3")
	w.expect("error|before\n|[error timeout] the command was ended after its time limit of 0.5 s", "bash", "command", "echo before; sleep 100", "timeout", 0.5)
	if got := w.call("bash", "command", "exit 3"); got.Code != "" || string(got.Details) != `{"exitCode":3}` {
		t.Errorf("code %q, details %s", got.Code, got.Details)
	}
}

func TestAnAbortedCommandEndsWithWhatItWrote(t *testing.T) {
	w := newWorld(t, tools.Options{})
	ctx, abort := context.WithCancelCause(context.Background())
	result := w.tools.CallTool(ctx, registry.Call{
		ID: "c1", Tool: "bash", Arguments: json.RawMessage(`{"command":"echo started; sleep 100"}`), Env: w.env,
		Progress: func(registry.Progress) { abort(errors.New("enough")) },
	})
	if result.Code != registry.CodeAborted || len(result.Content) != 1 || result.Content[0].Text != "started\n" {
		t.Errorf("%s", summary(result))
	}
}

func TestAllOfALongOutputIsInAFile(t *testing.T) {
	w := newWorld(t, tools.Options{})
	for _, command := range []string{"seq 1 2001", "head -c 60000 /dev/zero | tr '\\0' x", "seq 1 200000", "seq 1 3000; exit 4"} {
		result := w.call("bash", "command", command)
		said := regexp.MustCompile(`\[info spilled\] the complete output is in (/tmp/output-\w+\.log)`).FindStringSubmatch(summary(result))
		if said == nil {
			t.Fatalf("%s: %s", command, summary(result)[max(len(summary(result))-300, 0):])
		}
		if strings.Contains(command, "exit") != result.IsError {
			t.Errorf("%s: error = %v", command, result.IsError)
		}
		whole := w.read(said[1])
		if shown := result.Content[0].Text; !strings.HasPrefix(whole, shown) && whole != shown || strings.HasPrefix(command, "seq 1 200000") && !strings.HasSuffix(whole, "\n200000\n") {
			t.Errorf("%s: the file has %d bytes, %d are shown", command, len(whole), len(shown))
		}
	}
	w.expect("x\n", "bash", "command", "echo x")
	kept, err := filepath.Glob(filepath.Join(w.dir, "tmp", "*"))
	if err != nil || len(kept) != 4 {
		t.Errorf("%v, %v", kept, err)
	}
}

func TestWithoutAnEnvironmentEveryToolSaysSo(t *testing.T) {
	w := newWorld(t, tools.Options{})
	for tool, arguments := range map[string]string{
		"read": `{"path":"f"}`, "write": `{"path":"f","content":""}`, "edit": `{"path":"f","edits":[{"oldText":"a","newText":"b"}]}`, "bash": `{"command":"true"}`,
	} {
		result := w.tools.CallTool(t.Context(), registry.Call{ID: "c1", Tool: tool, Arguments: json.RawMessage(arguments)})
		if failure, failed := result.Failure(); !failed || !strings.Contains(failure.Message, "without an environment") {
			t.Errorf("%s: %s", tool, summary(result))
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "f")); err == nil {
		t.Error("a file was made")
	}
}

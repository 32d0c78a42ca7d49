package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

const decisionsFile = "testdata/decisions.txt"

// TestDecisionsOfGates runs the table of testdata/decisions.txt.
func TestDecisionsOfGates(t *testing.T) {
	text, err := os.ReadFile(decisionsFile)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	for i, block := range blocks {
		if strings.HasPrefix(block, "#") {
			continue
		}
		input, want, ok := strings.Cut(block+"\n", "---\n")
		if !ok {
			t.Fatalf("block %d has no line:\n%s", i, block)
		}
		name, gates, _ := strings.Cut(input, "\n")
		got := ""
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { got = decide(t, gates) }) // only what hangs runs into a limit
		})
		if *update {
			blocks[i] = input + "---\n" + strings.TrimSuffix(got, "\n")
		} else if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(decisionsFile, []byte(strings.Join(blocks, "\n\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// decide runs the chain that the lines describe and describes what happened.
func decide(t *testing.T, lines string) string {
	var ran, asked []string
	var approver registry.Approver
	var extensions []*extension
	for line := range strings.Lines(lines) {
		who, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		verb, text, _ := strings.Cut(rest, " ")
		if who == "approver" {
			approver = func(_ context.Context, ask registry.Approval) (bool, error) {
				for _, reason := range ask.Reasons {
					asked = append(asked, fmt.Sprintf("%s: %s, on %s", reason.Extension, reason.Reason, ask.Call.Arguments))
				}
				if verb == "fails" {
					return true, errors.New(text)
				}
				return verb == "yes", nil
			}
			continue
		}
		extensions = append(extensions, world(who, registry.Instance{Hooks: []registry.Hook{{
			Kind: registry.HookToolCall,
			BeforeTool: func(ctx context.Context, at registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
				ran = append(ran, at.Extension)
				return decision(ctx, verb, text, call)
			},
		}}}))
	}
	act := echo("act")
	act.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	extensions = append(extensions, world("tool", tools(act)))

	var reported failures
	limit := time.Hour
	if strings.Contains(lines, " hang") {
		limit = 20 * time.Millisecond
	}
	r := registry.New(registry.Options{Report: reported.report, Limits: registry.Limits{Hook: limit}})
	promote(t, r, "c1", extensions...)
	result := r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act", Arguments: json.RawMessage(`{"n":1}`), Approve: approver})

	var b strings.Builder
	if result.IsError {
		first, _, _ := strings.Cut(result.Text(), "\n")
		fmt.Fprintf(&b, "%s: %s\n", result.Code, first)
	} else {
		fmt.Fprintf(&b, "runs with %s\n", result.Text())
	}
	if len(ran) > 0 {
		fmt.Fprintf(&b, "ran %s\n", strings.Join(ran, " "))
	}
	for _, line := range asked {
		fmt.Fprintf(&b, "asked %s\n", line)
	}
	for _, line := range reported.texts() {
		fmt.Fprintf(&b, "reported %s\n", line)
	}
	return b.String()
}

func decision(ctx context.Context, verb, text string, call registry.ToolCallEvent) (registry.Decision, error) {
	reason, arguments, found := strings.Cut(text, "{")
	d := registry.Decision{Reason: strings.TrimSpace(reason)}
	if found {
		d.Arguments = json.RawMessage("{" + arguments)
	}
	switch verb {
	case "nothing", "arguments":
	case "allow":
		d.Verdict = registry.VerdictAllow
	case "ask":
		d.Verdict = registry.VerdictAsk
	case "block":
		d.Verdict = registry.VerdictBlock
	case "verdict":
		n, err := strconv.Atoi(text)
		return registry.Decision{Verdict: registry.Verdict(n)}, err
	case "add":
		var got struct{ N int }
		more, err := strconv.Atoi(text)
		if err := errors.Join(err, json.Unmarshal(call.Arguments, &got)); err != nil {
			return d, err
		}
		d.Arguments = fmt.Appendf(nil, `{"n":%d}`, got.N+more)
	case "throw":
		return d, errors.New(text)
	case "panic":
		panic(text)
	case "hang":
		<-ctx.Done()
		return d, ctx.Err()
	default:
		return d, fmt.Errorf("the table has an unknown verb %q", verb)
	}
	return d, nil
}

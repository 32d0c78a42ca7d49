package delta_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// chord runs the library that these operations come from, and returns the lines of
// its answer.
func chord(t *testing.T, input []byte, arguments ...string) [][]byte {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("not compared with chord: there is no node")
	}
	found, err := filepath.Glob("../../node_modules/@earendil-works/chord/package.json")
	if err != nil || len(found) == 0 {
		t.Skip("not compared with chord: it is not in node_modules; npm ci installs it")
	}
	command := exec.CommandContext(t.Context(), node, append([]string{"testdata/chord.mjs"}, arguments...)...)
	var problems bytes.Buffer
	command.Stdin, command.Stderr = bytes.NewReader(input), &problems
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	var lines [][]byte
	scanner := bufio.NewScanner(bytes.NewReader(output))
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		lines = append(lines, bytes.Clone(scanner.Bytes()))
	}
	return lines
}

// TestChordAppliesWhatDiffFinds compares the texts of the values, with the order of
// members as far as JavaScript keeps it.
func TestChordAppliesWhatDiffFinds(t *testing.T) {
	var input []byte
	var cases []string
	example := rapid.Custom(func(t *rapid.T) []byte {
		from := values(4).Draw(t, "from")
		to := edited(t, from)
		line := value.Append([]byte(`{"from":`), from)
		line = value.Append(append(line, `,"to":`...), to)
		return append(delta.Diff(from, to).AppendJSON(append(line, `,"ops":`...)), "}\n"...)
	})
	for seed := range 1500 {
		line := example.Example(seed)
		input, cases = append(input, line...), append(cases, string(line))
	}
	answers := chord(t, input, "apply")
	if len(answers) != len(cases) {
		t.Fatalf("%d answers for %d cases", len(answers), len(cases))
	}
	for i, line := range answers {
		var answer struct {
			Want, Immutable, Mutable string
			Unchanged                bool
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Immutable != answer.Want || answer.Mutable != answer.Want || !answer.Unchanged {
			t.Errorf("%s%s", cases[i], cmp.Diff([]string{answer.Want, answer.Want}, []string{answer.Immutable, answer.Mutable}))
		}
	}
}

// TestWhatChordTracksIsApplied follows long histories of a value that JavaScript
// changes. Chord does not promise the order of members.
func TestWhatChordTracksIsApplied(t *testing.T) {
	for _, seed := range []string{"1", "2", "3"} {
		var replica value.Value
		for _, line := range chord(t, nil, "track", seed, "1000") {
			var step struct {
				Ops   json.RawMessage
				Value value.JSON
			}
			if err := json.Unmarshal(line, &step); err != nil {
				t.Fatal(err)
			}
			ops, err := delta.Parse(step.Ops)
			if err != nil {
				t.Fatalf("%s: %v", step.Ops, err)
			}
			before := replica
			if replica, err = delta.Apply(before, ops); err != nil {
				t.Fatalf("%s: %v", step.Ops, err)
			}
			if !value.Equivalent(replica, step.Value.Value) {
				t.Fatalf("%s changed by %s is %s, want %s", text(before), step.Ops, text(replica), text(step.Value.Value))
			}
		}
	}
}

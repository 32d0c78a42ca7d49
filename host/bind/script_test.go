package bind

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripts and the natives' types agree with what extensions are promised.
func TestScriptsAreTyped(t *testing.T) {
	compiler, err := filepath.Abs("../../node_modules/.bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); errors.Is(err, fs.ErrNotExist) {
		t.Skip("skipped: there is no node_modules; run npm ci")
	}
	output, err := exec.Command(compiler, "--project", "script/tsconfig.json").CombinedOutput()
	if err != nil {
		t.Errorf("tsc: %v\n%s", err, output)
	}
}

// Go finds every native that the scripts ask for.
func TestNativesAreComplete(t *testing.T) {
	source, err := scripts.ReadFile("script/native.ts")
	if err != nil {
		t.Fatal(err)
	}
	names := nativeNames.FindAllStringSubmatch(string(source), -1)
	if len(names) < 20 {
		t.Fatalf("only %d natives are declared", len(names))
	}
	host := &Host{world: &World{}}
	for _, name := range names {
		if host.member(name[1]+name[2]) == nil {
			t.Errorf("there is no native %s", name[1]+name[2])
		}
	}
}

// nativeNames matches the members of NativeMembers.
var nativeNames = regexp.MustCompile(`(?m)^  (?:"([a-z.A-Z]+)"|([a-zA-Z]+))\(.*\): .*;$`)

// Go has every operation that the scripts ask of its objects.
func TestOperationsAreComplete(t *testing.T) {
	r := reach{}
	session := engine{session: new(agent.Harness)}.operations()
	call, phase, tx := r.callOperations(new(registry.Call)), r.phaseOperations(nil, nil), new(transaction).operations()
	for _, test := range []struct {
		file, asked string // asked matches where an operation is asked for
		least       int    // how many are, at least
		objects     []func(string) answer
	}{
		{"harness", `ask\(engine, "(\w+)"`, 25, []func(string) answer{session}},
		{"harness", `(?:made\(|makeConversation\(engine, )"(\w+)"`, 3, []func(string) answer{session}},
		{"events", `ask\(engine\(\), "(\w+)"`, 1, []func(string) answer{session}},
		{"documents", `ask\(remote, "(\w+)"`, 3, []func(string) answer{session, call, phase}},
		{"memo", `remote[(,] ?"(\w+)"`, 2, []func(string) answer{call, phase}},
		{"call", `(?:ask\(checked, |checked\()"(\w+)"`, 7, []func(string) answer{call}},
		{"call", `ask\(remote, "(\w+)"`, 4, []func(string) answer{call, phase}},
		{"harness", `ask\(engine, "(\w*Submission|submission\w*)"`, 3, []func(string) answer{find(submission(nil))}},
		{"tasks", `ask\(remote, "(\w+)"`, 10, []func(string) answer{phase}},
		{"transaction", `(?:work|this)\.(?:ask|next)\("(\w+)"`, 18, []func(string) answer{tx}},
		{"events", `ofTransaction\("\w+", tx, "(\w+)"`, 1, []func(string) answer{tx}},
	} {
		source, err := scripts.ReadFile("script/" + test.file + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		asked := regexp.MustCompile(test.asked).FindAllStringSubmatch(string(source), -1)
		if len(asked) < test.least {
			t.Errorf("%s.ts: %d operations match %s, at least %d do", test.file, len(asked), test.asked, test.least)
		}
		for _, operation := range asked {
			for i, has := range test.objects {
				if has(operation[1]) == nil {
					t.Errorf("%s.ts asks for %s, which object %d does not have", test.file, operation[1], i)
				}
			}
		}
	}
}

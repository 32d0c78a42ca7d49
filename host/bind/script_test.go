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

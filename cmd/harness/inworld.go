package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/worktree"
)

// revertName is the name by which commands in a world call the program, to move
// main back to the last good commit.
const revertName = "extensions-revert"

// revertInWorld is the program of that name. It runs inside the world, and returns
// its exit code.
func revertInWorld(arguments []string, out, complaints io.Writer) int {
	if len(arguments) > 0 {
		fmt.Fprintf(complaints, "usage: %s\nMoves main back to the last commit that was live; index and checkout stay as they are.\n", revertName)
		return 2
	}
	said, err := moveToLastGood(os.Getenv("HARNESS_ROOT"))
	if err != nil {
		fmt.Fprintf(complaints, "%s: %v\n", revertName, err)
		return 1
	}
	fmt.Fprintln(out, said)
	return 0
}

// moveToLastGood moves main and nothing else: index and checkout stay as they are.
// root is where the world is when it is not the root of the file system.
func moveToLastGood(root string) (said string, err error) {
	repository := filepath.Join("/", root, filepath.FromSlash(host.Repository))
	file := filepath.Join(repository, ".git", host.HelperFile)
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", errors.New("no commit has succeeded yet: there is no " + file)
	case err != nil:
		return "", fmt.Errorf("read the last good commit: %w", err)
	}
	good := strings.TrimSpace(string(text))
	if good == "" {
		return "", errors.New("no commit has succeeded yet, so there is none to go back to")
	}
	if _, err := worktree.ParseHash(good); err != nil {
		return "", fmt.Errorf("%s does not hold a commit: %w", file, err)
	}
	// An unborn branch has no old value; git takes the zero id for that.
	old, err := inRepository(repository, "rev-parse", "--verify", "--quiet", "refs/heads/main")
	if err != nil {
		old = worktree.Hash{}.String()
	}
	if old == good {
		return fmt.Sprintf("main is at the last good commit %s already", short(good)), nil
	}
	if _, err := inRepository(repository, "update-ref", "-m", revertName, "refs/heads/main", good, old); err != nil {
		return "", fmt.Errorf("move main to %s: %w", short(good), err)
	}
	return fmt.Sprintf("moved main from %s back to %s; your files and the index are as they were", short(old), short(good)), nil
}

// inRepository runs git and returns its trimmed output; an error has what git
// says.
func inRepository(repository string, arguments ...string) (string, error) {
	command := exec.Command("git", append([]string{"-C", repository}, arguments...)...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	output, err := command.Output()
	if text := strings.TrimSpace(complaint.String()); err != nil && text != "" {
		return "", errors.New(text)
	}
	return strings.TrimSpace(string(output)), err
}

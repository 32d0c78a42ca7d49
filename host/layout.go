package host

import (
	"fmt"
	"os"
	"path/filepath"
)

// Places in a world, as world paths.
const (
	// Repository is the checkout of the world's repository.
	Repository = "/src/sausage"
	// Snapshots is the folder of the commits that are in use.
	Snapshots = "/run/sausage/extensions"
	// SettingsFile holds the world settings.
	SettingsFile = Repository + "/settings.json"
	// StatusFile is the synthetic file that shows the status.
	StatusFile = "/proc/extensions"
	// HelperFile, in the repository's .git, holds the last good commit for
	// extensions-revert.
	HelperFile = "sausage-last-good"
	// GoodRef and ProvenRef pin the commits that must not be collected.
	GoodRef   = "refs/sausage/good"
	ProvenRef = "refs/sausage/proven"
)

// Layout names the parts of a world's directory, as host paths.
type Layout struct{ Dir string }

// Root is what agents and extensions see as /.
func (l Layout) Root() string { return filepath.Join(l.Dir, "root") }

// State holds what they do not see: database, socket, lock, log, keys.
func (l Layout) State() string { return filepath.Join(l.Dir, "state") }

// Socket is where a running harness answers commands.
func (l Layout) Socket() string { return filepath.Join(l.State(), "socket") }

// Database is the folder of what the session stores.
func (l Layout) Database() string { return filepath.Join(l.State(), "database") }

// NotAWorldError is a directory that holds no world.
type NotAWorldError struct {
	Dir    string
	Reason string
}

func (e *NotAWorldError) Error() string {
	return fmt.Sprintf("%s is not a world: %s; make one with: harness init %s", e.Dir, e.Reason, e.Dir)
}

// Check returns a [*NotAWorldError] unless the directory holds a world: a folder root
// and, since other directories have one too, the folder state or that of the
// repository. It changes nothing.
func (l Layout) Check() error {
	info, err := os.Stat(l.Root())
	switch {
	case os.IsNotExist(err):
		return &NotAWorldError{Dir: l.Dir, Reason: "it has no folder root"}
	case err != nil:
		return fmt.Errorf("open world %s: %w", l.Dir, err)
	case !info.IsDir():
		return &NotAWorldError{Dir: l.Dir, Reason: "root is not a folder"}
	}
	for _, folder := range []string{l.State(), filepath.Join(l.Root(), filepath.FromSlash(Repository))} {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return nil
		}
	}
	return &NotAWorldError{Dir: l.Dir, Reason: "it has neither the folder state nor root" + Repository}
}

// makeState makes the folder of the state where it is missing.
func (l Layout) makeState() error {
	if err := l.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(l.State(), 0o700); err != nil {
		return fmt.Errorf("open world %s: %w", l.Dir, err)
	}
	return nil
}

// file is a file of the state.
func (l Layout) file(name string) string { return filepath.Join(l.State(), name) }

package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// RunningError says that another harness has the world.
type RunningError struct {
	Dir string
	PID int // 0 when it is not known
}

func (e *RunningError) Error() string {
	who := "another harness"
	if e.PID != 0 {
		who += fmt.Sprintf(", process %d", e.PID)
	}
	return fmt.Sprintf("world %s is in use by %s; stop that one, or send it the command", e.Dir, who)
}

// lock takes the world for this process, until the file is closed. The kernel
// releases it when the process dies. It holds as long as the folder state does: who
// removes that while a harness runs must stop the harness too, since the next one
// makes a new folder with a lock of its own. Error: a [*RunningError].
func lock(layout Layout) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(layout.State(), "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock world %s: %w", layout.Dir, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		text, _ := io.ReadAll(io.LimitReader(file, 32))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return nil, errors.Join(&RunningError{Dir: layout.Dir, PID: pid}, file.Close())
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock world %s: %w", layout.Dir, err), file.Close())
	}
	return file, nil
}

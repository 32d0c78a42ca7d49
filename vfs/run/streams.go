package run

import (
	"errors"
	"os"
	"sync"
	"time"
)

// streams are the pipes of one command. Its own ends are closed in time, so that a
// child that keeps a pipe open cannot keep Run.
type streams struct {
	theirs         [3]*os.File
	opened         []*os.File // those of theirs that are to be closed
	stdin          *os.File   // nil without input
	stdout, stderr *os.File
	feeding        sync.WaitGroup
}

func openStreams(null *os.File, input []byte) (*streams, error) {
	s := &streams{}
	s.theirs[0] = null
	if len(input) > 0 {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		s.theirs[0], s.stdin = read, write
		s.opened = append(s.opened, read)
	}
	for i, mine := range []**os.File{1: &s.stdout, 2: &s.stderr} {
		if mine == nil {
			continue
		}
		read, write, err := os.Pipe()
		if err != nil {
			s.closeTheirs()
			s.close()
			return nil, err
		}
		*mine, s.theirs[i] = read, write
		s.opened = append(s.opened, write)
	}
	return s, nil
}

func (s *streams) closeTheirs() {
	for _, file := range s.opened {
		_ = file.Close()
	}
	s.opened = nil
}

// feed writes the input. That the command does not read all of it is its own affair.
func (s *streams) feed(input []byte) {
	if s.stdin == nil {
		return
	}
	s.feeding.Go(func() {
		_, _ = s.stdin.Write(input)
		_ = s.stdin.Close()
	})
}

// expire ends writing at the given time at the latest, and reading with what is there
// by then.
func (s *streams) expire(at time.Time) {
	for _, file := range []*os.File{s.stdin, s.stdout, s.stderr} {
		if file != nil {
			if err := file.SetDeadline(at); err != nil && !errors.Is(err, os.ErrClosed) {
				_ = file.Close()
			}
		}
	}
}

func (s *streams) close() {
	if s.stdin != nil {
		_ = s.stdin.SetDeadline(time.Unix(1, 0))
	}
	s.feeding.Wait()
	for _, file := range []*os.File{s.stdin, s.stdout, s.stderr} {
		if file != nil {
			_ = file.Close()
		}
	}
}

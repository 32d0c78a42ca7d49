package run

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipe is the reading end of a command's output. Its deadline ends the wait for more,
// and not the reading of what is there: a command that has ended loses no output
// because whoever takes it is slow.
type pipe struct {
	file *os.File
	late bool
	left int // how much is still read once the deadline has passed
}

// Read implements [io.Reader]. After the deadline it reads at most what a pipe holds,
// so that a process which goes on writing keeps nobody.
func (p *pipe) Read(buf []byte) (int, error) {
	if !p.late {
		n, err := p.file.Read(buf)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
	return p.remaining(buf)
}

func (p *pipe) remaining(buf []byte) (n int, err error) {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	controlErr := conn.Control(func(fd uintptr) {
		if !p.late {
			p.late = true
			if p.left, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err != nil {
				return
			}
		}
		if n, err = unix.Read(int(fd), buf[:min(len(buf), p.left)]); n <= 0 || err != nil {
			n, err = 0, io.EOF // it is empty (EAGAIN), or nobody writes any more
		}
	})
	p.left -= n
	if controlErr != nil {
		return n, controlErr
	}
	return n, err
}

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Serve is the whole of a program named in Options.Helper: it starts commands for the
// Runner that started it, and returns when that is gone. The program must do nothing
// before and exit afterwards, which ends every command.
func Serve() error {
	control, err := unixConn(controlFD)
	if err != nil {
		return fmt.Errorf("serve a runner: descriptor %d is no socket: %w", controlFD, err)
	}
	defer control.Close()
	data := make([]byte, 256<<10)
	n, err := control.Read(data)
	if err != nil || n == 0 {
		return nil
	}
	var l layout
	if err := json.Unmarshal(data[:n], &l); err != nil {
		return fmt.Errorf("serve a runner: %w", err)
	}
	commands, err := openLauncher(l, true)
	ready := answer{}
	if err != nil {
		ready.Error = err.Error()
	}
	said, marshalErr := json.Marshal(ready)
	if marshalErr != nil {
		return marshalErr
	}
	if _, writeErr := control.Write(said); writeErr != nil || err != nil {
		return errors.Join(writeErr, err)
	}
	serve(control, commands)
	return commands.close()
}

// serve starts commands until the client is gone and all have ended.
func serve(control *net.UnixConn, commands starter) {
	var current sync.WaitGroup
	for {
		conn, files, err := receive(control)
		if errors.Is(err, errGone) {
			break
		}
		if err != nil {
			refuse(conn, err)
			continue
		}
		current.Go(func() { serveCommand(commands, conn, files) })
	}
	current.Wait()
}

// receive gets the descriptors of the next command: its socket and its streams. That
// the client is gone is errGone. After another error the next command can be received,
// and the socket, when it came, be answered; of the other descriptors none stays.
func receive(control *net.UnixConn) (*net.UnixConn, [3]*os.File, error) {
	var files [3]*os.File
	rights := make([]byte, unix.CmsgSpace(4*4))
	// Close-on-exec from the start: the net package asks for MSG_CMSG_CLOEXEC.
	n, got, _, _, err := control.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil || n == 0 {
		return nil, files, errors.Join(err, errGone)
	}
	fds := descriptors(rights[:got])
	if len(fds) == 0 {
		return nil, files, errors.New("a message without descriptors")
	}
	conn, err := unixConn(fds[0])
	if err == nil && len(fds) != 1+len(files) {
		// The kernel leaves out those for which this process has no number left (recvmsg(2), MSG_CTRUNC).
		err = fmt.Errorf("%d of the command's descriptors arrived: %w", len(fds), unix.EMFILE)
	}
	if err != nil {
		for _, fd := range fds[1:] {
			_ = unix.Close(fd)
		}
		return conn, files, err
	}
	for i := range files {
		files[i] = os.NewFile(uintptr(fds[1+i]), "stream")
	}
	return conn, files, nil
}

// descriptors are those that came with a message, in order.
func descriptors(rights []byte) []int {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	var all []int
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil {
			all = append(all, fds...)
		}
	}
	return all
}

// refuse answers for a command that did not arrive whole; without a socket its client
// sees that nothing holds the other end.
func refuse(conn *net.UnixConn, err error) {
	if conn == nil {
		return
	}
	_ = json.NewEncoder(conn).Encode(refusal(err))
	_ = conn.Close()
}

// serveCommand sees one command through. Its client says "end", or is gone.
func serveCommand(commands starter, conn *net.UnixConn, files [3]*os.File) {
	defer conn.Close()
	tell, hear := json.NewEncoder(conn), json.NewDecoder(conn)
	var p process
	err := hear.Decode(&p)
	p.files = files
	var started running
	if err == nil {
		started, err = commands.start(context.Background(), p)
	}
	for _, file := range files {
		_ = file.Close()
	}
	if err != nil {
		_ = tell.Encode(refusal(err))
		return
	}
	_ = tell.Encode(answer{Started: true})
	over := make(chan struct{})
	go func() {
		defer close(over)
		ended, err := started.wait()
		said := answer{Exit: ended}
		if err != nil {
			said.Error = err.Error()
		}
		_ = tell.Encode(said)
	}()
	follow(hear, started)
	<-over
	started.end()
	_ = tell.Encode(answer{})
}

// follow does what the client orders until it says that the command is over. A client
// that is gone wants it killed.
func follow(hear *json.Decoder, started running) {
	for {
		var order string
		if err := hear.Decode(&order); err != nil {
			started.kill()
			return
		}
		switch order {
		case orderTerminate:
			started.terminate()
		case orderKill:
			started.kill()
		case orderEnd:
			return
		}
	}
}

func refusal(err error) answer {
	said := answer{Error: err.Error(), Code: "EIO"}
	if failed, ok := errors.AsType[*StartError](err); ok {
		said.Error, said.Code = failed.Err.Error(), failed.Code
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		said.Errno = errno
		if said.Code == "EIO" {
			said.Code = unix.ErrnoName(errno)
		}
	}
	return said
}

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
	var current sync.WaitGroup
	for {
		conn, files, err := receive(control)
		if err != nil {
			break
		}
		current.Go(func() { serveCommand(commands, conn, files) })
	}
	current.Wait()
	return commands.close()
}

// receive gets the descriptors of the next command: its socket and its streams.
func receive(control *net.UnixConn) (*net.UnixConn, [3]*os.File, error) {
	var files [3]*os.File
	rights := make([]byte, unix.CmsgSpace(4*4))
	// Close-on-exec from the start: the net package asks for MSG_CMSG_CLOEXEC.
	n, got, _, _, err := control.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		return nil, files, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:got])
	if err != nil || n == 0 || len(messages) != 1 {
		return nil, files, errors.Join(err, errGone)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 4 {
		return nil, files, errors.Join(err, errGone)
	}
	for i := range files {
		files[i] = os.NewFile(uintptr(fds[1+i]), "stream")
	}
	conn, err := unixConn(fds[0])
	return conn, files, err
}

// serveCommand sees one command through. Its client says "end", or is gone.
func serveCommand(commands *launcher, conn *net.UnixConn, files [3]*os.File) {
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
	}
	return said
}

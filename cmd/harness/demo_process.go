package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/seed-d579e5eb/harness/host"
)

// demo runs the program's own commands, as children, on a world.
type demo struct {
	*program
	self    string
	world   string
	steps   int
	serving *exec.Cmd
	read    chan struct{} // closed when the harness's output has ended

	conversation string // its id
}

// explain begins a step.
func (d *demo) explain(text string) {
	d.steps++
	fmt.Fprintf(d.out, "\n%s\n", d.out.paint(bold, fmt.Sprintf("%d. %s", d.steps, text)))
}

// say prints indented lines.
func (d *demo) say(format string, arguments ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, arguments...), "\n")
	fmt.Fprintf(d.out, "   %s\n", strings.ReplaceAll(text, "\n", "\n   "))
}

func (d *demo) command(arguments ...string) *exec.Cmd {
	command := exec.Command(d.self, arguments...)
	command.Env = append(os.Environ(), "HARNESS_WORLD="+d.world, "HARNESS_WAY="+string(d.way))
	return command
}

// show runs a command of the program and shows it with what it says.
func (d *demo) show(ctx context.Context, arguments ...string) error {
	d.say("%s", d.out.paint(dim, "$ harness "+quoted(arguments)))
	said, err := d.output(ctx, arguments...)
	if len(bytes.TrimSpace(said)) > 0 {
		d.say("%s", said)
	}
	if err != nil {
		return fmt.Errorf("harness %s: %w", quoted(arguments), err)
	}
	return nil
}

// output runs a command of the program and gives what it prints, to both streams.
func (d *demo) output(ctx context.Context, arguments ...string) ([]byte, error) {
	command := d.command(arguments...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Signal(syscall.SIGINT) })
	defer stop()
	err := command.Wait()
	return said.Bytes(), err
}

// loaded waits until the newest commit was loaded or refused.
func (d *demo) loaded(ctx context.Context) (status host.Status, err error) {
	said, err := d.output(ctx, "status", "--wait", "--json")
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return status, err
	}
	if err := json.Unmarshal(said, &status); err != nil {
		return status, fmt.Errorf("harness status: %s", bytes.TrimSpace(said))
	}
	return status, nil
}

// start starts a harness and waits until it is ready.
func (d *demo) start(ctx context.Context) error {
	d.say("%s", d.out.paint(dim, "$ harness run &"))
	command := d.command("run")
	pipe, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		return err
	}
	d.serving, d.read = command, make(chan struct{})
	ready := make(chan error, 1)
	go func() {
		defer close(d.read)
		lines := bufio.NewReader(pipe)
		ready <- awaitReady(lines)
		_, _ = io.Copy(io.Discard, lines)
	}()
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// awaitReady reads what the harness prints up to the line that says it is ready.
func awaitReady(lines *bufio.Reader) error {
	var said strings.Builder
	for {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		switch {
		case strings.Contains(line, " "+readyMessage+" "):
			return nil
		case err != nil:
			return fmt.Errorf("the harness ended: %s", strings.TrimSpace(said.String()))
		}
	}
}

// kill ends the harness as a crash would.
func (d *demo) kill() error { return d.end(syscall.SIGKILL) }

// stop ends the harness in order, if one runs.
func (d *demo) stop() error { return d.end(syscall.SIGTERM) }

func (d *demo) end(signal syscall.Signal) error {
	if d.serving == nil {
		return nil
	}
	err := d.serving.Process.Signal(signal)
	<-d.read
	waited := d.serving.Wait()
	d.serving = nil
	var ended *exec.ExitError
	if err == nil && waited != nil && (signal != syscall.SIGKILL || !errors.As(waited, &ended)) {
		err = fmt.Errorf("stop the harness: %w", waited)
	}
	return err
}

// quoted gives a command line as a person would type it.
func quoted(arguments []string) string {
	var words []string
	for _, word := range arguments {
		if strings.ContainsAny(word, " {}\"") {
			word = "'" + word + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

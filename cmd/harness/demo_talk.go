package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
)

// script gives the world a scripted model, so that the demo needs none.
func (d *demo) script() error {
	text, err := demoFiles.ReadFile("demo/faux.json")
	if err != nil {
		return err
	}
	state := host.Layout{Dir: d.world}.State()
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(state, host.ScriptFile), text, 0o600)
}

func (d *demo) converse(ctx context.Context) error {
	d.explain("An agent is a conversation with a model, which calls the same tools. Here a scripted model answers.")
	if err := d.show(ctx, "submit", "Greet Ada"); err != nil {
		return err
	}
	said, err := d.output(ctx, "conversations", "--json")
	if err != nil {
		return fmt.Errorf("harness conversations: %s", bytes.TrimSpace(said))
	}
	var begun control.Conversation
	if err := json.NewDecoder(bytes.NewReader(said)).Decode(&begun); err != nil {
		return fmt.Errorf("harness conversations: %w", err)
	}
	d.conversation = strconv.FormatInt(int64(begun.ID), 10)
	return nil
}

// goOn uses the changed tool in the conversation that used the old one.
func (d *demo) goOn(ctx context.Context) error {
	return d.show(ctx, "submit", "--conversation", d.conversation, "Greet Ada once more")
}

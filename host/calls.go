package host

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// ToolCall is a call of a tool from outside a conversation.
type ToolCall struct {
	Tool string
	// Arguments is a JSON object; empty means {}.
	Arguments json.RawMessage
	// Progress is told what the tool publishes while it runs. It may be nil.
	Progress func(registry.Progress)
}

// CallTool calls a tool of the generation that serves now: its arguments are
// validated, hooks run, and the generation stays until the call has ended. A call
// that fails has an error result. The call ends with the host, see [Host.Close].
func (h *Host) CallTool(ctx context.Context, call ToolCall) *registry.Result {
	ctx, end := until(ctx, h.late)
	defer end()
	return h.registry.CallTool(ctx, registry.Call{
		ID: "call-" + strconv.FormatInt(h.calls.Add(1), 10), Tool: call.Tool, Arguments: call.Arguments,
		Env: bind.Env{World: h.world}, Progress: call.Progress,
	})
}

// Exec runs a command in the world, as host.exec does.
func (h *Host) Exec(ctx context.Context, command run.Command) (run.Result, error) {
	return h.world.Commands.Run(ctx, command)
}

// Ways tells how commands can be run on this machine, the best way first.
func (h *Host) Ways(ctx context.Context) []run.Way { return h.commands.Ways(ctx) }

// Reload loads the tip again, also one that was refused or skipped, and returns
// when that has ended. The live commit is not evaluated again. Whether the tip is
// live then is what [Host.Status] says.
func (h *Host) Reload(ctx context.Context) error {
	request := reload{done: make(chan error, 1)}
	select {
	case h.loader.reloads <- request:
	case <-h.ctx.Done():
		return &StoppingError{}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-request.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Tip returns the newest commit of the branch, which need not have been looked at
// yet. Errors: those of [worktree.Repo.Tip].
func (h *Host) Tip(ctx context.Context) (string, error) {
	tip, err := h.repo.Tip(ctx)
	if err != nil {
		return "", err
	}
	return tip.String(), nil
}

// Watch calls changed after each change of the status, until stop is called or the
// host closes. changed must not block; it may be called once more while stop
// returns. Calling stop twice is no error.
func (h *Host) Watch(changed func()) (stop func()) {
	own := &watcher{changed: changed}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers = append(slices.Clone(h.watchers), own)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.watchers = slices.DeleteFunc(slices.Clone(h.watchers), func(w *watcher) bool { return w == own })
	}
}

// watcher is told of changes of the status.
type watcher struct{ changed func() }

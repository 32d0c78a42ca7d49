package host

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// Report logs an error that nobody waits for, of an extension or ("") of the host
// itself, and shows it as the latest notice. It implements [bind.Backend].
func (h *Host) Report(extension string, err error) {
	if extension == "" {
		h.options.Logger.Error(err.Error())
		h.setNotice(extension, err.Error())
		return
	}
	h.Notice(extension, err.Error())
}

// Notice logs a message of an extension and shows it in the status. It implements
// [bind.Backend].
func (h *Host) Notice(extension, message string) {
	h.options.Logger.Warn(message, "extension", extension, "notice", true)
	h.setNotice(extension, message)
}

func (h *Host) setNotice(extension, message string) *Notice {
	notice := &Notice{Extension: extension, Message: jsapi.Shorten(message, maxLogged), Time: h.options.Clock.Now()}
	h.mu.Lock()
	h.notice = notice
	h.mu.Unlock()
	h.statusChanged()
	return notice
}

// Settings implements [bind.Backend].
func (h *Host) Settings(schema string) (json.RawMessage, error) {
	return h.settings.get(h.registry, schema)
}

// CallService implements [bind.Backend].
func (h *Host) CallService(ctx context.Context, id, method string, args []any) (any, error) {
	return h.registry.CallService(ctx, id, method, args)
}

// Engine implements [bind.Backend].
func (h *Host) Engine() (*agent.Harness, error) {
	if !h.served.Load() {
		return nil, &bind.NotLoadedError{}
	}
	return h.harness, nil
}

// Install implements [bind.Backend].
func (h *Host) Install(extension registry.Extension, instance *registry.Instance) error {
	return h.derive(h.registry.Install(extension, instance))
}

// Uninstall implements [bind.Backend].
func (h *Host) Uninstall(name string) error { return h.derive(h.registry.Uninstall(name)) }

// Drop implements [bind.Backend].
func (h *Host) Drop(extension registry.Extension) error {
	err := h.derive(h.registry.UninstallThis(extension))
	var gone *registry.NotInstalledError
	if errors.As(err, &gone) {
		return nil
	}
	return err
}

// derive opens the generation that a change at run time has made current, and retires
// the one before. The commit stays, and so does its mount.
func (h *Host) derive(previous *registry.Generation, err error) error {
	if err != nil {
		return err
	}
	h.work.Go(func() {
		h.registry.Current().Open(context.Background())
		h.retireGeneration(previous, nil)
	})
	return nil
}

// Provided implements [bind.Backend].
func (h *Host) Provided(id string) bool {
	_, ok := h.registry.Current().Service(id)
	return ok
}

// settingsState shows that the settings cannot be used, until they can again. A
// watch may tell the same twice, which is no news.
func (h *Host) settingsState(err error) {
	if err != nil {
		h.mu.Lock()
		known := h.settingsNotice != nil && h.settingsNotice.Message == jsapi.Shorten(err.Error(), maxLogged)
		h.mu.Unlock()
		if known {
			return
		}
		h.options.Logger.Warn(err.Error(), "notice", true)
		noticed := h.setNotice("", err.Error())
		h.mu.Lock()
		h.settingsNotice = noticed
		h.mu.Unlock()
		return
	}
	h.mu.Lock()
	mended := h.settingsNotice
	gone := mended != nil && h.notice == mended
	if gone {
		h.notice = nil
	}
	h.settingsNotice = nil
	h.mu.Unlock()
	if gone {
		h.statusChanged()
	}
}

// statusChanged shows the status to commands in the world, and tells subscribers.
func (h *Host) statusChanged() {
	if h.settings == nil || h.isTrial() {
		return
	}
	if err := h.publishStatus(); err != nil {
		h.options.Logger.Error("publish the status", "error", err)
	}
	h.mu.Lock()
	watchers := h.watchers
	h.mu.Unlock()
	for _, watcher := range watchers {
		watcher.changed()
	}
}

// publishStatus shows the status to commands; the newest is shown last.
func (h *Host) publishStatus() error {
	h.publishing.Lock()
	defer h.publishing.Unlock()
	text, err := h.statusText()
	if err != nil {
		return err
	}
	return h.commands.PublishProc("extensions", text)
}

var _ bind.Backend = (*Host)(nil)

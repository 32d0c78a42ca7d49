package host

import (
	"strings"
	"testing"
)

// settingsWorld has tools that tell the settings.
func settingsWorld(t *testing.T, settings string) (*testWorld, *testHost) {
	t.Helper()
	w := newWorld(t, files{"settings.json": settings, server("a"): extensionOf("a", "",
		tool("get", caught(`return host.settings()`)),
		tool("frozen", `const s = host.settings(); try { "use strict"; s.list.push(1); } catch { return String(Object.isFrozen(s)); } return "changed";`),
		tool("checked", caught(`return host.settings({ type: "object", required: ["name"], properties: {
			name: { type: "string" }, volume: { type: "number", default: 3 },
			nested: { type: "object", default: {}, properties: { deep: { default: [1] } } } } })`)),
	)})
	return w, w.open(inMemory)
}

// eventually calls a tool until it answers with a text.
func (h *testHost) eventually(tool, want string) {
	h.Helper()
	h.until(tool+" "+want, func(Status) bool { return strings.Contains(h.call(tool), want) })
}

func TestSettingsAreLiveWithoutACommit(t *testing.T) {
	w, h := settingsWorld(t, `{"name": "one"}`)
	contains(t, h.call("get"), `{"name":"one"}`)
	w.write(files{"settings.json": `{"name": "two"}`})
	h.eventually("get", `{"name":"two"}`)
	w.write(files{"settings.json": ""})
	h.eventually("get", `{}`)
}

func TestBrokenSettingsKeepTheLastGoodValueAndRaiseANotice(t *testing.T) {
	w, h := settingsWorld(t, `{"name": "good"}`)
	w.write(files{"settings.json": "{\n  \"name\": oops\n}"})
	status := h.until("the notice", func(s Status) bool { return s.Notice != nil })
	contains(t, status.Notice.Message, "settings.json:2:11", "JSON")
	contains(t, h.call("get"), `{"name":"good"}`)
}

func TestTheNoticeOfBrokenSettingsGoesWhenTheyAreMended(t *testing.T) {
	w, h := settingsWorld(t, `{"name": "good"}`)
	w.write(files{"settings.json": "{"})
	h.until("the notice", func(s Status) bool { return s.Notice != nil })
	w.write(files{"settings.json": `{"name": "mended"}`})
	h.until("no notice", func(s Status) bool { return s.Notice == nil })
	contains(t, h.call("get"), `{"name":"mended"}`)

	// Another notice stays.
	w.write(files{"settings.json": "{"})
	h.until("the notice", func(s Status) bool { return s.Notice != nil })
	h.Notice("a", "something else")
	h.settings.read(false) // as a watch does that tells the same twice
	w.write(files{"settings.json": `{"name": "again"}`})
	h.eventually("get", "again")
	if notice := h.Status().Notice; notice == nil || notice.Message != "something else" {
		t.Errorf("notice: %s", asJSON(notice))
	}
}

func TestSettingsThatAreEmptyForAMomentRaiseNoNotice(t *testing.T) {
	clock := newManualClock()
	w := newWorld(t, files{"settings.json": `{"name": "one"}`, server("a"): extensionOf("a", "", tool("get", caught(`return host.settings()`)))})
	h := w.open(inMemory, clock.in)
	empty := func() {
		if err := h.Files().Write(SettingsFile, nil); err != nil {
			t.Fatal(err)
		}
		clock.awaited(t, emptyTime)
	}
	empty()
	contains(t, h.call("get"), `{"name":"one"}`)
	w.write(files{"settings.json": `{"name": "two"}`})
	h.eventually("get", `{"name":"two"}`)
	clock.advance(emptyTime)
	if notice := h.Status().Notice; notice != nil {
		t.Errorf("notice: %s", asJSON(notice))
	}
	empty()
	h.until("the notice", func(s Status) bool {
		clock.advance(emptyTime) // a watch that tells of the file twice starts the time anew
		return s.Notice != nil
	})
	contains(t, h.call("get"), `{"name":"two"}`)
}

func TestSettingsThatNeverWereGoodThrowWithTheirPlace(t *testing.T) {
	w, h := settingsWorld(t, "{\n\"a\": 1,\n}")
	contains(t, h.call("get"), "SettingsInvalid: ", "/src/sausage/settings.json:3:1")
	w.write(files{"settings.json": `[1]`})
	h.eventually("get", "must be a JSON object")
	w.write(files{"settings.json": `{"name": "good"}`})
	h.eventually("get", `{"name":"good"}`)
}

func TestSettingsAreFrozen(t *testing.T) {
	_, h := settingsWorld(t, `{"list": []}`)
	same(t, h.call("frozen"), "true")
}

func TestASchemaCompletesAndValidatesTheSettings(t *testing.T) {
	w, h := settingsWorld(t, `{"name": "x", "nested": {}}`)
	contains(t, h.call("checked"), `"volume":3`, `"deep":[1]`, `"name":"x"`)
	w.write(files{"settings.json": `{"name": 5}`})
	h.eventually("checked", "SettingsInvalid: ")
	contains(t, h.call("checked"), "/src/sausage/settings.json: /name: expected string, got integer")
	contains(t, h.call("get"), `{"name":5}`)
}

func TestASchemaOfSettingsReadsNothingElse(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "", tool("get", caught(`return host.settings(args)`)))})
	h := w.open(inMemory)
	if err := h.Files().Write("/schema.json", []byte(`{"type": "object"}`)); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"file:///etc/hostname", "file://" + w.path("schema.json"), "/schema.json", "https://json-schema.org/none"} {
		contains(t, h.call("get", map[string]string{"$ref": url}), "references another document")
	}
}

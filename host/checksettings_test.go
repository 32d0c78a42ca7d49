package host

import (
	"strings"
	"testing"
)

// nested is an object with arrays in arrays, depth levels in all.
func nested(depth int) string {
	return `{"name": ` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}"
}

// TestWhatReadersCannotTakeIsNoSettings holds settings that the decoder of Go takes,
// and a reader would not: the last good value stays, and the notice says where.
func TestWhatReadersCannotTakeIsNoSettings(t *testing.T) {
	w, h := settingsWorld(t, `{"name": "good"}`)
	for _, test := range []struct {
		rule, text string
		says       []string
	}{
		{"nested too deeply", "{\n" + nested(maxSettingsDepth + 1)[1:], []string{"settings.json:2:108", "nested deeper than 100"}},
		{"a number that is too large", "{\n  \"name\": 1e400\n}", []string{"settings.json:2:11", "too large"}},
		{"a number with a huge exponent", `{"name": -1e99999999999}`, []string{"settings.json:1:10", "too large"}},
		{"a byte order mark", "\ufeff{}", []string{"settings.json:1:1", "save the file as UTF-8"}},
		{"UTF-16, little end first", "\xff\xfe{\x00}\x00", []string{"UTF-16", "save the file as UTF-8"}},
		{"UTF-16, big end first", "\xfe\xff\x00{\x00}", []string{"UTF-16", "save the file as UTF-8"}},
		{"UTF-16 without a mark", "{\x00}\x00", []string{"UTF-16", "save the file as UTF-8"}},
		{"another encoding", "{\n\"name\": \"caf\xe9\"}", []string{"settings.json:2:13", "not UTF-8"}},
		{"two values", "{} {}", []string{"settings.json:1:4"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			h.TB = t
			w.write(files{"settings.json": `{"name": "good"}`})
			h.until("no notice", func(s Status) bool { return s.Notice == nil })
			w.write(files{"settings.json": test.text})
			status := h.until("the notice", func(s Status) bool { return s.Notice != nil })
			contains(t, status.Notice.Message, test.says...)
			contains(t, h.call("get"), `{"name":"good"}`)
			contains(t, h.call("checked"), `"good"`)
		})
	}
}

// TestReadersTakeWhatIsTakenForSettings reads the extremes that are allowed.
func TestReadersTakeWhatIsTakenForSettings(t *testing.T) {
	for rule, text := range map[string]string{
		"nested as deep as may be": nested(maxSettingsDepth),
		"the largest number":       `{"name": 1.7976931348623157e308}`,
		"a very small number":      `{"name": 1e-400}`,
	} {
		t.Run(rule, func(t *testing.T) {
			_, h := settingsWorld(t, text)
			contains(t, h.call("get"), `{"name":`)
		})
	}
}

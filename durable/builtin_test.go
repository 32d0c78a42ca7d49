package durable_test

import (
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

func TestTheBuiltInDocumentsAreThoseOfTheSpecification(t *testing.T) {
	for _, c := range []struct {
		definition *durable.DocumentDefinition
		kind       string
		history    record.History
		fork       record.ForkPolicy
		initial    string
	}{
		{durable.AgentDocument.Definition, "pi.agent", record.Rewindable, record.ForkAsOf, `{}`},
		{durable.LiveDocument.Definition, "pi.live", record.Latest, record.ForkInitial, `{}`},
		{durable.InboxDocument.Definition, "pi.inbox", record.Latest, record.ForkInitial, `{"items":[]}`},
		{durable.ProviderDocument.Definition, "pi.provider", record.Latest, record.ForkInitial, `{"sessionId":""}`},
		{durable.UsageDocument.Definition, "pi.usage", record.Latest, record.ForkInitial, `{"models":{},"tools":{}}`},
	} {
		d := c.definition
		if err := d.Check(); err != nil {
			t.Error(err)
		}
		initial, err := d.Initial(nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind != c.kind || d.Version != 1 || d.Scope != record.ConversationScope || d.History != c.history || d.Fork != c.fork || initial.String() != c.initial {
			t.Errorf("%s: %+v begins with %s", c.kind, d, initial)
		}
	}
}

func TestWholeValuesAreStoredWhenLittleGoesOn(t *testing.T) {
	for _, c := range []struct {
		definition *durable.DocumentDefinition
		value      string
		want       bool
	}{
		{durable.AgentDocument.Definition, `{"cwd":"/"}`, true},
		{durable.ProviderDocument.Definition, `{"sessionId":"a"}`, true},
		{durable.UsageDocument.Definition, `{"models":{},"tools":{}}`, true},
		{durable.InboxDocument.Definition, `{"items":[]}`, true},
		{durable.InboxDocument.Definition, `{"items":[{"id":1}]}`, false},
		{durable.LiveDocument.Definition, `{}`, true},
		{durable.LiveDocument.Definition, `{"run":{"taskId":1,"inputs":[]}}`, true},
		{durable.LiveDocument.Definition, `{"generation":{"attempt":1}}`, false},
		{durable.LiveDocument.Definition, `{"tools":[{"status":"pending"},{"status":"done"}]}`, true},
		{durable.LiveDocument.Definition, `{"tools":[{"status":"done"},{"status":"running"}]}`, false},
	} {
		parsed, err := value.Parse([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.definition.Checkpoint(parsed.(*value.Object), nil, 0); got != c.want {
			t.Errorf("%s %s: %v", c.definition.Kind, c.value, got)
		}
	}
}

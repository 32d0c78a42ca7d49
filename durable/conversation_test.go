package durable_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// documents returns what the built-in documents of a conversation say.
func documents(t testing.TB, s *opened, id record.ConversationID) string {
	t.Helper()
	said := ""
	for _, definition := range []*durable.DocumentDefinition{
		durable.AgentDocument.Definition, durable.LiveDocument.Definition, durable.InboxDocument.Definition, durable.UsageDocument.Definition,
	} {
		value, err := s.ReadDocument(within(t), definition, durable.InConversation(id), "")
		if err != nil {
			t.Fatal(err)
		}
		if value != nil {
			said += fmt.Sprintf("%s %s\n", definition.Kind, value)
		}
	}
	return said
}

const emptyDocuments = `pi.agent {}
pi.live {}
pi.inbox {"items":[]}
pi.usage {"models":{},"tools":{}}
`

func identity(t testing.TB, s *opened, id record.ConversationID) string {
	t.Helper()
	provider, _, err := durable.ProviderDocument.Read(within(t), s.Session, durable.InConversation(id))
	if err != nil {
		t.Fatal(err)
	}
	return provider.Session
}

func TestANewConversationHasItsBuiltInDocuments(t *testing.T) {
	s := open(t, durable.Options{Runs: &hand{}})
	commits := 0
	defer s.SubscribeCommits(func(*durable.Publication) { commits++ })()
	root, err := s.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	raw := s.conversation()
	fork, err := root.Fork(within(t), s.append(root.ID(), "a").ID, durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, id := range []record.ConversationID{root.ID(), raw, fork.ID()} {
		if diff := cmp.Diff(emptyDocuments, documents(t, s, id)); diff != "" {
			t.Errorf("conversation %d: %s", id, diff)
		}
		seen[identity(t, s, id)] = true
	}
	if len(seen) != 3 || seen[""] {
		t.Errorf("their identities are %v", seen)
	}
	if commits != 4 {
		t.Errorf("it took %d commits", commits)
	}
}

func TestWithoutRunsAConversationHasNoDocuments(t *testing.T) {
	s := open(t, durable.Options{})
	root, err := s.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if said := documents(t, s, root.ID()); said != "" {
		t.Errorf("it has %s", said)
	}
}

func TestTheIdentityTowardsProvidersIsAUUIDOfVersion7(t *testing.T) {
	random := bytes.NewReader(bytes.Repeat([]byte{0xff}, 10))
	clock := &manual{now: time.UnixMilli(0x0123_4567_89ab)}
	s := open(t, durable.Options{Runs: &hand{}, Clock: clock, Random: random})
	root, err := s.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "01234567-89ab-7fff-bfff-ffffffffffff"
	if got := identity(t, s, root.ID()); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	s.reopen()
	if err := root.Configure(within(t), durable.AgentChange{}); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("a conversation of a session that was closed: %v", err)
	}
	if got := identity(t, s, record.Root); got != want {
		t.Errorf("after a reopen it is %s", got)
	}
	if _, err := s.CreateConversation(within(t), durable.Ownerless(), durable.ConversationOptions{}); err == nil {
		t.Error("a conversation was made without an identity")
	}
}

func TestTheIdentityStaysTheSame(t *testing.T) {
	s := begin(t)
	first := identity(t, s.opened, s.ID())
	if err := s.Configure(within(t), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "p", Model: "m"})}); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(within(t), ""); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	if now := identity(t, s.opened, s.ID()); now != first || first == "" {
		t.Errorf("it was %s, and is %s", first, now)
	}
}

func TestProviderSessionMakesWhatIsMissing(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var made [2]string
	for i := range made {
		s.commit(func(tx *durable.Tx) (err error) {
			made[i], err = durable.ProviderSession(tx, id)
			return err
		})
	}
	if made[0] == "" || made[0] != made[1] {
		t.Errorf("it made %v", made)
	}
}

func TestTheRootIsMadeOnce(t *testing.T) {
	s := open(t, durable.Options{Runs: &hand{}})
	options := durable.ConversationOptions{
		Agent: durable.AgentChange{Cwd: durable.Set("/first")},
		Init: func(_ context.Context, tx *durable.Tx, id record.ConversationID) error {
			_, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "begun"})
			return err
		},
	}
	if _, found, err := s.ConversationRecord(within(t), record.Root); found || err != nil {
		t.Errorf("before: %v %v", found, err)
	}
	first, err := s.Root(within(t), options)
	if err != nil {
		t.Fatal(err)
	}
	s.reopen()
	options.Agent.Cwd = durable.Set("/second")
	second, err := s.Root(within(t), options)
	if err != nil || first.ID() != record.Root || second.ID() != record.Root {
		t.Fatalf("%v %v %v", first, second, err)
	}
	agent, err := second.Agent(within(t))
	if err != nil || agent.Cwd != "/first" {
		t.Errorf("the agent is %+v, %v", agent, err)
	}
	if diff := cmp.Diff([]string{"begun"}, kinds(t, s, record.Root)); diff != "" {
		t.Error(diff)
	}
	if next := s.conversation(); next <= record.Root {
		t.Errorf("the next conversation is %d", next)
	}
}

func TestCallersAtOnceMakeOneRoot(t *testing.T) {
	s := open(t, durable.Options{Runs: &hand{}})
	results := make(chan error)
	for range 16 {
		go func() {
			_, err := s.Root(within(t), durable.ConversationOptions{Init: func(_ context.Context, tx *durable.Tx, id record.ConversationID) error {
				_, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "begun"})
				return err
			}})
			results <- err
		}()
	}
	for range 16 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"begun"}, kinds(t, s, record.Root)); diff != "" {
		t.Error(diff)
	}
}

func TestACreationRunsInOrder(t *testing.T) {
	var said []string
	s := open(t, durable.Options{
		Runs: &hand{},
		ConversationCreated: func(_ context.Context, tx *durable.Tx, created record.Conversation) error {
			agent, err := durable.AgentDocument.Edit(tx, durable.InConversation(created.ID))
			if err != nil {
				return err
			}
			said = append(said, "hook "+agent.Cwd)
			agent.Cwd, agent.Instructions = "/hook", "hook"
			_, _, err = tx.Conversation(created.ID)
			return wantReadAfterWrite(err)
		},
	})
	made, err := s.CreateConversation(within(t), durable.Ownerless(), durable.ConversationOptions{
		Agent: durable.AgentChange{Cwd: durable.Set("/option")},
		Init: func(_ context.Context, tx *durable.Tx, id record.ConversationID) error {
			agent, err := durable.AgentDocument.Edit(tx, durable.InConversation(id))
			if err != nil {
				return err
			}
			said = append(said, "init "+agent.Cwd)
			_, _, err = tx.Conversation(id)
			return wantReadAfterWrite(err)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hook ", "init /option"}, said); diff != "" {
		t.Error(diff)
	}
	agent, err := made.Agent(within(t))
	if diff := cmp.Diff(durable.AgentState{Cwd: "/option", Instructions: "hook"}, agent); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func wantReadAfterWrite(err error) error {
	if _, refused := errors.AsType[*durable.ReadAfterWriteError](err); refused {
		return nil
	}
	return fmt.Errorf("a read of a table: %w", err)
}

func TestAnErrorAnywhereRefusesTheCreation(t *testing.T) {
	wrong := errors.New("wrong")
	hook := func() error { return nil }
	s := open(t, durable.Options{
		Runs:                &hand{},
		ConversationCreated: func(context.Context, *durable.Tx, record.Conversation) error { return hook() },
	})
	create := func(options durable.ConversationOptions) error {
		_, err := s.CreateConversation(within(t), durable.Ownerless(), options)
		return err
	}
	if err := create(durable.ConversationOptions{Init: func(context.Context, *durable.Tx, record.ConversationID) error { return wrong }}); err != wrong {
		t.Errorf("init: %v", err)
	}
	var refused *durable.InvalidError
	contradicts := durable.AgentChange{Tools: durable.Set(durable.Selection{Add: []string{"a"}})}
	if err := create(durable.ConversationOptions{Agent: contradicts}); !errors.As(err, &refused) {
		t.Errorf("the agent: %v", err)
	}
	hook = func() error { return wrong }
	if err := create(durable.ConversationOptions{}); err != wrong {
		t.Errorf("the hook: %v", err)
	}
	for c, err := range s.Conversations(within(t), durable.ConversationQuery{}) {
		t.Errorf("there is %+v, %v", c, err)
	}
}

func TestEveryWayOfMakingAConversationCallsTheHook(t *testing.T) {
	var made []record.Conversation
	s := open(t, durable.Options{ConversationCreated: func(_ context.Context, _ *durable.Tx, c record.Conversation) error {
		made = append(made, c)
		return nil
	}})
	root, err := s.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := s.append(root.ID(), "a").ID
	raw := s.conversation()
	fork, err := root.Fork(within(t), at, durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []record.Conversation{{ID: root.ID()}, {ID: raw}, {ID: fork.ID(), Parent: &record.ForkPoint{Conversation: root.ID(), At: at}}}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Error(diff)
	}
}

func TestAForkHasTheAgentOfItsEntry(t *testing.T) {
	s := begin(t)
	configure := func(cwd string) record.EntryID {
		if err := s.Configure(within(t), durable.AgentChange{Cwd: durable.Set(cwd)}); err != nil {
			t.Fatal(err)
		}
		return s.append(s.ID(), cwd).ID
	}
	then := configure("/then")
	configure("/now")
	fork, err := s.Fork(within(t), then, durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if agent, err := fork.Agent(within(t)); err != nil || agent.Cwd != "/then" {
		t.Errorf("the fork's agent is %+v, %v", agent, err)
	}
	changed, err := s.Fork(within(t), then, durable.Ownerless(), durable.ConversationOptions{Agent: durable.AgentChange{Cwd: durable.Clear[string]()}})
	if err != nil {
		t.Fatal(err)
	}
	if agent, err := changed.Agent(within(t)); err != nil || agent.Cwd != "" {
		t.Errorf("the other fork's agent is %+v, %v", agent, err)
	}
	var invisible *durable.NotFoundError
	if _, err := fork.Fork(within(t), s.append(s.ID(), "later").ID, durable.Ownerless(), durable.ConversationOptions{}); !errors.As(err, &invisible) {
		t.Errorf("a fork at what is not visible: %v", err)
	}
}

func TestConfigureReplacesWhatIsSetAndClearsWhatIsNull(t *testing.T) {
	s := begin(t)
	for _, step := range []struct{ change, want string }{
		{`{"model":{"provider":"p","modelId":"m"},"cwd":"/a","tools":{"remove":["x"]}}`, `{"model":{"provider":"p","modelId":"m"},"tools":{"remove":["x"]},"cwd":"/a"}`},
		{`{}`, `{"model":{"provider":"p","modelId":"m"},"tools":{"remove":["x"]},"cwd":"/a"}`},
		{`{"tools":{"remove":["y"]},"cwd":null}`, `{"model":{"provider":"p","modelId":"m"},"tools":{"remove":["y"]}}`},
		{`{"tools":["z"],"model":null,"extensions":{"add":["a"],"remove":["b"]}}`, `{"extensions":{"add":["a"],"remove":["b"]},"tools":["z"]}`},
		{`{"tools":null,"extensions":[],"thinkingLevel":"high","instructions":"be brief"}`, `{"thinkingLevel":"high","extensions":[],"instructions":"be brief"}`},
		{`{"thinkingLevel":null,"extensions":null,"instructions":null}`, `{}`},
	} {
		var change durable.AgentChange
		if err := json.Unmarshal([]byte(step.change), &change); err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(change); err != nil || !sameJSON(t, step.change, string(text)) {
			t.Errorf("%s is written as %s, %v", step.change, text, err)
		}
		if err := s.Configure(within(t), change); err != nil {
			t.Fatal(err)
		}
		agent, err := s.Agent(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(agent); err != nil || string(text) != step.want {
			t.Errorf("after %s the agent is %s, want %s", step.change, text, step.want)
		}
	}
	var refused error
	for _, text := range []string{`{"tools":null,"extensions":3}`, `{"extensions":"a"}`, `{"tools":[1]}`} {
		if refused = json.Unmarshal([]byte(text), new(durable.AgentChange)); refused == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var one, two any
	if err := errors.Join(json.Unmarshal([]byte(a), &one), json.Unmarshal([]byte(b), &two)); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(one, two)
}

func TestConversationsOfOneIDAreTheSame(t *testing.T) {
	s := begin(t)
	other, err := s.Session.Conversation(within(t), s.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Submit(within(t), says("hello")); err != nil {
		t.Fatal(err)
	}
	s.expect("hello")
	page, err := other.EntryPage(within(t), durable.EntryQuery{Conversation: 99}, 10, nil)
	if err != nil || len(page.Items) != 1 {
		t.Errorf("the page is %+v, %v", page, err)
	}
	var unknown *durable.NotFoundError
	if _, err := s.Session.Conversation(within(t), 99); !errors.As(err, &unknown) {
		t.Errorf("an unknown one: %v", err)
	}
}

func TestAForkOfAForkSeesItsAncestorsUpToTheirCuts(t *testing.T) {
	s := begin(t)
	var ids []record.EntryID
	grow := func(c record.ConversationID, kinds ...string) {
		for _, kind := range kinds {
			ids = append(ids, s.append(c, kind).ID)
		}
	}
	fork := func(c *durable.Conversation, at record.EntryID) *durable.Conversation {
		made, err := c.Fork(within(t), at, durable.Ownerless(), durable.ConversationOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	grow(s.ID(), "a", "b", "c")
	second := fork(s.Conversation, ids[1])
	grow(second.ID(), "d", "e")
	third := fork(second, ids[3])
	grow(third.ID(), "f")
	early := fork(third, ids[0])
	grow(s.ID(), "late")
	for _, c := range []struct {
		of   *durable.Conversation
		want []string
	}{{second, []string{"e", "d", "b", "a"}}, {third, []string{"f", "d", "b", "a"}}, {early, []string{"a"}}} {
		var found []string
		for entry, err := range c.of.Entries(within(t), durable.EntryQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, entry.Kind)
		}
		if diff := cmp.Diff(c.want, found); diff != "" {
			t.Errorf("conversation %d, newest first: %s", c.of.ID(), diff)
		}
	}
}

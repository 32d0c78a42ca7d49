package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"testing/fstest"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

const greeter = `
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { double } from "acme";
import { Type } from "typebox";

export default (host: Host) => {
  const clock = host.need("clock");
  return defineExtension({
    name: "greeter",
    tools: [defineTool({
      name: "greet",
      description: "Greets somebody.",
      parameters: Type.Object({ name: Type.String() }),
      async execute({ name }) {
        return { content: "Hello " + name + ", it is " + (await clock.now()) + ", and twice 21 is " + double(21) + "." };
      },
    })],
  });
};
`

// clock is an extension in Go that offers a service to those in TypeScript.
type clock struct{}

func (clock) Manifest() registry.Manifest {
	return registry.Manifest{Name: "clock", Source: registry.SourceBuiltin}
}

func (clock) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	now := func(_ context.Context, method string, _ []any) (any, error) {
		if method != "now" {
			return nil, &registry.NotAMethodError{Service: "clock", Method: method}
		}
		return "noon", nil
	}
	return &registry.Instance{Services: []registry.Service{{ID: "clock", Call: now}}}, nil
}

func Example() {
	template := fstest.MapFS{
		"src/sausage/extensions/greeter/server.ts": {Data: []byte(greeter), Mode: 0o644},
	}
	if err := serve(context.Background(), template); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Hello Ada, it is noon, and twice 21 is 42.
}

func serve(ctx context.Context, template fstest.MapFS) error {
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := host.Init(ctx, dir, template); err != nil {
		return err
	}
	modules := map[string]*jsapi.Object{
		"acme": jsapi.NewObject("double", jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			n, ok := call.Arg(0).(float64)
			if !ok {
				return nil, fmt.Errorf("double: %v is not a number", call.Arg(0))
			}
			return 2 * n, nil
		})),
	}
	h, err := host.Open(ctx, host.Options{Dir: dir, Extensions: []registry.Extension{clock{}}, Modules: modules})
	if err != nil {
		return err
	}
	defer h.Close(context.Background())

	result := h.CallTool(ctx, host.ToolCall{Tool: "greet", Arguments: json.RawMessage(`{"name": "Ada"}`)})
	fmt.Println(result.Text())
	return nil
}

// Guests are who was greeted: a document of the embedder's own.
type Guests struct {
	Names []string `json:"names"`
}

var guests = durable.DefineDocument(durable.DocumentSpec[Guests]{
	Kind:    "acme.guests",
	Version: 1,
	Scope:   record.SessionScope,
	Initial: func() Guests { return Guests{} },
})

func ExampleHost_Session() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := host.Init(ctx, dir, nil); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"Ada", "Grace"} {
		if err := welcome(ctx, dir, name); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// guests: [Ada]
	// guests: [Ada Grace]
}

func welcome(ctx context.Context, dir, name string) error {
	h, err := host.Open(ctx, host.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer h.Close(context.Background())
	err = h.Session().Commit(ctx, func(ctx context.Context, tx *durable.Tx) error {
		list, err := guests.Edit(tx, durable.InSession())
		if err != nil {
			return err
		}
		list.Names = append(list.Names, name)
		return nil
	})
	if err != nil {
		return err
	}
	list, _, err := guests.Read(ctx, h.Session(), durable.InSession())
	fmt.Println("guests:", list.Names)
	return err
}

func ExampleOptions_RegisterModules() {
	options := host.Options{Dir: "world"}
	options.RegisterModules("acme", jsapi.NewObject(
		"motto", "quality is our recipe",
		"double", jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			n, ok := call.Arg(0).(float64)
			if !ok {
				return nil, fmt.Errorf("double: %v is not a number", call.Arg(0))
			}
			return 2 * n, nil
		}),
	))
	// An extension of the world can now begin with
	//
	//	import { double, motto } from "acme";
	h, err := host.Open(context.Background(), options)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close(context.Background())
}

const doorkeeper = `
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import { Type } from "typebox";

export default defineExtension({
  name: "doorkeeper",
  tools: [defineTool({
    name: "look",
    description: "Looks at something.",
    parameters: Type.Object({ at: Type.String() }),
    execute: ({ at }) => ({ content: "The " + at + " is open." }),
  })],
});
`

// A conversation that uses a tool of the world. The model is one by script.
func ExampleHost_Harness() {
	template := fstest.MapFS{
		"src/sausage/extensions/doorkeeper/server.ts": {Data: []byte(doorkeeper), Mode: 0o644},
	}
	if err := converse(context.Background(), template); err != nil {
		log.Fatal(err)
	}
	// Output:
	// tool: The door is open.
	// You can go in.
}

func converse(ctx context.Context, template fstest.MapFS) error {
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := host.Init(ctx, dir, template); err != nil {
		return err
	}
	provider := faux.New(faux.Options{})
	provider.Set(
		faux.Answer(faux.Calls(faux.Call("look", map[string]any{"at": "door"}))),
		faux.Answer(faux.Says("You can go in.")),
	)
	models := new(model.Models)
	if _, err := models.Set(provider); err != nil {
		return err
	}
	settings := func() agent.Settings {
		return agent.Settings{Model: &durable.ModelRef{Provider: "faux", Model: "faux-1"}}
	}
	h, err := host.Open(ctx, host.Options{Dir: dir, Models: models, Settings: settings})
	if err != nil {
		return err
	}
	defer h.Close(context.Background())
	return say(ctx, h, "Can I go in?")
}

// say hands a text in to a new conversation, and prints what comes of it.
func say(ctx context.Context, h *host.Host, text string) error {
	conversation, err := h.Harness().CreateConversation(ctx, durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		return err
	}
	events, err := h.Harness().WatchEvents(ctx, conversation.ID())
	if err != nil {
		return err
	}
	defer events.Close()
	submission, err := conversation.Submit(ctx, durable.Input{Content: message.Content{Text: text}})
	if err != nil {
		return err
	}
	if err := follow(ctx, events); err != nil {
		return err
	}
	settled, err := submission.Wait(ctx)
	if err != nil {
		return err
	}
	if settled.Status != record.Done {
		return fmt.Errorf("there is no answer: %s", settled.Reason)
	}
	answer, _, err := h.Session().Entry(ctx, settled.Answer)
	if err != nil {
		return err
	}
	fmt.Println(answer.Model[0].Text())
	return nil
}

// follow prints what tools do, until the run ends or too much has happened to tell.
func follow(ctx context.Context, events *agent.Events) error {
	for {
		batch, err := events.Next(ctx)
		if err != nil {
			return err
		}
		for _, event := range batch {
			switch event.Type {
			case agent.EventToolEnd:
				if event.Entry != nil {
					fmt.Println("tool:", event.Entry.Model[0].Text())
				}
			case agent.EventRunEnd, agent.EventSnapshot:
				return nil
			}
		}
	}
}

package model_test

import (
	"context"
	"fmt"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

func Example() {
	provider := faux.New(faux.Options{})
	provider.Set(
		faux.Answer(faux.Calls(faux.Call("look", map[string]string{"at": "the door"}))),
		faux.Answer(faux.Says("It is open.")),
	)
	var models model.Models
	if _, err := models.Set(provider); err != nil {
		panic(err)
	}
	asked, err := models.Resolve("faux/faux-1")
	if err != nil {
		panic(err)
	}
	transcript := message.Messages{
		&message.System{Content: message.Content{Text: "You are a door-keeper."}, ToolsAdded: []message.ToolDeclaration{{Name: "look"}}},
		message.UserText("Is the door open?", 0),
	}
	for range 2 {
		for event := range models.Stream(context.Background(), model.Request{Model: asked, Messages: transcript}) {
			switch event.Type {
			case model.TextDelta:
				fmt.Printf("%q\n", event.Delta)
			case model.ToolCallEnd:
				fmt.Printf("%s %s\n", event.ToolCall.Name, event.ToolCall.Arguments)
			case model.Done:
				transcript = append(transcript, event.Message)
			case model.Failed:
				fmt.Println(event.Message.ErrorMessage)
			}
		}
		transcript = append(transcript, &message.ToolResult{ToolName: "look", Content: message.Blocks{&message.Text{Text: "It is open."}}})
	}
	// Output:
	// look {"at":"the door"}
	// "It is open."
}

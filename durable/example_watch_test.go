package durable_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// A document is followed from what it is now on.
func ExampleDocument_Watch() {
	type lamp struct {
		On bool `json:"on"`
	}
	lamps := durable.DefineDocument(durable.DocumentSpec[lamp]{
		Kind: "example.lamp", Version: 1, Scope: record.SessionScope, Initial: func() lamp { return lamp{} },
	})
	ctx := context.Background()
	session, err := durable.Open(ctx, new(memory.Storage), durable.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(ctx)
	turn := func(on bool) {
		err := session.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
			lamp, err := lamps.Edit(tx, durable.InSession())
			if err == nil {
				lamp.On = on
			}
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	turn(false)

	watch, found, err := lamps.Watch(ctx, session, durable.InSession())
	if err != nil || !found {
		log.Fatal(found, err)
	}
	defer watch.Stop()
	turn(true)
	for frame, err := range watch.Frames(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		now, _, _ := watch.Read()
		fmt.Println(now.On, string(frame.Ops.AppendJSON(nil)))
		break
	}
	// Output: true [["s",["on"],true]]
}

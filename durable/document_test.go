package durable_test

import (
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// count is a document of the tests.
type count struct {
	N int `json:"n"`
}

func counter() durable.Document[count] {
	return durable.DefineDocument(durable.DocumentSpec[count]{
		Kind: "test.count", Version: 1, Scope: record.ConversationScope, History: record.Rewindable, Fork: record.ForkAsOf,
		Initial: func() count { return count{} },
	})
}

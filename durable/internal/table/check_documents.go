package table

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

func (c *checker) document(id record.DocumentID, row []byte) {
	where := fmt.Sprintf("document %d", id)
	c.id(where, int64(id))
	var at Document
	if !c.decoded(where, row, &at) {
		return
	}
	where += ", " + at.Kind
	if at.ID != id {
		c.wrong(where, "its row says %d", at.ID)
		return
	}
	c.lifetime(where, at)
	c.documentScope(where, at)
	if at.Retired == 0 {
		c.needs(where, "documents that live", key{tagDocumentAt}.address(at.Address), int64(id))
	}
	history := key{tagDocumentHistory}.address(at.Address).number(int64(id))
	if at.Rewindable() {
		c.needs(where, "histories", history, 0)
	}
	c.chain(where, at)
}

func (c *checker) lifetime(where string, at Document) {
	switch {
	case at.Kind == "" || at.Version < 1:
		c.wrong(where, "its definition is version %d of %q", at.Version, at.Kind)
	case at.Created < 1 || at.Base < at.Created || at.Last < at.Base || at.Last > c.meta.Seq || at.Deltas < 0:
		c.wrong(where, "it was made by commit %d, has a base of %d with %d changes and a content of %d, and the last commit was %d",
			at.Created, at.Base, at.Deltas, at.Last, c.meta.Seq)
	case at.Retired != 0 && (at.Retired <= at.Last || at.Retired > c.meta.Seq):
		c.wrong(where, "it ended by commit %d, has a content of %d, and the last commit was %d", at.Retired, at.Last, c.meta.Seq)
	case at.Retired != 0 && !at.Rewindable():
		c.wrong(where, "it has ended, and its past is not kept")
	case at.Key != "" && !at.Family:
		c.wrong(where, "it has the key %q and is of no family", at.Key)
	}
}

func (c *checker) documentScope(where string, at Document) {
	ofConversation := at.Scope.Kind == record.ConversationScope
	switch at.Scope.Kind {
	case record.SessionScope:
	case record.ConversationScope:
		if !c.hasConversation(at.Scope.Conversation) {
			c.wrong(where, "its conversation %d is not there", at.Scope.Conversation)
		}
	case record.TaskScope:
		var owner record.Task
		if !c.row(tagged(tagTask, at.Scope.Task), &owner) || !owner.State.Status.Live() {
			c.wrong(where, "its task %d is not live", at.Scope.Task)
		}
	default:
		c.wrong(where, "its scope is %q", at.Scope.Kind)
		return
	}
	history := at.History == record.Latest || at.History == record.Rewindable
	fork := at.Fork == record.ForkCurrent || at.Fork == record.ForkInitial || at.Fork == record.ForkAsOf && at.Rewindable()
	switch {
	case ofConversation && !(history && fork):
		c.wrong(where, "its history is %q and its fork policy %q", at.History, at.Fork)
	case !ofConversation && (at.History != "" || at.Fork != ""):
		c.wrong(where, "it is no conversation's, and has a history %q and a fork policy %q", at.History, at.Fork)
	}
}

// chain replays the contents of a document.
func (c *checker) chain(where string, at Document) {
	first := at.Base
	if at.Rewindable() {
		first = at.Created
	}
	var all replay
	for pair, err := range c.r.Source.Scan(IDs{}.over(tagged(tagContent, at.ID))) {
		if c.failed(err) {
			return
		}
		commit := record.Seq(lastNumber(pair.Key))
		step := fmt.Sprintf("%s, commit %d", where, commit)
		if all.last == 0 && commit != first {
			c.wrong(step, "it is the oldest content, which should be of commit %d", first)
		}
		var row contentRow
		if !c.decoded(step, pair.Value, &row) {
			return
		}
		if err := all.next(commit, row); err != nil {
			c.wrong(step, "%s", err)
			return
		}
	}
	if all.base != at.Base || all.last != at.Last || all.deltas != at.Deltas || all.version != at.Version {
		c.wrong(where, "it says that version %d wrote it, with a whole value of commit %d, %d changes after it and the newest content of %d; it has version %d, %d, %d and %d",
			at.Version, at.Base, at.Deltas, at.Last, all.version, all.base, all.deltas, all.last)
		return
	}
	c.builtIn(where, at, all.now)
}

func (c *checker) content(id record.DocumentID, commit record.Seq) {
	var at json.RawMessage
	if !c.row(tagged(tagDocument, id), &at) {
		c.wrong(fmt.Sprintf("the content of commit %d of document %d", commit, id), "the document is not there")
	}
}

func (c *checker) documentAt(at record.Address, row []byte) {
	where := fmt.Sprintf("document %d in the index of documents that live", lastNumber(row))
	var found Document
	switch {
	case len(row) != 8 || !c.row(tagged(tagDocument, lastNumber(row)), &found):
		c.wrong(where, "it is not there")
	case found.Address != at:
		c.wrong(where, "it is %q, and not where it is looked for", found.Kind)
	case found.Retired != 0:
		c.wrong(where, "it has ended")
	}
}

func (c *checker) documentHistory(at record.Address, id record.DocumentID) {
	where := fmt.Sprintf("document %d in the index of histories", id)
	var found Document
	if !c.row(tagged(tagDocument, id), &found) || found.Address != at || !found.Rewindable() {
		c.wrong(where, "it has none there")
		return
	}
	if c.before.Address == at && (c.before.Retired == 0 || c.before.Retired > found.Created) {
		c.wrong(where, "it was made by commit %d, before document %d at its place ended", found.Created, c.before.ID)
	}
	c.before = found
}

package agent

import (
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// partialEvents tell of the response that is under way: that it began, or what became of
// it.
func partialEvents(was, is value.Value) []Event {
	before, now := at(was, "generation", "message"), at(is, "generation", "message")
	switch {
	case now == nil:
		return nil
	case before == nil:
		return []Event{event(EventMessageStart, member{"message", now})}
	}
	ops := delta.Diff(before, now)
	if len(ops) == 0 {
		return nil
	}
	c := messageChanges{now: now, blocks: len(list(before, "content")), whole: make(map[int]bool)}
	for _, op := range ops {
		c.add(op)
	}
	if c.replaced {
		c.told = value.Array{value.NewObject(kindOf("message"), value.Member{Key: "message", Value: now})}
	}
	return []Event{event(EventMessageUpdate, member{"usage", orNull(at(now, "usage"))}, member{"changes", c.told})}
}

// messageChanges are the changes of a message as events tell of them.
type messageChanges struct {
	now value.Value
	// blocks is how many blocks those have that were told.
	blocks int
	told   value.Array
	// whole are the blocks that were told as they are now, and replaced says that the
	// message is told as a whole.
	whole    map[int]bool
	replaced bool
}

func kindOf(kind string) value.Member { return value.Member{Key: "type", Value: value.String(kind)} }

func (c *messageChanges) add(op delta.Op) {
	switch op := op.(type) {
	case delta.Replace:
		c.replaced = true
	case delta.Splice:
		if index, inside := c.place(op.Path); inside {
			c.block(index)
		} else if within(op.Path) {
			c.insert(op)
		}
	case delta.Append:
		if index, inside := c.place(op.Path); inside {
			c.append(index, op)
		}
	case delta.Set:
		if index, inside := c.place(op.Path); inside && index == c.blocks && len(op.Path) == 2 {
			c.start(op.Value)
		} else if inside {
			c.block(index)
		} else if within(op.Path) {
			c.replaced = true
		}
	case delta.Delete:
		c.other(op.Path)
	case delta.Trim:
		c.other(op.Path)
	case delta.Permute:
		c.other(op.Path)
	}
}

// other tells of a change that has no form of its own.
func (c *messageChanges) other(path value.Path) {
	if index, inside := c.place(path); inside && len(path) > 2 {
		c.block(index)
	} else if within(path) {
		c.replaced = true
	}
}

// within says whether a path leads to the content or into it.
func within(path value.Path) bool {
	if len(path) == 0 {
		return true
	}
	key, _ := path[0].Key()
	return key == "content"
}

// place returns the index of the block that a path leads to or into, and whether it
// does.
func (c *messageChanges) place(path value.Path) (int, bool) {
	if len(path) < 2 || !within(path) {
		return 0, false
	}
	return path[1].Index()
}

// insert tells of blocks that came at the end of the content.
func (c *messageChanges) insert(op delta.Splice) {
	if op.Remove > 0 || op.Index != c.blocks {
		c.replaced = true
		return
	}
	for _, block := range op.Items {
		c.start(block)
	}
}

// start tells of a block that begins.
func (c *messageChanges) start(block value.Value) {
	var kind string
	switch textAt(block, "type") {
	case "text":
		kind = "text_start"
	case "thinking":
		kind = "thinking_start"
	case "toolCall":
		kind = "toolcall_start"
	default:
		c.replaced = true
		return
	}
	c.tell(kind, c.blocks, value.Member{Key: "block", Value: block})
	c.blocks++
}

// append tells of text that was added to a block.
func (c *messageChanges) append(index int, op delta.Append) {
	if c.whole[index] || len(op.Path) < 3 {
		return
	}
	member, _ := op.Path[2].Key()
	kind := textAt(item(list(c.now, "content"), index), "type")
	added := value.Member{Key: "delta", Value: op.Text}
	switch {
	case len(op.Path) == 3 && member == kind && kind == "text":
		c.tell("text_delta", index, added)
	case len(op.Path) == 3 && member == kind && kind == "thinking":
		c.tell("thinking_delta", index, added)
	case member == "arguments" && kind == "toolCall":
		c.tell("toolcall_delta", index, value.Member{Key: "path", Value: steps(op.Path[3:])}, added)
	default:
		c.block(index)
	}
}

// block tells of a block as it is now, which has its later changes too.
func (c *messageChanges) block(index int) {
	if c.whole[index] {
		return
	}
	c.whole[index] = true
	c.tell("block", index, value.Member{Key: "block", Value: orNull(item(list(c.now, "content"), index))})
}

func (c *messageChanges) tell(kind string, index int, members ...value.Member) {
	all := append([]value.Member{kindOf(kind), {Key: "contentIndex", Value: value.Number(index)}}, members...)
	c.told = append(c.told, value.NewObject(all...))
}

func item(items value.Array, index int) value.Value {
	if index < 0 || index >= len(items) {
		return nil
	}
	return items[index]
}

// steps writes a path as a list of keys and indexes.
func steps(path value.Path) value.Array {
	written := make(value.Array, 0, len(path))
	for _, step := range path {
		if index, is := step.Index(); is {
			written = append(written, value.Number(index))
			continue
		}
		key, _ := step.Key()
		written = append(written, value.String(key))
	}
	return written
}

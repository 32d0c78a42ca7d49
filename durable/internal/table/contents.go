package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// contentRow is the stored form of a content. A base is an object, so that its
// absence means a delta.
type contentRow struct {
	Version int             `json:"version"`
	After   record.Seq      `json:"after,omitempty"`
	Base    json.RawMessage `json:"base,omitempty"`
	Ops     delta.Ops       `json:"ops,omitempty"`
}

func (w *Writer) content(d Document, content Content) {
	row := contentRow{Version: content.Version, After: content.After, Ops: content.Ops}
	if content.Base != nil {
		row.Base = value.Append(nil, content.Base)
	}
	w.row(tagged(tagContent, int64(d.ID), int64(d.Last)), row)
}

// Value returns what a document was after a commit, 0 for now, and the version of
// the definition that wrote it. Values of the past are there for rewindable
// documents only.
func (r Reader) Value(d Document, at record.Seq) (*value.Object, int, error) {
	damaged := func(commit record.Seq, reason error) (*value.Object, int, error) {
		return nil, 0, &CorruptError{fmt.Sprintf("document %d, %s, commit %d", d.ID, d.Kind, commit), reason}
	}
	type step struct {
		commit record.Seq
		contentRow
	}
	var steps []step
	for pair, err := range r.Source.Scan(IDs{Max: int64(at), Descending: true}.over(tagged(tagContent, d.ID))) {
		if err != nil {
			return nil, 0, err
		}
		one := step{commit: record.Seq(lastNumber(pair.Key))}
		if err := json.Unmarshal(pair.Value, &one.contentRow); err != nil {
			return damaged(one.commit, err)
		}
		steps = append(steps, one)
		if one.Base != nil {
			break
		}
	}
	if len(steps) == 0 {
		return damaged(at, errors.New("it has no content"))
	}
	var replayed replay
	for _, one := range slices.Backward(steps) {
		if err := replayed.next(one.commit, one.contentRow); err != nil {
			return damaged(one.commit, err)
		}
	}
	if at == 0 && replayed.last != d.Last {
		return damaged(d.Last, errors.New("it is not there"))
	}
	return replayed.now, replayed.version, nil
}

// replay is what a document is after some of its contents.
type replay struct {
	now        *value.Object
	base, last record.Seq
	deltas     int
	version    int
}

// next adds a content, and returns what is wrong with it.
func (p *replay) next(commit record.Seq, row contentRow) error {
	if p.last != 0 && row.After != p.last {
		return fmt.Errorf("it follows commit %d, and the content before it is of commit %d", row.After, p.last)
	}
	p.last = commit
	if row.Base != nil {
		p.base, p.deltas, p.version = commit, 0, row.Version
		if len(row.Ops) > 0 {
			return errors.New("it is a whole value and a change")
		}
		now, err := value.Parse(row.Base)
		if err != nil {
			return err
		}
		return p.becomes(now)
	}
	p.deltas++
	switch {
	case p.now == nil:
		return errors.New("it is a change, and there is no whole value before it")
	case row.Version != p.version:
		return fmt.Errorf("it is of version %d, and changes a value of version %d", row.Version, p.version)
	case len(row.Ops) == 0:
		return errors.New("it changes nothing")
	}
	now, err := delta.Apply(p.now, row.Ops)
	if err != nil {
		return err
	}
	return p.becomes(now)
}

func (p *replay) becomes(now value.Value) error {
	object, is := now.(*value.Object)
	if !is {
		return errors.New("its value is no object, but of kind " + value.Kind(now))
	}
	p.now = object
	return nil
}

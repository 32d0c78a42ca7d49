package table

import (
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Counts is how much a session has stored.
type Counts struct {
	// Format is the version of the layout of the tables, 0 while nothing is stored.
	Format int `json:"format"`
	// Commits is how many there were.
	Commits record.Seq `json:"commits"`

	Conversations int `json:"conversations"`
	Entries       int `json:"entries"`
	// Of the tasks some are live, and of the submissions some are not settled.
	Tasks           int `json:"tasks"`
	LiveTasks       int `json:"liveTasks"`
	Submissions     int `json:"submissions"`
	OpenSubmissions int `json:"openSubmissions"`
	// Documents counts also those that have ended and whose history is kept; Contents
	// are the values of all of them and their changes.
	Documents     int `json:"documents"`
	LiveDocuments int `json:"liveDocuments"`
	Contents      int `json:"contents"`
	Events        int `json:"events"`
	Consumers     int `json:"consumers"`
}

// Count goes through the keys of the tables.
func (r Reader) Count() (Counts, error) {
	meta, err := r.Meta()
	if err != nil {
		return Counts{}, err
	}
	counts := Counts{Format: meta.Format, Commits: meta.Seq}
	for _, rows := range []struct {
		tag   byte
		count *int
	}{
		{tagConversation, &counts.Conversations}, {tagEntry, &counts.Entries},
		{tagTask, &counts.Tasks}, {tagTaskLive, &counts.LiveTasks},
		{tagSubmission, &counts.Submissions}, {tagSubmissionOpen, &counts.OpenSubmissions},
		{tagDocument, &counts.Documents}, {tagDocumentAt, &counts.LiveDocuments}, {tagContent, &counts.Contents},
		{tagEvent, &counts.Events}, {tagConsumer, &counts.Consumers},
	} {
		over := storage.Prefix(key{rows.tag})
		over.KeysOnly = true
		for _, err := range r.Source.Scan(over) {
			if err != nil {
				return Counts{}, err
			}
			*rows.count++
		}
	}
	return counts, nil
}

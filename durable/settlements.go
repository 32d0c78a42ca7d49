package durable

import (
	"sync"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// settlements tells those who wait for submissions what became of them. The zero
// value has nobody who waits.
type settlements struct {
	mu      sync.Mutex
	waiting map[record.SubmissionID][]chan record.Submission
}

// await returns where a settlement comes that is published from now on, and what ends
// the wait.
func (s *settlements) await(id record.SubmissionID) (settled <-chan record.Submission, stop func()) {
	place := make(chan record.Submission, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = make(map[record.SubmissionID][]chan record.Submission)
	}
	s.waiting[id] = append(s.waiting[id], place)
	return place, func() { s.leave(id, place) }
}

func (s *settlements) leave(id record.SubmissionID, place chan record.Submission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := s.waiting[id]
	for i := range places {
		if places[i] == place {
			places[i] = places[len(places)-1]
			s.waiting[id] = places[:len(places)-1]
			break
		}
	}
	if len(s.waiting[id]) == 0 {
		delete(s.waiting, id)
	}
}

// publish tells of the submissions that a commit has settled.
func (s *settlements) publish(p *Publication) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, submission := range p.Submissions {
		if !submission.Status.Settled() {
			continue
		}
		for _, place := range s.waiting[submission.ID] {
			place <- submission
		}
		delete(s.waiting, submission.ID)
	}
}

package control

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// maxUnread is how much of an answer may wait for its client to read it, in bytes,
// beside what the kernel keeps. One line may go past it.
const maxUnread = 4 << 20

// lines writes documents one a line, each as soon as the client takes it, on a
// goroutine of its own: what an extension publishes is told on its loop, which no
// client may hold up. It is safe for concurrent use, until finish.
type lines struct {
	ctx      context.Context // of the request; ends when it is given up
	cancel   context.CancelFunc
	response http.ResponseWriter
	more     chan struct{} // something is pending, or nothing comes any more
	room     chan struct{} // what was pending is being written
	written  chan struct{} // closed when writing has ended

	mu      sync.Mutex
	pending []byte
	ended   bool
}

// newLines begins an answer, whose handler must call finish. The request is to be
// worked on under the ctx of the lines.
func newLines(w http.ResponseWriter, r *http.Request) *lines {
	w.Header().Set("Content-Type", "application/x-ndjson")
	l := &lines{response: w, more: make(chan struct{}, 1), room: make(chan struct{}, 1), written: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(r.Context())
	go l.write()
	return l
}

// offer adds a line and never waits: a client that leaves too much unread loses
// its request.
func (l *lines) offer(line any) {
	if !l.add(line, maxUnread) {
		l.giveUp()
	}
}

// await adds a line once the client has read enough, so that a command is as fast
// as who reads its output. Who does not read when stopping closes loses the
// request.
func (l *lines) await(line any, stopping <-chan struct{}) {
	for !l.add(line, maxUnread) {
		select {
		case <-l.room:
		case <-stopping:
			l.giveUp()
		case <-l.ctx.Done():
			return
		}
	}
}

// finish adds the last line and returns when everything was written or given up.
func (l *lines) finish(line any) {
	defer l.cancel()
	l.add(line, 0)
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	signal(l.more)
	<-l.written
}

// add reports false when limit bytes are pending; 0 is no limit. What comes after
// the request was given up is dropped.
func (l *lines) add(line any, limit int) bool {
	text, err := json.Marshal(line)
	if err != nil {
		l.giveUp() // a RawMessage that is no JSON, which nothing here makes
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return true
	}
	if limit > 0 && len(l.pending) >= limit {
		return false
	}
	l.pending = append(append(l.pending, text...), '\n')
	signal(l.more)
	return true
}

// write writes what is pending until nothing comes any more.
func (l *lines) write() {
	defer close(l.written)
	flush := http.NewResponseController(l.response).Flush
	for {
		l.mu.Lock()
		text, ended := l.pending, l.ended
		l.pending = nil
		l.mu.Unlock()
		if len(text) == 0 {
			if ended {
				return
			}
			<-l.more
			continue
		}
		signal(l.room)
		_, err := l.response.Write(text)
		if err == nil {
			err = flush()
		}
		if err != nil {
			l.giveUp()
		}
	}
}

// giveUp ends the request and its connection, also one that is being written to.
func (l *lines) giveUp() {
	l.cancel()
	// One that cannot have a deadline is closed already.
	_ = http.NewResponseController(l.response).SetWriteDeadline(time.Unix(1, 0))
}

// signal wakes the one who waits, or who will.
func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

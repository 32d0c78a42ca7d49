package bind

import (
	"context"
	"sync"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// What waits of the progress of one nested call while its listener runs: so many
// things, of which output is so many bytes. Of more the oldest are left out, as the
// result has them.
const (
	maxProgress       = 100
	maxProgressOutput = 64 << 10
)

// progress is what a nested call has published and its listener was not told yet.
// Publishing never waits for the listener: it may run on the loop of the very isolate
// that publishes.
type progress struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []registry.Progress
	ended   bool
}

func newProgress() *progress {
	p := new(progress)
	p.changed = sync.NewCond(&p.mu)
	return p
}

// add takes what was published. Output joins output that waits, and details replace
// details that wait.
func (p *progress) add(news registry.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.changed.Signal()
	if last := len(p.waiting) - 1; last >= 0 {
		switch before := &p.waiting[last]; {
		case before.Output != "" && news.Output != "":
			before.Output = lastOf(before.Output + news.Output)
			return
		case before.Details != nil && news.Details != nil:
			before.Details = news.Details
			return
		}
	}
	if len(p.waiting) == maxProgress {
		p.waiting = p.waiting[1:]
	}
	news.Output = lastOf(news.Output)
	p.waiting = append(p.waiting, news)
}

// lastOf is the end of an output that waits, from a whole character on.
func lastOf(output string) string {
	if len(output) <= maxProgressOutput {
		return output
	}
	for output = output[len(output)-maxProgressOutput:]; output != "" && !utf8.RuneStart(output[0]); {
		output = output[1:]
	}
	return output
}

// end says that nothing more is added.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.changed.Signal()
}

// next waits for what is told next; ok is false when that was all.
func (p *progress) next() (news registry.Progress, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) == 0 {
		if p.ended {
			return registry.Progress{}, false
		}
		p.changed.Wait()
	}
	news = p.waiting[0]
	p.waiting = p.waiting[1:]
	return news, true
}

// following runs a nested call whose progress is told to a function, and returns once
// all of it was told. What the function throws is dropped.
func (r reach) following(ctx context.Context, function *jsapi.Function, run func(told func(registry.Progress)) (*registry.NestedResult, error)) (*registry.NestedResult, error) {
	job := r.limits.Callback.job("progress of a nested call", function.Owner())
	job.Result = jsapi.AsNothing
	published := newProgress()
	var telling sync.WaitGroup
	telling.Go(func() {
		for news, ok := published.next(); ok; news, ok = published.next() {
			if ctx.Err() == nil {
				_, _ = function.Isolate().Call(ctx, job, function, progressObject(news))
			}
		}
	})
	defer telling.Wait()
	defer published.end()
	return run(published.add)
}

// progressObject is what was published, as the listener sees it.
func progressObject(news registry.Progress) *jsapi.Object {
	shown := &jsapi.Object{}
	if news.Output != "" {
		shown.Set("output", news.Output)
	}
	if news.Details != nil {
		shown.Set("details", news.Details)
	}
	if news.Diagnostic != nil {
		shown.Set("diagnostic", news.Diagnostic)
	}
	return shown
}

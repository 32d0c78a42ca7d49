package bind

import "sync"

// liveSet finds what runs by the number that JavaScript knows it by: the calls and the
// renderings that wraps pass on. The zero value is ready to use.
type liveSet struct {
	mu   sync.Mutex
	last int64
	runs map[int64]any
}

// add gives what runs a number, until ended is called.
func (l *liveSet) add(run any) (number int64, ended func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == nil {
		l.runs = make(map[int64]any)
	}
	l.last++
	number = l.last
	l.runs[number] = run
	return number, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.runs, number)
	}
}

// get finds what runs; nil when it has ended.
func (l *liveSet) get(number any) any {
	at, _ := number.(float64)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs[int64(at)]
}

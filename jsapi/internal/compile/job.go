package compile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// job is one call of Compile or Import.
type job struct {
	ctx      context.Context
	compiler *Compiler
	resolver *resolver

	mu    sync.Mutex
	files map[string]content // what was read from the tree, by path
	units map[unitKey]*unit  // what the job has used of the cache, which may drop it meanwhile

	compiling sync.WaitGroup
	started   []*unit
}

func (c *Compiler) newJob(ctx context.Context, tree fs.FS) *job {
	return &job{
		ctx:      ctx,
		compiler: c,
		resolver: &resolver{tree: tree, synthetic: c.synthetic},
		files:    map[string]content{},
		units:    map[unitKey]*unit{},
	}
}

// entry checks that the entry is a file of source code.
func (j *job) entry(name string) (target, *Problem) {
	if !fs.ValidPath(name) {
		return target{}, &Problem{File: name, Message: fmt.Sprintf("%q is not a path in the tree", name)}
	}
	if _, err := fs.Lstat(j.resolver.tree, name); errors.Is(err, fs.ErrNotExist) {
		return target{}, &Problem{File: name, Message: "there is no such file in this commit"}
	}
	t, d := j.resolver.file(name, name)
	if d == nil {
		t, d = j.resolver.shape(t, request{specifier: name})
	}
	if d != nil {
		return target{}, &Problem{File: name, Message: d.message, Hint: d.hint}
	}
	return t, nil
}

// graph makes the graph of an entry: from the cache when every module of it was seen before and links
// as it did, else by a build.
func (j *job) graph(entry target) (*Graph, error) {
	if err := context.Cause(j.ctx); err != nil {
		return nil, err
	}
	if g := j.assemble(entry); g != nil {
		if linked := j.compiler.cache.graph(g.Hash); linked != nil {
			return linked, nil
		}
	}
	problems := j.link(entry)
	j.compiling.Wait()
	if err := context.Cause(j.ctx); err != nil {
		return nil, err
	}
	for _, u := range j.started {
		problems = append(problems, u.problems...)
	}
	if len(problems) > 0 {
		return nil, failed(problems)
	}
	g := j.assemble(entry)
	if g == nil {
		return nil, failed([]Problem{{File: entry.name, Message: "the files of the tree changed while the module was compiled"}})
	}
	return j.compiler.cache.linked(g), nil
}

// read returns the content of a file, reading it once per job.
func (j *job) read(name string) (content, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c, ok := j.files[name]; ok {
		return c, nil
	}
	c, err := read(j.resolver.tree, name, j.compiler.maxSource)
	if err != nil {
		return content{}, err
	}
	j.files[name] = c
	return c, nil
}

// source returns the content of a target. ok is false for a synthetic module that the runtime
// supplies.
func (j *job) source(t target) (c content, ok bool, err error) {
	if t.form != formSynthetic {
		c, err = j.read(t.name)
		return c, true, err
	}
	p := j.compiler.synthetic.lookup(t.name)
	return p.content, p.hasSource, nil
}

// find returns the unit of a target and a content, or nil.
func (j *job) find(t target, hash string) *unit {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := unitKey{t.id(), hash}
	if u := j.units[key]; u != nil {
		return u
	}
	u := j.compiler.cache.find(key)
	if u != nil {
		j.units[key] = u
	}
	return u
}

// unit returns the unit of a target and a content, a new one if there is none.
func (j *job) unit(t target, c content) *unit {
	if u := j.find(t, c.hash); u != nil {
		return u
	}
	u := j.compiler.cache.unit(t, c)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.units[unitKey{t.id(), c.hash}] = u
	return u
}

// start compiles a unit on a goroutine that the job waits for, unless it was compiled before.
func (j *job) start(u *unit) {
	j.mu.Lock()
	j.started = append(j.started, u)
	j.mu.Unlock()
	j.compiling.Go(func() {
		select {
		case j.compiler.slots <- struct{}{}:
			defer func() { <-j.compiler.slots }()
			u.compile()
		case <-j.ctx.Done():
		}
	})
}

package bind

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// phaseEnvironments are those that a phase of a task has asked for. The zero value is
// ready to use.
type phaseEnvironments struct {
	mu    sync.Mutex
	ended bool
	list  []*environment
}

// add has an environment end with the phase.
func (p *phaseEnvironments) add(env *environment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		env.end()
		return
	}
	p.list = append(p.list, env)
}

// end ends them all.
func (p *phaseEnvironments) end() {
	p.mu.Lock()
	p.ended = true
	list := p.list
	p.mu.Unlock()
	for _, env := range list {
		env.end()
	}
}

// makesEnvironments is the operation by which a phase gets an environment.
func (r reach) makesEnvironments(run *durable.Runtime, made *phaseEnvironments) map[string]answer {
	return map[string]answer{
		"env": func(ctx context.Context, _ *request) (any, error) {
			engine, err := r.engine()
			if err != nil {
				return nil, err
			}
			env, folder, err := engine.PhaseEnv(ctx, run)
			if env == nil || err != nil {
				return jsapi.Undefined{}, err
			}
			shown := newEnvironment(env, folder, r.limits, errors.New("the phase has ended"))
			made.add(shown)
			return shown.object(), nil
		},
	}
}

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestWhatIsStoredAlreadyDoesNotHoldUpWhatFollows(t *testing.T) {
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`) // ten seconds' worth
	for name, first := range map[string]func(*registry.Call) error{
		"details": func(call *registry.Call) error { return call.Details(large) },
		"output": func(call *registry.Call) error {
			return call.Output(strings.Repeat(strings.Repeat("x", 24)+"\n", 2001))
		},
		"diagnostics": func(call *registry.Call) error {
			return call.Diagnose(registry.Diagnostic{Message: strings.Repeat("x", 500<<10)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var took []time.Duration
				prints := tool("print", func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
					if err := errors.Join(first(call), call.Runtime.Stored(ctx)); err != nil {
						return nil, err
					}
					for n := range 3 {
						began := time.Now()
						publish := func() error { return call.Output("x\n") }
						if name == "output" {
							publish = func() error { return call.Details(json.RawMessage(fmt.Sprint(n))) }
						}
						if err := errors.Join(publish(), call.Runtime.Stored(ctx)); err != nil {
							return nil, err
						}
						took = append(took, time.Since(began))
					}
					return nil, nil
				})
				h := open(t, agent.Options{}, with(prints))
				h.model.Set(calls("print", `{}`), text("Done."))
				h.say("Go.")
				if len(took) != 3 || took[1] > 200*time.Millisecond || took[2] > 200*time.Millisecond {
					t.Errorf("the small changes after the large one took %v", took)
				}
				if name == "details" && took[0] < 9*time.Second {
					t.Errorf("the pause after the large change was %v", took[0])
				}
			})
		})
	}
}

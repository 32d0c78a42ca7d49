package bind

import (
	"errors"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// told receives what is reported.
type told struct {
	Backend
	errors chan error
}

func (b told) Report(_ string, err error) { b.errors <- err }

const slowCallback = `
let open;
const gate = new Promise((resolve) => { open = resolve; });
const seen = [];
export function callback() { return async (n) => { seen.push(n); await gate; }; }
export function release() { open(); }
export function list() { return seen.join(); }
`

// A callback that is slower than its calls loses the oldest of those that wait, and
// that is said once.
func TestCallsThatWaitForACallbackAreBounded(t *testing.T) {
	for _, test := range []struct {
		name          string
		posted, first int // how many calls, and the first that is made after the running one
	}{
		{"as many as may wait", 1 + maxWaiting, 1},
		{"more", 1 + maxWaiting + 500, 501},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := fstest.MapFS{"slow.js": {Data: []byte(slowCallback)}}
			graph, err := jsapi.NewCompiler(jsapi.CompilerOptions{}).Compile(t.Context(), tree, "slow.js")
			if err != nil {
				t.Fatal(err)
			}
			isolate, err := jsapi.New(jsapi.Options{Extension: "slow"})
			if err != nil {
				t.Fatal(err)
			}
			defer isolate.Close()
			owner := isolate.NewOwner("slow")
			job := jsapi.Job{Owner: owner, Work: "test", Whole: time.Minute}
			module, err := isolate.Evaluate(t.Context(), job, jsapi.Source{Graph: graph})
			if err != nil {
				t.Fatal(err)
			}
			call := func(function string) string {
				t.Helper()
				result, err := isolate.Call(t.Context(), job, module.Method(function))
				if err != nil {
					t.Fatal(err)
				}
				text, _ := result.(string)
				return text
			}
			callback, err := isolate.Call(t.Context(), job, module.Method("callback"))
			if err != nil {
				t.Fatal(err)
			}
			errs := make(chan error, 10)
			host := &Host{backend: told{errors: errs}}
			deliver := host.deliveries(owner, "a watch", callback.(*jsapi.Function))
			deliver.post("0")
			for call("list") != "0" {
			}
			for n := 1; n < test.posted; n++ {
				deliver.post(float64(n))
			}
			call("release")
			want := "0"
			for n := test.first; n < test.posted; n++ {
				want += "," + strconv.Itoa(n)
			}
			for call("list") != want {
				if len(call("list")) > len(want) {
					t.Fatalf("seen %s", call("list"))
				}
			}
			if test.first == 1 {
				return
			}
			var dropped *DroppedError
			if err := <-errs; !errors.As(err, &dropped) || dropped.Count != test.first-1 {
				t.Errorf("reported: %v", err)
			}
		})
	}
}

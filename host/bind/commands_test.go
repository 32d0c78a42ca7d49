package bind

import (
	"math"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// commandWith is the command that the options of host.exec make.
func commandWith(t *testing.T, key string, value any) run.Command {
	t.Helper()
	options := jsapi.NewObject("command", "true")
	for _, absent := range []string{"cwd", "env", "timeout", "stdin", "maxBytes", "signal", "onOutput"} {
		options.Set(absent, jsapi.Undefined{})
	}
	options.Set(key, value)
	request, err := newCommandRequest(options)
	if err != nil {
		t.Fatal(err)
	}
	return request.command
}

// What host.exec lets through: every number above 0.
func TestEveryLimitOfOutputAnAuthorMayGiveIsOne(t *testing.T) {
	for _, limit := range []float64{
		math.SmallestNonzeroFloat64, 0.5, 1, 1.5, 1e6, math.MaxInt32, math.MaxInt64, math.MaxUint64, math.MaxFloat64, math.Inf(1),
	} {
		if got := commandWith(t, "maxBytes", limit).MaxBytes; got < 1 || got > mostBytes || limit <= mostBytes && float64(got) < limit {
			t.Errorf("a limit of %g bytes became %d", limit, got)
		}
	}
}

func TestEveryTimeLimitAnAuthorMayGiveIsOneOrNone(t *testing.T) {
	for _, test := range []struct {
		seconds float64
		want    time.Duration
	}{
		{math.SmallestNonzeroFloat64, 1}, {1e-12, 1}, {0.25, 250 * time.Millisecond}, {60, time.Minute},
		{math.MaxInt64 / 1e9, 0}, {1e10, 0}, {math.MaxFloat64, 0}, {math.Inf(1), 0},
	} {
		if got := commandWith(t, "timeout", test.seconds).Timeout; got != test.want {
			t.Errorf("a limit of %g s became %d ns, want %d", test.seconds, got, test.want)
		}
	}
}

package jsapi

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// A power of big integers would end the process: the operator is compiled to a
// function that refuses it.
func TestPowerOfBigIntegersIsBounded(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export const small = () => [2n ** 10n, 2 ** 10, (-2n) ** 3n];
		export const assigned = () => { let n = 3n; n **= 4n; return n; };
		export const huge = () => 2n ** (2n ** 36n);
	`)
	small := call(t, iso, ns, "small").(*Array)
	if got := fmt.Sprint(small.Items[0]) + fmt.Sprint(small.Items[1]) + fmt.Sprint(small.Items[2]); got != "10241024-8" {
		t.Errorf("small powers: %s", got)
	}
	if got := fmt.Sprint(call(t, iso, ns, "assigned")); got != "81" {
		t.Errorf("assigned: %s", got)
	}
	_, err := iso.Call(context.Background(), testJob, ns.Method("huge"))
	var thrown *Error
	if !errors.As(err, &thrown) || thrown.Name != "RangeError" {
		t.Errorf("huge: %v, want a RangeError", err)
	}
}

package host

// childVariable names, in the environment, what the test binary does as a child
// process instead of running tests.
const childVariable = "HARNESS_TEST_CHILD"

// child runs what a test wants done in a process of its own, and ends that.
func child(what string) {
	if what == "" {
		return
	}
}

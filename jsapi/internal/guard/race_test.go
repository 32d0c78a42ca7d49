//go:build race

package guard

// The race detector makes everything slower and needs a large address space.
const (
	raceEnabled = true
	slower      = 15
)

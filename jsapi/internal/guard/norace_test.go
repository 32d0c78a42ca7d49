//go:build !race

package guard

const (
	raceEnabled = false
	slower      = 3
)

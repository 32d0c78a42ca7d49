package globals

import (
	"math/rand/v2"

	"github.com/dop251/goja"
)

// randomSource is Math.random: a generator seeded from the host when it is
// first used. A host without randomness leaves it with a fixed seed, since
// Math.random promises nothing that an error could be about.
func randomSource(host Host) goja.RandSource {
	var generator *rand.Rand
	return func() float64 {
		if generator == nil {
			var seed [32]byte
			_ = host.Random(seed[:])
			generator = rand.New(rand.NewChaCha8(seed))
		}
		return generator.Float64()
	}
}

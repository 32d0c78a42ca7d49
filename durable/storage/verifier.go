package storage

// Verifier is a storage that can compare its files with their checksums.
type Verifier interface {
	// Verify reads everything, and returns an error that names the first file that is
	// damaged.
	Verify() error
}

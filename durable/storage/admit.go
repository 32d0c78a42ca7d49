package storage

// Admitter is a storage that can tell before a commit that it would refuse it, while
// nothing of it is decided yet.
type Admitter interface {
	// Admit returns a [*RejectedError] when a commit of this size would be refused
	// now.
	Admit(size Size) error
}

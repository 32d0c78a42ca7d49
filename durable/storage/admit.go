package storage

// Admitter is a storage that can tell before a commit that it would refuse it, while
// nothing of it is decided yet.
type Admitter interface {
	// Admit returns a [*RejectedError] when commits of this size together would be
	// refused now: the one that is asked for, and all that were admitted before and
	// have not returned from Commit. What was admitted is not refused for lack of room.
	Admit(size Size) error
}

package storage

import "fmt"

// What one commit may hold. Every backend takes commits within these limits.
const (
	// MaxKey is the most bytes that a key has.
	MaxKey = 4 << 10
	// MaxValue is the most bytes that one value has.
	MaxValue = 32 << 20
	// MaxWrites is the most writes of a commit.
	MaxWrites = 10_000
	// MaxInline is the most bytes that the keys of a commit and its values of at
	// most Inline bytes have together.
	MaxInline = 2 << 20
	// Inline is the longest value that counts for MaxInline.
	Inline = 64 << 10
	// MaxCommit is the most bytes that all keys and values of a commit have together.
	MaxCommit = 64 << 20
)

// Size adds up what writes take of the limits. The zero value is empty.
type Size struct{ Writes, Inline, Bytes int }

// Add counts writes in.
func (s *Size) Add(writes ...Write) {
	for _, write := range writes {
		s.Writes++
		s.Bytes += len(write.Key) + len(write.Value)
		s.Inline += len(write.Key)
		if len(write.Value) <= Inline {
			s.Inline += len(write.Value)
		}
	}
}

// With returns the sum of two sizes.
func (s Size) With(other Size) Size {
	return Size{s.Writes + other.Writes, s.Inline + other.Inline, s.Bytes + other.Bytes}
}

// Without returns what is left of a size when another is taken from it.
func (s Size) Without(other Size) Size {
	return Size{s.Writes - other.Writes, s.Inline - other.Inline, s.Bytes - other.Bytes}
}

// Fits says whether one commit may be of this size.
func (s Size) Fits() bool {
	return s.Writes <= MaxWrites && s.Inline <= MaxInline && s.Bytes <= MaxCommit
}

// TooLargeError is a commit, a key or a value that does not keep to the limits.
// Nothing was written.
type TooLargeError struct {
	// What is "commit", "key" or "value".
	What string
	// Size is what the commit takes, or the write with the key or value.
	Size Size
	// Length is how many bytes the key or value has; 0 for a commit.
	Length int
}

func (e *TooLargeError) Error() string {
	switch e.What {
	case "key":
		return fmt.Sprintf("a key has %d bytes; keys have 1 to %d", e.Length, MaxKey)
	case "value":
		return fmt.Sprintf("a value has %d bytes of at most %d: store it in parts", e.Length, MaxValue)
	}
	return fmt.Sprintf("a commit has %d writes of %d bytes, %d of them in keys and small values; the limits are %d, %d and %d: split it",
		e.Size.Writes, e.Size.Bytes, e.Size.Inline, MaxWrites, MaxCommit, MaxInline)
}

// Check returns a [*TooLargeError] for writes that do not keep to the limits.
func Check(writes []Write) error {
	var size Size
	for _, write := range writes {
		var one Size
		one.Add(write)
		switch {
		case len(write.Key) == 0 || len(write.Key) > MaxKey:
			return &TooLargeError{What: "key", Size: one, Length: len(write.Key)}
		case len(write.Value) > MaxValue:
			return &TooLargeError{What: "value", Size: one, Length: len(write.Value)}
		}
		size = size.With(one)
	}
	if !size.Fits() {
		return &TooLargeError{What: "commit", Size: size}
	}
	return nil
}

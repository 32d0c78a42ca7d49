package worktree

import (
	"encoding/hex"
	"fmt"
)

// Hash is the SHA-1 id of a git object. The zero Hash names no object.
type Hash [20]byte

// ParseHash reads the 40 hexadecimal digits of an id, in either case.
func ParseHash(text string) (Hash, error) {
	var h Hash
	if len(text) != hex.EncodedLen(len(h)) {
		return Hash{}, fmt.Errorf("object id %q has %d characters, want 40 hexadecimal digits", text, len(text))
	}
	if _, err := hex.Decode(h[:], []byte(text)); err != nil {
		return Hash{}, fmt.Errorf("object id %q: %w", text, err)
	}
	return h, nil
}

// String gives the 40 lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether h names no object.
func (h Hash) IsZero() bool { return h == Hash{} }

// MarshalText writes the hexadecimal form, and nothing for the zero Hash.
func (h Hash) MarshalText() ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	return []byte(h.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*h = Hash{}
		return nil
	}
	parsed, err := ParseHash(string(text))
	if err != nil {
		return err
	}
	*h = parsed
	return nil
}

package registry

import "context"

// Instance is what an extension contributes at one scope. The zero value
// contributes nothing. It is not changed after it was added to a candidate.
type Instance struct {
	Tools    []Tool
	Sections []Section
	Wraps    []Wrap
	Tasks    []TaskDeclaration
	Commands []Command
	Hooks    []Hook
	Services []Service
	Needs    []Need

	// Limited says that the instance keeps the time limits of its handlers
	// itself, on a clock that starts when a handler really runs. Otherwise the
	// context of each handler ends at its limit ([Limits]).
	Limited bool

	// OnOpen is called once, after the instance's first generation was
	// promoted. An error is reported and changes nothing.
	OnOpen func(ctx context.Context) error
	// OnClose is called once, after the last generation that holds the instance
	// has drained, when OnOpen's turn had come before.
	OnClose func(ctx context.Context) error
	// Shutdown is called once, as the last call into the instance, also when
	// its candidate was refused.
	Shutdown func(ctx context.Context) error
}

// Command declares a slash command.
type Command struct {
	Name        string // without the slash: ^[a-z][a-z0-9_-]*$
	Description string
	Where       Position
}

// Need says that an extension calls a service, so that somebody has to provide
// it for the commit to go live.
type Need struct {
	Service string
	Where   Position
}

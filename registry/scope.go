package registry

// Scope says what an instance of an extension lives for.
type Scope string

const (
	ScopeGlobal  Scope = "global"  // one per harness
	ScopeAgent   Scope = "agent"   // one per agent profile
	ScopeSession Scope = "session" // one per conversation
)

func (s Scope) known() bool {
	return s == ScopeGlobal || s == ScopeAgent || s == ScopeSession
}

// ScopeContext says for what an instance is made. The zero value is global
// scope.
type ScopeContext struct {
	Scope        Scope  // empty means [ScopeGlobal]
	Agent        string // the agent profile, at agent and session scope
	Conversation string // the conversation's id, at session scope
}

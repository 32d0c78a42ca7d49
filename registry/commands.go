package registry

// DefaultReservedCommands are the commands of the harness itself, which no
// extension may take, sorted.
func DefaultReservedCommands() []string {
	return []string{
		"agent", "agents", "backend", "backends", "channels", "compact", "costs", "exit", "extensions",
		"group", "groups", "help", "info", "join", "model", "name", "new", "print", "pubkey", "q", "quit",
		"rename", "role", "routines", "s", "sessions", "share", "sharing", "sync", "unshare",
	}
}

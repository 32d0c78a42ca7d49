package registry

import "slices"

// CapabilityKey names a capability: one of the constants, or a key of an
// extension's own.
type CapabilityKey string

// Capabilities that only the host provides.
const (
	CapabilitySessionRead         CapabilityKey = "session_read"
	CapabilitySessionWrite        CapabilityKey = "session_write"
	CapabilitySettings            CapabilityKey = "settings"
	CapabilityToolRegistration    CapabilityKey = "tool_registration"
	CapabilityCommandRegistration CapabilityKey = "command_registration"
	CapabilityAgentStateAdmin     CapabilityKey = "agent_state_admin"
)

// Capabilities that an extension can provide, beside keys of its own.
const (
	CapabilityMessenger          CapabilityKey = "messenger"
	CapabilityMemory             CapabilityKey = "memory"
	CapabilityPromptAugmentation CapabilityKey = "prompt_augmentation"
	CapabilityContextTail        CapabilityKey = "context_tail"
	CapabilityStatusSegment      CapabilityKey = "status_segment"
)

// HostOnly reports whether only the host provides the capability.
func (k CapabilityKey) HostOnly() bool {
	switch k {
	case CapabilitySessionRead, CapabilitySessionWrite, CapabilitySettings,
		CapabilityToolRegistration, CapabilityCommandRegistration, CapabilityAgentStateAdmin:
		return true
	}
	return false
}

// CapabilityRequest asks for a capability.
type CapabilityRequest struct {
	Kind     CapabilityKey `json:"kind"`
	Provider string        `json:"provider,omitempty"` // an extension's name; empty means any. Only for what extensions provide
	// Agents limits [CapabilityAgentStateAdmin]: nil is no limit, an empty list
	// denies every agent.
	Agents []string `json:"agents,omitzero"`
}

func (r CapabilityRequest) equal(other CapabilityRequest) bool {
	return r.Kind == other.Kind && r.Provider == other.Provider &&
		(r.Agents == nil) == (other.Agents == nil) && slices.Equal(r.Agents, other.Agents)
}

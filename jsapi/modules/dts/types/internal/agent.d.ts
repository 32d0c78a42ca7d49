/** The agent of a conversation: its choices by name. */
import type { AgentChange } from "harness:internal/declarations";
/** A change in which extensions and tools stand by their names; undefined members are left out. */
export declare function agentNames(change: AgentChange | undefined): Record<string, unknown>;

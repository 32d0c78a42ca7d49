/** The agent of a conversation: its choices by name. */

import type { AgentChange } from "harness:internal/declarations";

/** A change in which extensions and tools stand by their names; undefined members are left out. */
export function agentNames(change: AgentChange | undefined): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(change ?? {})) {
    if (value !== undefined) named[key] = key === "extensions" || key === "tools" ? selection(value) : value;
  }
  return named;
}

function selection(value: any): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return names(value);
  const edited: Record<string, unknown> = {};
  for (const key of ["add", "remove"]) {
    if (value[key] !== undefined) edited[key] = names(value[key]);
  }
  return edited;
}

function names(list: readonly (string | { name: string })[]): string[] {
  return list.map((item) => (typeof item === "string" ? item : item.name));
}

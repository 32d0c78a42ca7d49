import type { ToolResult } from "harness";

/** A tool result of text lines. */
export function text(...lines: string[]): ToolResult {
  return { content: [{ type: "text", text: lines.join("\n") }] };
}

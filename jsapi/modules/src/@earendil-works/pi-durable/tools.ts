/** Tools for files and commands, over the environment of each call. */

import type { Context } from "@earendil-works/chord";
import type { Extension, ToolExecutionApi, ToolRegistration } from "@earendil-works/pi-durable";
import { createBashTool, type BashToolOptions } from "harness:internal/bash";
import { createEditTool } from "harness:internal/edit";
import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from "harness:internal/image";
import { createReadTool, type ReadToolOptions } from "harness:internal/read";
import { createWriteTool } from "harness:internal/write";

export { createBashTool, createEditTool, createReadTool, createWriteTool, DEFAULT_IMAGE_LIMITS };
export type { BashToolOptions, ImageLimits, ReadToolOptions };

/** Worlds have a POSIX shell: each call fails, and says so. */
export function createPowerShellTool(_options?: object): ToolRegistration<object, unknown> {
  return {
    name: "powershell",
    description: "Run a command in PowerShell, which worlds do not have: use bash.",
    parameters: {
      type: "object",
      properties: { command: { type: "string" }, timeout: { type: "number", exclusiveMinimum: 0 } },
      required: ["command"],
    },
    async execute(_args: any, _api: ToolExecutionApi, _context: Context) {
      throw new Error("powershell is not supported: a world has a POSIX shell; use bash");
    },
  };
}

/** read, write, edit and bash. */
export function createCodingTools(options: ReadToolOptions & BashToolOptions = {}): ToolRegistration<any, any>[] {
  return [createReadTool(options), createWriteTool(), createEditTool(), createBashTool(options)];
}

export const CodingTools: Extension = Object.freeze({ name: "coding-tools", tools: Object.freeze(createCodingTools()) });

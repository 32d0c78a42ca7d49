/** The tool that runs commands. */

import type { Context } from "@earendil-works/chord";
import type { Diagnostic, ToolExecutionApi, ToolRegistration, ToolResult } from "@earendil-works/pi-durable";
import type { ExecutionError, ShellExecResult } from "@earendil-works/pi-durable/env";
import { envOf } from "harness:internal/worktools";

/** What is run: prepare may give another. */
export interface PreparedCommand {
  command: string;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
}

export interface BashToolOptions {
  /** Put in front of each command, on a line of its own. */
  commandPrefix?: string;
  /** Sees each command before it runs. */
  prepare?(
    command: PreparedCommand,
    api: ToolExecutionApi<any>,
    context: Context,
  ): PreparedCommand | undefined | void | Promise<PreparedCommand | undefined | void>;
}

// The shell writes errors where the rest of the output goes, so that both are seen in
// the order in which they were written.
const oneStream = "exec 2>&1; ";

const limits = { maxBytes: 50 << 10, maxLines: 2000, retain: "tail" } as const;

export function createBashTool(options: BashToolOptions = {}): ToolRegistration<object, { exitCode?: number; spillPath?: string }> {
  return {
    name: "bash",
    description:
      "Run a command in the shell, in the working folder, and show what it writes to standard output and standard error. " +
      "Of a long output the end is shown, with a remark about the file that has all of it. Nothing of a command runs on after the call.",
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command." },
        timeout: { type: "number", exclusiveMinimum: 0, description: "Seconds after which the command is ended; none by default." },
      },
      required: ["command"],
      additionalProperties: false,
    },
    outputLimits: limits,
    async execute(args: { command: string; timeout?: number }, api, context) {
      const env = envOf(api);
      let prepared: PreparedCommand = { command: args.command };
      prepared = (await options.prepare?.(prepared, api, context)) ?? prepared;
      const prefix = options.commandPrefix ? `${options.commandPrefix}\n` : "";
      const window = typeof api.outputWindow === "object" ? api.outputWindow : undefined;
      const ended = await env.exec(
        prefix + oneStream + prepared.command,
        {
          cwd: prepared.cwd,
          env: prepared.env,
          timeout: args.timeout,
          onOutput: (text, _context, info) => api.output(text, info?.skipped),
          spill: { afterBytes: limits.maxBytes, afterLines: limits.maxLines },
          window,
        },
        context,
      );
      const spillPath = ended.ok ? ended.value.spillPath : ended.error.spillPath;
      if (spillPath !== undefined) {
        api.diagnostic({ severity: "info", code: "spilled", message: `the complete output is in ${spillPath}` });
      }
      return ended.ok ? exited(ended.value) : stopped(ended.error, args.timeout);
    },
  };
}

// What a command wrote has been published, and is the content of its result.
function exited({ exitCode, spillPath }: ShellExecResult): ToolResult<any> {
  const details = { exitCode, ...(spillPath !== undefined && { spillPath }) };
  if (exitCode === 0) return { details };
  return { isError: true, details, diagnostics: [failure("exit_code", `the command ended with exit code ${exitCode}`)] };
}

function stopped(error: ExecutionError, timeout: number | undefined): ToolResult<any> {
  if (error.code !== "timeout") throw error;
  return {
    isError: true,
    details: { ...(error.spillPath !== undefined && { spillPath: error.spillPath }) },
    diagnostics: [failure("timeout", `the command was ended after its time limit of ${timeout} s`)],
  };
}

function failure(code: string, message: string): Diagnostic {
  return { severity: "error", code, message };
}

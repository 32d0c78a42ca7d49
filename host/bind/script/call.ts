/** Calls of what an extension declared: what handlers get, and what their answers mean. */

import type { HookApi, ToolExecutionApi, ToolRegistration, ToolResult } from "@earendil-works/pi-durable";
import type { Context } from "@earendil-works/chord/context";
import { named, notAvailable } from "harness:bind/errors";

/** Publishes a value, or gives the output that is kept: all of it, or its end. Go bounds both. */
interface Publish {
  (kind: "output" | "details" | "diagnostic", value: unknown): void;
  (kind: "retained" | "window"): string;
}

const engine = "the durable engine";

function missing(member: string): () => Promise<never> {
  return async () => notAvailable(`api.${member}`, engine);
}

// No conversation makes a call yet, so all calls share what they do not have.
const withoutEngine = Object.freeze({
  taskId: undefined,
  conversationId: undefined,
  memo: missing("memo"),
  snapshot: missing("snapshot"),
  snapshotAsOf: missing("snapshotAsOf"),
});
const toolWithoutEngine = Object.freeze({
  ...withoutEngine,
  commit: missing("commit"),
  createTask: missing("createTask"),
  getTask: missing("getTask"),
  waitForTask: missing("waitForTask"),
  watchDoc: missing("watchDoc"),
  executeTool: missing("executeTool"),
  agent: missing("agent"),
  conversation: missing("conversation"),
});
const hookApi = withoutEngine as unknown as HookApi;

/** Runs a tool and gives its result in one form. */
export async function runTool(
  tool: ToolRegistration,
  args: unknown,
  callId: string,
  publish: Publish,
  context: Context,
): Promise<unknown> {
  const state = { settled: false };
  try {
    return toolResult(await tool.execute(args, toolApi(callId, publish, state), context), `tool ${tool.name}`);
  } finally {
    state.settled = true;
  }
}

// A plain object, so that a tool may spread it and pass it on.
function toolApi(callId: string, publish: Publish, state: { settled: boolean }): ToolExecutionApi {
  const live = () => {
    if (state.settled) throw named("Settled", `call ${callId} has settled`);
  };
  const api = {
    ...toolWithoutEngine,
    callId,
    output: (chunk: unknown) => {
      live();
      publish("output", String(chunk));
    },
    outputWindow: () => {
      live();
      return publish("window");
    },
    retainedOutput: () => {
      live();
      return publish("retained");
    },
    diagnostic: (diagnostic: unknown) => {
      live();
      publish("diagnostic", JSON.stringify(diagnostic));
    },
    details: async (details: unknown) => {
      live();
      publish("details", JSON.stringify(details));
    },
  };
  return api as unknown as ToolExecutionApi;
}

/** A result in the form that Go reads. Where both are there, output is what a handler put beside the content it got. */
export function toolResult(result: unknown, what: string): unknown {
  if (result === undefined || result === null) return { content: [], isError: false };
  if (typeof result === "string") return { content: [text(result)], isError: false };
  if (typeof result !== "object") throw new TypeError(`${what} must return an object, not ${typeof result}`);
  const { output, content, details, isError, diagnostics, control } = result as ToolResult;
  return {
    content: parts(output ?? content, what),
    details,
    isError: isError === true,
    diagnostics,
    control,
  };
}

function text(value: string): { type: "text"; text: string } {
  return { type: "text", text: value };
}

function parts(value: unknown, what: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [text(value)];
  if (!Array.isArray(value)) throw new TypeError(`${what}: output must be a string or an array of text and image parts`);
  return value.map((part: any) => {
    if (typeof part === "string") return text(part);
    if (part?.type === "text" && typeof part.text === "string") return text(part.text);
    if (part?.type === "image" && typeof part.data === "string" && typeof part.mimeType === "string") {
      return { type: "image", data: part.data, mimeType: part.mimeType };
    }
    throw new TypeError(`${what}: a part of the output must be { type: "text", text } or { type: "image", data, mimeType }`);
  });
}

/** Asks a gate about a call. What it gives is undefined or one decision. */
export function runGate(handler: Function, call: unknown, context: Context): unknown {
  return after(handler(call, hookApi, context), readDecision);
}

/** Shows a result to an afterTool handler. What it gives is undefined or another result. */
export function runAfter(handler: Function, call: unknown, result: unknown, context: Context): unknown {
  return after(handler(call, result, hookApi, context), (changed) =>
    changed === undefined || changed === null ? undefined : toolResult(changed, "afterTool"),
  );
}

// Most handlers answer at once; a promise would only cost them time.
function after(value: unknown, then: (value: unknown) => unknown): unknown {
  const pending = typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
  return pending ? Promise.resolve(value).then(then) : then(value);
}

function readDecision(decision: unknown): unknown {
  if (decision === undefined || decision === null) return undefined;
  if (typeof decision !== "object") throw new TypeError("beforeTool must return an object or nothing");
  const { block, ask, allow, arguments: changed } = decision as Record<string, unknown>;
  if (typeof block === "string") return { verdict: "block", reason: block };
  if (block !== undefined) throw new TypeError("beforeTool: block must be the reason, as a string");
  if (changed !== undefined && (typeof changed !== "object" || changed === null || Array.isArray(changed))) {
    throw new TypeError("beforeTool: arguments must be an object");
  }
  if (ask !== undefined) {
    if (typeof ask !== "string") throw new TypeError("beforeTool: ask must be the reason, as a string");
    return { verdict: "ask", reason: ask, arguments: changed };
  }
  if (allow === true) return { verdict: "allow", arguments: changed };
  if (changed === undefined) throw new TypeError("beforeTool must return { arguments }, { block }, { ask }, { allow: true } or nothing");
  return { verdict: "nothing", arguments: changed };
}

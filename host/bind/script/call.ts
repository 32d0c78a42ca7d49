/** Calls of tools: what they get, and what their answers mean. */

import type { ToolExecutionApi, ToolRegistration, ToolResult } from "@earendil-works/pi-durable";
import type { Context } from "@earendil-works/chord/context";
import { documentObserver } from "harness:bind/documents";
import { createEnv, type NativeEnv } from "harness:bind/env";
import { named, notAvailable } from "harness:bind/errors";
import { createSubmission } from "harness:bind/harness";
import { memo } from "harness:bind/memo";
import { models } from "harness:internal/models";
import { origin } from "harness:bind/origin";
import { ask, type Remote } from "harness:bind/remote";
import { registrySnapshot } from "harness:bind/registry";
import { strictCopy } from "harness:bind/strict";
import { commit, submissionOf, taskText } from "harness:bind/transaction";

/** Publishes a value, or gives the output that is kept: all of it, or its end. Go bounds both. */
interface Publish {
  (kind: "output" | "details" | "diagnostic", value: unknown, skipped?: object): void;
  (kind: "retained" | "window"): string;
}

/** What Go gives of a call. What only calls of conversations have is missing from others. */
export interface NativeCall {
  number: number;
  callId: string;
  publish: Publish;
  /** What wraps put in the place of members of the api. */
  overridden?: Record<string, unknown>;
  taskId?: number;
  conversationId?: number;
  remote?: Remote;
  window?: object;
  installed?(): any[];
  env?: NativeEnv;
}

/** Runs a tool and gives its result in one form. */
export async function runTool(tool: ToolRegistration, args: unknown, call: NativeCall, context: Context): Promise<unknown> {
  const state = { settled: false };
  const line = new Line();
  try {
    const result = await tool.execute(args, toolApi(call, state, line), context);
    await line.end();
    return toolResult(result, `tool ${tool.name}`);
  } finally {
    state.settled = true;
  }
}

// Members of a wrap's own run in another isolate: they are called one after another,
// and the call waits for them.
class Line {
  private last: Promise<unknown> = Promise.resolve();

  through(member: Function): Function {
    return (...args: unknown[]) => {
      const answer = this.last.then(() => member(...args));
      this.last = answer.catch(() => {});
      return answer;
    };
  }

  async end(): Promise<void> {
    await this.last;
  }
}

/** A plain object, so that a tool may spread it and pass it on. */
function toolApi(call: NativeCall, state: { settled: boolean }, line: Line): ToolExecutionApi {
  const { callId, publish, overridden } = call;
  const text = pieces();
  const live = () => {
    if (state.settled) throw named("Settled", `call ${callId} has settled`);
  };
  const members: Record<string | symbol, unknown> = {
    ...(call.remote === undefined ? outside : inside(call, call.remote, live)),
    callId,
    env: call.env && createEnv(call.env),
    output: (chunk: unknown, skipped?: object) => {
      live();
      publish("output", text(chunk), skipped);
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
      publish("details", JSON.stringify(strictCopy(details ?? null, "details", "left out")));
    },
  };
  if (call.remote === undefined) {
    members["outputWindow"] = () => {
      live();
      return publish("window");
    };
  }
  members[origin] = { number: call.number, members: { ...members } };
  for (const [member, value] of Object.entries(overridden ?? {})) {
    members[member] = typeof value === "function" ? line.through(value) : value;
  }
  return members as unknown as ToolExecutionApi;
}

// A character may come in two pieces of the output of a call.
function pieces(): (chunk: unknown) => string {
  let decoder: TextDecoder | undefined;
  return (chunk) =>
    chunk instanceof Uint8Array
      ? (decoder ??= new TextDecoder("utf-8", { ignoreBOM: true })).decode(chunk, { stream: true })
      : String(chunk);
}

function missing(member: string): () => Promise<never> {
  return async () => notAvailable(`api.${member}`, "a conversation: this call is made from outside of one");
}

// All calls from outside of conversations share what they do not have.
const outside = Object.freeze({
  taskId: undefined,
  conversationId: undefined,
  ...Object.fromEntries([
    "memo", "snapshot", "snapshotAsOf", "watchDoc", "commit", "createTask", "getTask", "waitForTask", "abortOwned",
    "executeTool", "agent", "conversation",
  ].map((member) => [member, missing(member)])),
});

// What only a call that a conversation makes can do.
function inside(call: NativeCall, remote: Remote, live: () => void): Record<string, unknown> {
  const checked: Remote = async (...asked) => {
    live();
    return remote(...asked);
  };
  return {
    taskId: call.taskId,
    conversationId: call.conversationId,
    outputWindow: call.window,
    models,
    registry: registrySnapshot(call.installed!),
    memo: memo(checked),
    ...documentObserver(checked),
    commit: (change: any, context?: Context) => commit(change, (callback) => ask(checked, "commit", {}, context, callback)),
    createTask: async (task: any, input: unknown, options: object, context?: Context) =>
      checked("createTask", taskText("api.createTask", task, input, options), context?.abortSignal),
    getTask: (id: number, context?: Context) => ask(checked, "getTask", { id }, context),
    waitForTask: (id: number, context?: Context) => ask(checked, "waitForTask", { id }, context),
    abortOwned: (id: number, context?: Context) => ask(checked, "abortOwned", { id }, context),
    agent: (context?: Context) => ask(checked, "agent", {}, context),
    conversation: (id: number, context?: Context) => workingConversation(checked, id, context),
    executeTool: async (name: string, args: unknown, context?: Context, options: any = {}) => {
      const { key, progress } = options;
      if (key !== undefined && (typeof key !== "string" || key === "")) {
        throw new TypeError("executeTool: a key must be a string that is not empty");
      }
      const given = strictCopy(args ?? {}, `the arguments of ${name}`, "left out");
      return ask(checked, "executeTool", { name, args: given, key }, context, progress);
    },
  };
}

/** A conversation that a call or a phase of a task works with. */
export async function workingConversation(remote: Remote, id: number, context?: Context): Promise<object | undefined> {
  if (!(await ask(remote, "conversation", { id }, context))) return undefined;
  return Object.freeze({
    id,
    submit: async (submission: any, context?: Context) => {
      const submitted = await ask(remote, "submit", { id, submission: submissionOf(submission) }, context);
      return createSubmission(submitted.remote, submitted.id);
    },
    abort: (context?: Context, options?: { background?: boolean }) =>
      ask(remote, "abort", { id, background: options?.background }, context),
    waitForIdle: (context?: Context) => ask(remote, "waitForIdle", { id }, context),
  });
}

/** A result in the form that Go reads. Where both are there, output is what a handler put beside the content it got. */
export function toolResult(result: unknown, what: string): unknown {
  if (result === undefined || result === null) return { isError: false };
  if (typeof result === "string") return { content: [textPart(result)], isError: false };
  if (typeof result !== "object") throw new TypeError(`${what} must return an object, not ${typeof result}`);
  if (Array.isArray(result)) throw new TypeError(`${what} must return an object, not an array: { output: [...] }`);
  const { output, content, details, isError, diagnostics, usage, structuredOutput, control } = result as ToolResult;
  return {
    content: output === undefined && content === undefined ? undefined : parts(output ?? content, what),
    details,
    isError: isError === true,
    diagnostics,
    usage,
    structuredOutput,
    control,
  };
}

function textPart(value: string): { type: "text"; text: string } {
  return { type: "text", text: value };
}

function parts(value: unknown, what: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [textPart(value)];
  if (!Array.isArray(value)) throw new TypeError(`${what}: output must be a string or an array of text and image parts`);
  return value.map((part: any) => {
    if (typeof part === "string") return textPart(part);
    if (part?.type === "text" && typeof part.text === "string") return textPart(part.text);
    if (part?.type === "image" && typeof part.data === "string" && typeof part.mimeType === "string") {
      return { type: "image", data: part.data, mimeType: part.mimeType };
    }
    throw new TypeError(`${what}: a part of the output must be { type: "text", text } or { type: "image", data, mimeType }`);
  });
}


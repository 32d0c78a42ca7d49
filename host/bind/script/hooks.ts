/** Handlers of hooks: what they get, and what their answers mean. */

import type { HookApi } from "@earendil-works/pi-durable";
import type { Context } from "@earendil-works/chord/context";
import { toolResult } from "harness:bind/call";
import { documentReader } from "harness:bind/documents";
import { notAvailable } from "harness:bind/errors";
import { memo } from "harness:bind/memo";
import { models } from "harness:internal/models";
import { type HostObject, hosted, isHosted } from "harness:bind/origin";
import type { Remote } from "harness:bind/remote";

/** What Go gives of the task that asks a hook. */
interface NativeHook extends HostObject {
  taskId: number;
  conversationId: number;
  remote: Remote;
}

function missing(member: string): () => Promise<never> {
  return async () => notAvailable(`api.${member}`, "a conversation: this call is made from outside of one");
}

// A call from outside of conversations has no task; all of them share what they lack.
const outside = Object.freeze({
  taskId: undefined,
  conversationId: undefined,
  models,
  memo: missing("memo"),
  snapshot: missing("snapshot"),
  snapshotAsOf: missing("snapshotAsOf"),
}) as unknown as HookApi;

function hookApi(native: NativeHook | undefined): HookApi {
  if (native === undefined) return outside;
  const { taskId, conversationId, remote } = native;
  return hosted({
    taskId,
    conversationId,
    models,
    memo: memo(remote),
    ...documentReader(remote),
  }) as unknown as HookApi;
}

type Handler = (...args: any[]) => unknown;

/** The function that Go calls for a handler of a kind: the subject, the task that asks, and the context. */
export function hookRunner(kind: string, handler: Handler): Function {
  switch (kind) {
    case "tool_call":
    case "pi.tool.beforeTool":
      return (call: unknown, asks: NativeHook | undefined, context: Context) => after(handler(call, hookApi(asks), context), readDecision);
    case "tool_result":
    case "pi.tool.afterTool":
      return resultRunner(handler, "afterTool");
    case "pi.tool.onAbort":
      return resultRunner(handler, "onAbort");
    case "pi.generation.beforeRequest":
    case "pi.generation.afterResponse":
    case "pi.generation.onYield":
    case "pi.compaction.beforeCompact":
      return (subject: unknown, asks: NativeHook | undefined, context: Context) => handler(subject, hookApi(asks), context);
    case "pi.generation.afterTools":
      return (response: number, results: number[], asks: NativeHook | undefined, context: Context) =>
        handler(response, results, hookApi(asks), context);
  }
  // A handler of a task of some extension's own gets what that passes.
  return (...args: unknown[]) => handler(...args.map((arg) => (isHosted(arg) ? hookApi(arg as NativeHook) : arg)));
}

function resultRunner(handler: Handler, name: string): Function {
  return (call: unknown, result: unknown, asks: NativeHook | undefined, context: Context) =>
    after(handler(call, result, hookApi(asks), context), (changed) =>
      changed === undefined || changed === null ? undefined : toolResult(changed, name));
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

/** Tasks: what their phases work with. */

import type { Context } from "@earendil-works/chord/context";
import { workingConversation } from "harness:bind/call";
import { documentObserver } from "harness:bind/documents";
import { createEnv, type NativeEnv } from "harness:bind/env";
import { memo } from "harness:bind/memo";
import { models } from "harness:internal/models";
import { crossing, hosted } from "harness:bind/origin";
import { registrySnapshot } from "harness:bind/registry";
import { ask, type Remote } from "harness:bind/remote";
import { strictText } from "harness:bind/strict";
import { runChange } from "harness:bind/transaction";

/** What Go gives of a phase. */
interface NativePhase {
  taskId: number;
  conversationId: number;
  remote: Remote;
  installed(): any[];
  now(): number;
  report(error: unknown): void;
}

/** The function that Go calls for a phase, or for the abort of a task. */
export function runPhase(phase: Function) {
  return async (task: unknown, native: NativePhase, context: Context): Promise<void> => {
    await phase(task, taskRuntime(native, context), context);
  };
}

function taskRuntime(native: NativePhase, context: Context): object {
  const { taskId, conversationId, remote, now, report } = native;
  return hosted({
    taskId,
    conversationId,
    get signal() {
      return context.abortSignal;
    },
    models,
    registry: registrySnapshot(native.installed),
    now,
    report,
    memo: memo(remote),
    ...documentObserver(remote),
    hooks: {
      each: (name: string, invoke: (handler: Function) => unknown) =>
        ask(remote, "eachHook", { name }, undefined, (call: Function) => invoke((...args: unknown[]) => call(...args.map(crossing)))),
    },
    commit: (change: any, given?: Context) => commitPhase(remote, change, given),
    agent: (given?: Context) => ask(remote, "agent", {}, given),
    env: async (given?: Context) => {
      const env: NativeEnv | undefined = await ask(remote, "env", {}, given);
      return env && createEnv(env);
    },
    conversation: (id: number, given?: Context) => workingConversation(remote, id, given),
    getTask: (id: number, given?: Context) => ask(remote, "getTask", { id }, given),
    waitForTask: (id: number, given?: Context) => ask(remote, "waitForTask", { id }, given),
    abortOwned: (id: number, given?: Context) => ask(remote, "abortOwned", { id }, given),
    ownedTasks: (given?: Context) => ask(remote, "ownedTasks", {}, given),
    outcomes: (ids: readonly number[], given?: Context) => ask(remote, "outcomes", { ids }, given),
    entry: (first: any, ...rest: any[]) =>
      typeof first === "object" && first !== null
        ? ask(remote, "entry", { kind: first.kind, id: rest[0] }, rest[1])
        : ask(remote, "entry", { id: first }, rest[0]),
    context: (id: number, given?: Context, options?: { at?: number }) => ask(remote, "context", { id, at: options?.at }, given),
    sleep: (until: number, given?: Context) => ask(remote, "sleep", { until }, given),
  });
}

// What the change returns becomes the state of the task, in the same commit.
async function commitPhase(remote: Remote, change: any, context?: Context): Promise<void> {
  if (typeof change !== "function") throw new TypeError("commit: the change must be a function");
  let thrown: { error: unknown } | undefined;
  try {
    await ask(remote, "commit", {}, context, async (tx: Remote, within: Context, current: unknown) => {
      try {
        return stateText(await runChange(tx, within, (given) => change(given, current)));
      } catch (error) {
        thrown = { error };
        throw error;
      }
    });
  } catch (error) {
    if (thrown !== undefined && (error as Error | undefined)?.name !== "CommitTimeout") throw thrown.error;
    throw error;
  }
}

function stateText(state: any): string | undefined {
  if (state === undefined || state === null) return undefined;
  const outcome = state.outcome;
  if (outcome?.status === "completed" && outcome.result === undefined) {
    return strictText({ ...state, outcome: { ...outcome, result: null } }, "the state of the task");
  }
  return strictText(state, "the state of the task");
}

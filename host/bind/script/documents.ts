/** Documents by their tokens: where they are, and the token's own code. */

import type { Context } from "@earendil-works/chord/context";
import { ask, type Remote } from "harness:bind/remote";
import { strictCopy, strictText } from "harness:bind/strict";
import { watchHandle } from "harness:bind/watches";

/** Where a document is, as Go reads it. */
export interface Address {
  kind: string;
  version: number;
  scope: "session" | "conversation" | "task";
  history?: string;
  fork?: string;
  family?: boolean;
  id?: number;
  key?: string;
}

type Code = [initial: Function | undefined, migrate: Function | undefined, checkpoint: Function | undefined];

// The code of a definition as Go calls it: JSON text comes out.
const wrapped = new WeakMap<object, Code>();

function codeOf(definition: any): Code {
  let code = wrapped.get(definition);
  if (code === undefined) {
    const of = `the document ${definition.kind}`;
    const { initial, migrate, checkpointWhen } = definition;
    code = [
      typeof initial === "function" ? (...seed: unknown[]) => strictText(Reflect.apply(initial, definition, seed), `initial of ${of}`) : undefined,
      typeof migrate === "function"
        ? (old: unknown, version: number) => strictText(Reflect.apply(migrate, definition, [old, version]), `migrate of ${of}`)
        : undefined,
      typeof checkpointWhen === "function"
        ? (value: unknown, ops: unknown, info: unknown) => Reflect.apply(checkpointWhen, definition, [value, ops, info]) === true
        : undefined,
    ];
    wrapped.set(definition, code);
  }
  return code;
}

/** Takes a token and its address from arguments; what comes after them is rest. */
export function addressed(member: string, token: any, args: readonly unknown[]): { at: Address; code: Code; rest: unknown[] } {
  const definition = token?.definition;
  if (typeof definition !== "object" || definition === null || typeof definition.kind !== "string") {
    throw new TypeError(`${member}: the document must be a token of defineDoc or defineDocFamily`);
  }
  const rest = [...args];
  const at: Address = { kind: definition.kind, version: definition.version, scope: definition.scope };
  if (definition.history !== undefined) at.history = definition.history;
  if (definition.fork !== undefined) at.fork = definition.fork;
  if (definition.scope !== "session") {
    const id = rest.shift();
    if (!Number.isSafeInteger(id)) {
      throw new TypeError(`${member}: a document of a ${definition.scope} is found by its id, which must be an integer, not ${String(id)}`);
    }
    at.id = id as number;
  }
  if (definition.family === true) {
    const key = rest.shift();
    if (typeof key !== "string") throw new TypeError(`${member}: a document of the family ${definition.kind} is found by its key, a string`);
    at.family = true;
    at.key = key;
  }
  return { at, code: codeOf(definition), rest };
}

/** What reads committed documents: members of harness(), of tasks, tools, hooks and sections. */
export function documentReader(remote: Remote) {
  return {
    snapshot: async (token: unknown, ...args: unknown[]) => {
      const { at, code, rest } = addressed("snapshot", token, args);
      return ask(remote, "snapshot", at, rest[0] as Context, ...code);
    },
    snapshotAsOf: async (token: unknown, ...args: unknown[]) => {
      const { at, code, rest } = addressed("snapshotAsOf", token, args);
      return ask(remote, "snapshotAsOf", { ...at, at: rest[0] }, rest[1] as Context, ...code);
    },
  };
}

/** documentReader, and what follows documents. */
export function documentObserver(remote: Remote) {
  return {
    ...documentReader(remote),
    watchDoc: async (token: unknown, ...args: unknown[]) => {
      const { at, code, rest } = addressed("watchDoc", token, args);
      const watch = await ask(remote, "watchDoc", at, rest[0] as Context, ...code);
      return watch && watchHandle(watch);
    },
  };
}

/** The seed of a member of a family. */
export function seedText(kind: string, seed: unknown): unknown {
  return seed === undefined ? undefined : strictCopy(seed, `the seed of the document ${kind}`, "left out");
}

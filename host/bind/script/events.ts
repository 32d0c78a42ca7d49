/** The world's log of events: what extensions tell, and what reacts to it. */

import type { EventFilter, EventLog, WorldEvent } from "harness";
import type { Native } from "harness:bind/native";
import { ask, type Remote } from "harness:bind/remote";
import { strictCopy } from "harness:bind/strict";
import { ofTransaction, runChange } from "harness:bind/transaction";

/** Tells of an event: in the commit of tx, else in one of its own. */
export async function emit(
  engine: () => Remote,
  type: string,
  payload: unknown,
  tx: unknown,
  about: { conversationId?: number } = {},
): Promise<number> {
  if (typeof type !== "string") throw new TypeError("emit: the type must be a string");
  const event = { type, payload: strictCopy(payload ?? null, `the payload of the event ${type}`, "left out"), ...about };
  return tx === undefined ? ask(engine(), "emit", event) : ofTransaction("emit", tx, "emit", event);
}

/** Stages a reactor: handler is the callback of a commit. */
export function react(
  native: Native,
  name: string,
  filter: EventFilter,
  handler: (event: WorldEvent, tx: any) => void | Promise<void>,
): void {
  if (typeof name !== "string" || name === "") throw new TypeError("react: the name must be a non-empty string");
  if (typeof handler !== "function") throw new TypeError(`react ${name}: the handler must be a function`);
  native("react")(JSON.stringify({ ...filter, name }), (remote, context, event) =>
    runChange(remote, context, (tx) => handler(event, tx)));
}

const everything = 1000;

export function createEventLog(engine: () => Remote): EventLog {
  return Object.freeze({
    read: async (query = {}) => ask(engine(), "readEvents", { limit: everything, ...query }),
    async *follow(query = {}) {
      const events: AsyncIterable<WorldEvent> = await ask(engine(), "followEvents", query);
      yield* events;
    },
    consumers: async () => ask(engine(), "consumers", {}),
    resume: async (name) => ask(engine(), "resumeConsumer", { name }),
  } satisfies EventLog);
}

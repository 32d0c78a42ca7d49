/** Memos: small values that a task keeps by name. */

import type { Context } from "@earendil-works/chord/context";
import { ask, type Remote, withText } from "harness:bind/remote";
import { strictText } from "harness:bind/strict";

/** memo(name, context) reads; memo(name, candidate, context) keeps the first candidate. */
export function memo(remote: Remote) {
  return async (name: string, ...rest: unknown[]): Promise<unknown> => {
    if (typeof name !== "string" || name === "") throw new TypeError("memo: the name must be a non-empty string");
    if (rest.length < 2) return ask(remote, "memo", { name }, rest[0] as Context | undefined);
    const candidate = strictText(rest[0], `the memo ${name}`);
    return remote("memoOnce", withText({ name }, "candidate", candidate), (rest[1] as Context | undefined)?.abortSignal);
  };
}

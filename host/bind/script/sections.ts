/** Sections of the prompt: what they are written from. */

import type { Context } from "@earendil-works/chord/context";
import { documentReader } from "harness:bind/documents";
import { createEnv, type NativeEnv } from "harness:bind/env";
import { origin } from "harness:bind/origin";
import type { Remote } from "harness:bind/remote";

/** What Go gives of a rendering. */
interface NativeSection {
  number: number;
  conversationId: number;
  agent: unknown;
  shown: Record<string, string>;
  remote: Remote;
  env?: NativeEnv;
}

/** Writes a section; undefined leaves it out. */
export async function runSection(render: Function, native: NativeSection, context: Context): Promise<string | undefined> {
  const { number, conversationId, agent, shown, remote } = native;
  const input = { conversationId, agent, env: native.env && createEnv(native.env), shown, read: documentReader(remote), [origin]: { number } };
  const text: unknown = await render(input, context);
  if (text === undefined || text === null || typeof text === "string") return text ?? undefined;
  throw new TypeError(`a section must be a string or undefined, not a ${typeof text}`);
}

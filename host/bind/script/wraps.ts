/** Wraps: the tool or the section inside, as the code around it sees it. */

import type { Context } from "@earendil-works/chord/context";
import { origin } from "harness:bind/origin";

/** A tool as Go gives it to a wrap. */
interface NativeTool {
  execute(args: string, number: number, overridden: object | undefined, signal: AbortSignal | undefined): Promise<unknown>;
  prepareArguments?(args: string): Promise<unknown>;
}

/** A tool whose execute takes the api of the call, or what was made of it. */
export function toolInside(native: NativeTool): object {
  const { execute, prepareArguments, ...said } = native;
  return {
    ...said,
    execute: async (args: unknown, api: any, context?: Context) => {
      const from = api?.[origin];
      if (from === undefined) throw new TypeError("execute: the api must be that of the call, or made from it: { ...api, … }");
      return execute(JSON.stringify(args ?? {}), from.number, overridden(api, from.members), context?.abortSignal);
    },
    ...(prepareArguments && { prepareArguments: (args: unknown) => prepareArguments(JSON.stringify(args ?? null)) }),
  };
}

// The members that are not what the call came with.
function overridden(api: Record<string, unknown>, members: Record<string, unknown>): object | undefined {
  const changed = Object.entries(api).filter(([member, value]) => value !== members[member]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** A section as Go gives it to a wrap. */
interface NativeSection {
  render(number: number): Promise<string | undefined>;
}

export function sectionInside(native: NativeSection): object {
  const { render, ...said } = native;
  return {
    ...said,
    render: async (input: any) => {
      const from = input?.[origin];
      if (from === undefined) throw new TypeError("render: the input must be that of the section around it");
      return render(from.number);
    },
  };
}

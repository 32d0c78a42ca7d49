/** Values that outlive generations. One instance of this module serves an isolate. */

import { createHost } from "harness:bind/host";
import type { Native } from "harness:bind/native";
import type { Host } from "harness";

interface Resource {
  value: unknown;
  dispose: ((value: any) => unknown) | undefined;
}

const kept = new Map<string, Resource>();
const creating = new Set<string>();

/** The value under key, made by create when there is none. */
export function resource<T>(
  native: Native,
  key: string,
  create: (host: Host) => T,
  dispose?: (value: Awaited<T>) => unknown,
): T {
  if (typeof key !== "string" || key === "") throw new TypeError("resource: the key must be a non-empty string");
  if (typeof create !== "function") throw new TypeError(`resource ${key}: create must be a function`);
  if (creating.has(key)) throw new Error(`resource ${key}: create asks for the resource that it is making`);
  native("claim")(key);
  const known = kept.get(key);
  if (known !== undefined) return known.value as T;
  return make(native, key, create, dispose);
}

function make<T>(
  native: Native,
  key: string,
  create: (host: Host) => T,
  dispose: ((value: Awaited<T>) => unknown) | undefined,
): T {
  const made: Resource = { value: undefined, dispose };
  let own: Native = native;
  creating.add(key);
  try {
    native("create")(key, (given) => {
      own = given;
      made.value = create(createHost(own));
    });
  } finally {
    creating.delete(key);
  }
  kept.set(key, made);
  if (made.value instanceof Promise) {
    // The generation that asked for the resource may be gone by then, so the
    // resource's own natives forget it.
    made.value.catch(() => {
      if (kept.get(key) === made) {
        kept.delete(key);
        own("forget")();
      }
    });
  }
  return made.value as T;
}

/** Ends a resource. Go calls it when the resource's owner has to go. */
export async function disposeResource(key: string): Promise<void> {
  const known = kept.get(key);
  if (known === undefined) return;
  kept.delete(key);
  if (known.dispose !== undefined) await known.dispose(await known.value);
}

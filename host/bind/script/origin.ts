/** Objects of the host that authors spread and pass on, and how they are known again. */

/** The member by which an object that was spread is known: what it was made from. */
export const origin = Symbol("harness origin");

/** A plain object that stands for an object of the host on its way to another isolate. */
export interface HostObject {
  "harness:host"?: boolean;
}

/** Notes that an object is one of the host. */
export function hosted<T extends object>(made: T): T {
  return Object.defineProperty(made, origin, { value: true, enumerable: true });
}

/** Whether a value came from another isolate in the place of an object of the host. */
export function isHosted(value: unknown): boolean {
  return typeof value === "object" && value !== null && (value as HostObject)["harness:host"] === true;
}

/** What crosses to another isolate for an argument: an object of the host is made anew there. */
export function crossing(value: unknown): unknown {
  return typeof value === "object" && value !== null && origin in value ? { "harness:host": true } : value;
}

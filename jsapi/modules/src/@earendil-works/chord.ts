/** Services that extensions offer each other. */

export type { Context, ContextKey } from "@earendil-works/chord/context";

/** A value that JSON can express. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

declare const serviceType: unique symbol;

/** Names a service of type T. */
export interface ServiceToken<T> {
  readonly id: string;
  readonly local: boolean;
  /** For the type checker only. */
  readonly [serviceType]?: T;
}

/**
 * Makes the token of a service. Tokens of one id are interchangeable, so each
 * side of a call may make its own. Throws a TypeError when id is empty or starts
 * with `$chord.`.
 */
export function defineService<T extends object>(id: string, options?: { local?: boolean }): ServiceToken<T> {
  if (typeof id !== "string" || id === "") throw new TypeError("a service id is a non-empty string");
  if (id.startsWith("$chord.")) throw new TypeError(`service id ${JSON.stringify(id)}: ids starting with $chord. are reserved`);
  return Object.freeze({ id, local: options?.local ?? false });
}

/** Whether value can be written as JSON and read back equal. */
export function isJsonValue(value: unknown): value is JsonValue {
  return isJson(value, []);
}

function isJson(value: unknown, above: readonly object[]): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (above.includes(value)) return false;
  const path = [...above, value];
  if (Array.isArray(value)) {
    // Array.from also visits holes, which JSON cannot express.
    return Array.from(value).every((item) => isJson(item, path));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.getOwnPropertySymbols(value).length === 0 && Object.values(value).every((item) => isJson(item, path));
}

/** JSON values of authors: copied strictly, since what is stored must be what was meant. */

/** A value that JSON stands for. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function wrong(what: string, path: string, found: string): never {
  throw new TypeError(`${what}${path === "" ? "" : ` at ${path}`} must be JSON, not ${found}`);
}

// Whether members that are undefined are left out, as JSON.stringify does, or refused.
type Undefined = "refused" | "left out";

/** A copy of a value, or a TypeError that names the part that no JSON stands for. */
export function strictCopy(value: unknown, what: string, missing: Undefined = "refused"): Json {
  return copy(value, what, "", missing, []);
}

/** The JSON text of a value; members that are undefined are left out. */
export function strictText(value: unknown, what: string): string {
  return JSON.stringify(strictCopy(value, what, "left out"));
}

function copy(value: unknown, what: string, path: string, missing: Undefined, within: object[]): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) wrong(what, path, String(value));
      return value;
    case "object":
      if (value === null) return null;
      if (within.includes(value)) wrong(what, path, "a value that contains itself");
      return container(value, what, path, missing, [...within, value]);
    default:
      return wrong(what, path, value === undefined ? "undefined" : `a ${typeof value}`);
  }
}

function container(value: object, what: string, path: string, missing: Undefined, within: object[]): Json {
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (let index = 0; index < value.length; index++) {
      if (!(index in value)) wrong(what, `${path}[${index}]`, "a hole in an array");
      items.push(copy(value[index], what, `${path}[${index}]`, missing, within));
    }
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) wrong(what, path, `an instance of ${className(value)}`);
  if (Object.getOwnPropertySymbols(value).length > 0) wrong(what, path, "an object with a symbol as a key");
  const members: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    const property = Object.getOwnPropertyDescriptor(value, key)!;
    if (!("value" in property)) wrong(what, at, "an accessor");
    if (property.value === undefined && missing === "left out") continue;
    define(members, key, copy(property.value, what, at, missing, within));
  }
  return members;
}

/** Adds an ordinary member: a plain assignment of `__proto__` would do something else. */
export function define(members: object, key: string, value: unknown): void {
  Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

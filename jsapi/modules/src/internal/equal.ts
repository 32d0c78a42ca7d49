/** Deep equality, as Node's assert and util define it. */

interface Comparison {
  strict: boolean;
  /** Pairs that are being compared: a cycle is equal to itself. */
  open: Map<object, object>;
}

const tagOf = (value: object): string => Object.prototype.toString.call(value);

export function deepEqual(left: unknown, right: unknown, strict: boolean): boolean {
  return equal(left, right, { strict, open: new Map() });
}

function equal(left: unknown, right: unknown, comparison: Comparison): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right)) {
    // NaN has been found equal to itself above.
    return !comparison.strict && !isObject(left) && !isObject(right) && left == right;
  }
  if (tagOf(left) !== tagOf(right)) return false;
  if (comparison.strict && Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (comparison.open.get(left) === right) return true;
  comparison.open.set(left, right);
  try {
    return sameContent(left, right, comparison) && sameMembers(left, right, comparison);
  } finally {
    comparison.open.delete(left);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

// Compares what objects hold beside their members.
function sameContent(left: object, right: object, comparison: Comparison): boolean {
  if (Array.isArray(left)) return Array.isArray(right) && left.length === right.length;
  if (left instanceof Date) return right instanceof Date && Object.is(left.getTime(), right.getTime());
  if (left instanceof RegExp) return String(left) === String(right);
  if (left instanceof Error) return right instanceof Error && sameErrors(left, right, comparison);
  if (left instanceof Map) return right instanceof Map && sameMaps(left, right, comparison);
  if (left instanceof Set) return right instanceof Set && sameSets(left, right, comparison);
  if (ArrayBuffer.isView(left) || left instanceof ArrayBuffer) return sameBytes(bytesOf(left), bytesOf(right));
  if (left instanceof Number || left instanceof String || left instanceof Boolean) {
    return Object.is(left.valueOf(), right.valueOf());
  }
  return true;
}

function sameErrors(left: Error, right: Error, comparison: Comparison): boolean {
  return left.name === right.name && left.message === right.message && equal(left.cause, right.cause, comparison);
}

function sameMaps(left: Map<unknown, unknown>, right: Map<unknown, unknown>, comparison: Comparison): boolean {
  if (left.size !== right.size) return false;
  const rest = [...right];
  return [...left].every(([key, value]) =>
    take(rest, ([otherKey, other]) => equal(key, otherKey, comparison) && equal(value, other, comparison)),
  );
}

function sameSets(left: Set<unknown>, right: Set<unknown>, comparison: Comparison): boolean {
  if (left.size !== right.size) return false;
  const rest = [...right];
  return [...left].every((value) => take(rest, (other) => equal(value, other, comparison)));
}

// Takes the first item that fits out of list.
function take<T>(list: T[], fits: (item: T) => boolean): boolean {
  const index = list.findIndex(fits);
  if (index < 0) return false;
  list.splice(index, 1);
  return true;
}

function bytesOf(value: object): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return new Uint8Array(value as ArrayBuffer);
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function sameMembers(left: object, right: object, comparison: Comparison): boolean {
  // The elements of bytes have been compared.
  if (ArrayBuffer.isView(left)) return true;
  const keys = members(left, comparison);
  return (
    keys.length === members(right, comparison).length &&
    keys.every(
      (key) =>
        Object.prototype.propertyIsEnumerable.call(right, key) &&
        equal(Reflect.get(left, key), Reflect.get(right, key), comparison),
    )
  );
}

function members(object: object, { strict }: Comparison): PropertyKey[] {
  const names: PropertyKey[] = Object.keys(object);
  if (!strict) return names;
  const symbols = Object.getOwnPropertySymbols(object);
  return [...names, ...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(object, key))];
}

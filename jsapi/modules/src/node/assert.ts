/** Assertions, which throw an AssertionError. */

import { deepEqual as compare } from "harness:internal/equal";
import { inspect } from "harness:internal/inspect";

type Message = string | Error | undefined;
type ErrorPattern = RegExp | (new (...args: any[]) => Error) | Error | Record<string, unknown> | ((error: any) => boolean);

/** An assertion that did not hold. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  readonly code = "ERR_ASSERTION";
  readonly actual: unknown;
  readonly expected: unknown;
  readonly operator: string;
  readonly generatedMessage: boolean;

  constructor(options: { message?: string | undefined; actual?: unknown; expected?: unknown; operator?: string }) {
    const { actual, expected, operator = "fail" } = options;
    super(options.message ?? `${inspect(actual)} ${operator} ${inspect(expected)} does not hold`);
    this.generatedMessage = options.message === undefined;
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
}

function check(holds: boolean, operator: string, actual: unknown, expected: unknown, message: Message): void {
  if (holds) return;
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, actual, expected, operator });
}

export function ok(value: unknown, message?: string | Error): asserts value {
  check(Boolean(value), "==", value, true, message ?? `${inspect(value)} is not truthy`);
}

export function fail(message: string | Error = "Failed"): never {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message });
}

export function equal(actual: unknown, expected: unknown, message?: string | Error): void {
  check(actual == expected || Object.is(actual, expected), "==", actual, expected, message);
}

export function notEqual(actual: unknown, expected: unknown, message?: string | Error): void {
  check(actual != expected && !Object.is(actual, expected), "!=", actual, expected, message);
}

export function strictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T {
  check(Object.is(actual, expected), "strictEqual", actual, expected, message);
}

export function notStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void {
  check(!Object.is(actual, expected), "notStrictEqual", actual, expected, message);
}

export function deepEqual(actual: unknown, expected: unknown, message?: string | Error): void {
  check(compare(actual, expected, false), "deepEqual", actual, expected, message);
}

export function notDeepEqual(actual: unknown, expected: unknown, message?: string | Error): void {
  check(!compare(actual, expected, false), "notDeepEqual", actual, expected, message);
}

export function deepStrictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T {
  check(compare(actual, expected, true), "deepStrictEqual", actual, expected, message);
}

export function notDeepStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void {
  check(!compare(actual, expected, true), "notDeepStrictEqual", actual, expected, message);
}

export function match(text: string, pattern: RegExp, message?: string | Error): void {
  check(typeof text === "string" && text.search(pattern) >= 0, "match", text, pattern, message);
}

export function doesNotMatch(text: string, pattern: RegExp, message?: string | Error): void {
  check(typeof text === "string" && text.search(pattern) < 0, "doesNotMatch", text, pattern, message);
}

/** Throws value unless it is null or undefined. */
export function ifError(value: unknown): void {
  if (value !== null && value !== undefined) throw value;
}

export function throws(run: () => unknown, expected?: ErrorPattern | string, message?: string | Error): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
    checkError(thrown, expected, message);
    return;
  }
  check(false, "throws", undefined, expected, missing("exception", expected, message));
}

export function doesNotThrow(run: () => unknown, message?: string | Error): void {
  try {
    run();
  } catch (error) {
    check(false, "doesNotThrow", error, undefined, message ?? `Got unwanted exception: ${inspect(error)}`);
  }
}

export async function rejects(
  work: Promise<unknown> | (() => Promise<unknown>),
  expected?: ErrorPattern | string,
  message?: string | Error,
): Promise<void> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    checkError(error, expected, message);
    return;
  }
  check(false, "rejects", undefined, expected, missing("rejection", expected, message));
}

export async function doesNotReject(
  work: Promise<unknown> | (() => Promise<unknown>),
  message?: string | Error,
): Promise<void> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    check(false, "doesNotReject", error, undefined, message ?? `Got unwanted rejection: ${inspect(error)}`);
  }
}

function missing(what: string, expected: unknown, message: Message): Message {
  if (message instanceof Error) return message;
  const reason = message ?? (typeof expected === "string" ? expected : undefined);
  return `Missing expected ${what}${reason === undefined ? "." : `: ${reason}`}`;
}

// Whether an error is the expected one; a string in its place is the message.
function checkError(error: unknown, expected: ErrorPattern | string | undefined, message: Message): void {
  if (expected === undefined || typeof expected === "string") return;
  if (expected instanceof RegExp) {
    check(String(error).search(expected) >= 0, "throws", error, expected, message);
  } else if (typeof expected !== "function") {
    for (const [key, value] of Object.entries(describe(expected))) checkMember(error, key, value, message);
  } else if (expected.prototype !== undefined && error instanceof expected) {
    return;
  } else if (isErrorClass(expected)) {
    check(false, "throws", error, expected, message ?? `${inspect(error)} is no ${expected.name}`);
  } else {
    check(Reflect.apply(expected, undefined, [error]) === true, "throws", error, expected, message);
  }
}

function isErrorClass(candidate: Function): boolean {
  return candidate === Error || candidate.prototype instanceof Error;
}

function describe(expected: object): object {
  return expected instanceof Error ? { ...expected, name: expected.name, message: expected.message } : expected;
}

function checkMember(error: unknown, key: string, expected: unknown, message: Message): void {
  const actual: unknown = error === null || error === undefined ? undefined : Reflect.get(Object(error), key);
  const holds =
    expected instanceof RegExp && typeof actual === "string"
      ? actual.search(expected) >= 0
      : compare(actual, expected, true);
  check(holds, `throws (${key})`, actual, expected, message);
}

const assertions = {
  AssertionError,
  ok,
  fail,
  equal,
  notEqual,
  strictEqual,
  notStrictEqual,
  deepEqual,
  notDeepEqual,
  deepStrictEqual,
  notDeepStrictEqual,
  match,
  doesNotMatch,
  ifError,
  throws,
  doesNotThrow,
  rejects,
  doesNotReject,
};

/** Assertions with the strict forms under the short names. */
export const strict: typeof assertions = {
  ...assertions,
  equal: strictEqual,
  notEqual: notStrictEqual,
  deepEqual: deepStrictEqual,
  notDeepEqual: notDeepStrictEqual,
};

const assert: ((value: unknown, message?: string | Error) => asserts value) & typeof assertions & { strict: typeof strict } =
  Object.assign((value: unknown, message?: string | Error): asserts value => ok(value, message), assertions, { strict });

export default assert;

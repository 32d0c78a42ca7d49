/** Text for people, promises from callbacks, and comparison. */

import { deepEqual } from "harness:internal/equal";
import { custom, format, inspect as show, type InspectOptions } from "harness:internal/inspect";

export type { InspectOptions };
export { format };

const { TextDecoder, TextEncoder } = globalThis;
export { TextDecoder, TextEncoder };

/** A value as text for people. */
export const inspect: ((value: unknown, options?: InspectOptions) => string) & { readonly custom: symbol } =
  Object.assign((value: unknown, options?: InspectOptions) => show(value, options), { custom });

type Callback<T> = (error: unknown, value: T) => void;

const promisified = Symbol.for("nodejs.util.promisify.custom");

interface Promisify {
  <Args extends unknown[], T>(original: (...args: [...Args, Callback<T>]) => void): (...args: Args) => Promise<T>;
  readonly custom: symbol;
}

/** A function that returns a promise, from one that takes a callback last. */
export const promisify: Promisify = Object.assign(
  <Args extends unknown[], T>(original: (...args: [...Args, Callback<T>]) => void): ((...args: Args) => Promise<T>) => {
    if (typeof original !== "function") throw new TypeError("promisify takes a function");
    const own = Reflect.get(original, promisified) as unknown;
    if (typeof own === "function") return own as (...args: Args) => Promise<T>;
    return function (this: unknown, ...args: Args): Promise<T> {
      return new Promise((resolve, reject) => {
        const settle: Callback<T> = (error, value) => (error ? reject(error) : resolve(value));
        Reflect.apply(original, this, [...args, settle]);
      });
    };
  },
  { custom: promisified },
);

/** A function that takes a callback last, from one that returns a promise. */
export function callbackify<Args extends unknown[], T>(
  original: (...args: Args) => Promise<T>,
): (...args: [...Args, Callback<T | undefined>]) => void {
  return (...args) => {
    const callback = args.pop() as Callback<T | undefined>;
    original(...(args as unknown as Args)).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error: unknown) => queueMicrotask(() => callback(error, undefined)),
    );
  };
}

export function isDeepStrictEqual(left: unknown, right: unknown): boolean {
  return deepEqual(left, right, true);
}

/** Text without the escape sequences that colour a terminal. */
export function stripVTControlCharacters(text: string): string {
  return text.replace(/[\u001b\u009b](?:\][^\u0007]*\u0007|[[()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g, "");
}

const tag = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** What a value is, whatever made it. */
export const types = Object.freeze({
  isDate: (value: unknown): value is Date => tag(value) === "Date",
  isRegExp: (value: unknown): value is RegExp => tag(value) === "RegExp",
  isMap: (value: unknown): value is Map<unknown, unknown> => value instanceof Map,
  isSet: (value: unknown): value is Set<unknown> => value instanceof Set,
  isPromise: (value: unknown): value is Promise<unknown> => value instanceof Promise,
  isNativeError: (value: unknown): value is Error => value instanceof Error,
  isTypedArray: (value: unknown): boolean => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isUint8Array: (value: unknown): value is Uint8Array => value instanceof Uint8Array,
  isAnyArrayBuffer: (value: unknown): value is ArrayBuffer => value instanceof ArrayBuffer,
});

export default {
  TextDecoder,
  TextEncoder,
  callbackify,
  format,
  inspect,
  isDeepStrictEqual,
  promisify,
  stripVTControlCharacters,
  types,
};

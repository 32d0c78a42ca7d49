/**
 * Immutable contexts: an abort signal and values that travel with a call.
 *
 * One instance of this module serves an isolate, because the key of the signal
 * is private to it.
 */

/** Names a value that contexts carry. T is the value's type. */
export interface ContextKey<T> {
  readonly token: symbol;
  /** For the type checker only. */
  readonly type?: T;
}

/** What a call carries. A context never changes; the functions below derive new ones. */
export interface Context {
  /** Aborted when the work of this context is to stop. */
  readonly abortSignal: AbortSignal | undefined;
  /** The value under key, or undefined. */
  value<T>(key: ContextKey<T>): T | undefined;
  toString(): string;
}

const signalKey = createContextKey<AbortSignal | undefined>("chord.abortSignal");

class RootContext implements Context {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get abortSignal(): undefined {
    return undefined;
  }

  value(): undefined {
    return undefined;
  }

  toString(): string {
    return `[Context ${this.#name}]`;
  }
}

class ValueContext implements Context {
  readonly #parent: Context;
  readonly #key: ContextKey<unknown>;
  readonly #value: unknown;

  constructor(parent: Context, key: ContextKey<unknown>, value: unknown) {
    this.#parent = parent;
    this.#key = key;
    this.#value = value;
  }

  get abortSignal(): AbortSignal | undefined {
    return this.value(signalKey);
  }

  value<T>(key: ContextKey<T>): T | undefined {
    return key.token === this.#key.token ? (this.#value as T) : this.#parent.value(key);
  }

  toString(): string {
    return `${this.#parent}.WithValue(${this.#key.token.description})`;
  }
}

/** The context of work that nothing bounds. */
export const BACKGROUND_CONTEXT: Context = new RootContext("BACKGROUND_CONTEXT");

/** The context of code that does not get one yet. */
export const TODO_CONTEXT: Context = new RootContext("TODO_CONTEXT");

/** Makes a key. Two keys are never equal, also with the same description. */
export function createContextKey<T>(description: string): ContextKey<T> {
  return Object.freeze({ token: Symbol(description) });
}

/** A context that carries value under key, and all that parent carries. */
export function withContextValue<T>(key: ContextKey<T>, value: T, parent: Context): Context {
  return new ValueContext(parent, key, value);
}

/** A context that ends with signal or with context, whichever aborts first. */
export function withAbortSignal(signal: AbortSignal, context: Context): Context {
  const outer = context.abortSignal;
  const combined = outer === undefined || outer === signal ? signal : AbortSignal.any([outer, signal]);
  return withContextValue(signalKey, combined, context);
}

/** A context with the values of context that does not end with it. */
export function withoutAbortSignal(context: Context): Context {
  return withContextValue(signalKey, undefined, context);
}

/** A context that ends with context or when cancel is called. */
export function withCancel(context: Context): { context: Context; cancel: (reason?: unknown) => void } {
  const controller = new AbortController();
  return {
    context: withAbortSignal(controller.signal, context),
    cancel: (reason) => controller.abort(reason),
  };
}

/**
 * Waits for promise no longer than context lives. Only the wait ends: what the
 * promise stands for goes on. Rejects with the signal's reason when that is an
 * Error, else with an AbortError.
 */
export async function awaitWithContext<T>(promise: Promise<T>, context: Context): Promise<T> {
  const signal = context.abortSignal;
  if (signal === undefined) return promise;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(abortError(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  // When the promise was settled first, nobody looks at the other one.
  aborted.catch(() => {});
  // What rejects after the wait ended has no reader either.
  promise.catch(() => {});
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException("The operation was aborted", "AbortError");
}

/**
 * The prototype of the contexts of calls that the host makes. The host's objects
 * have an abortSignal of their own, which is made when it is first read, since
 * few calls ask.
 *
 * @internal
 */
export const callContextPrototype = {
  value<T>(this: Context, key: ContextKey<T>): T | undefined {
    return key.token === signalKey.token ? (this.abortSignal as T | undefined) : undefined;
  },

  toString(): string {
    return `${BACKGROUND_CONTEXT}.WithValue(${signalKey.token.description})`;
  },
};

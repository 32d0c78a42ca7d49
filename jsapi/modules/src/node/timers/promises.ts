/** Timers as promises. */

import { abortError } from "harness:internal/abort";

interface TimerOptions {
  /** Ends the wait with an AbortError whose cause is the signal's reason. */
  signal?: AbortSignal | undefined;
}

const timers = globalThis;

/** Resolves to value after ms milliseconds. */
export function setTimeout<T = void>(ms?: number, value?: T, options?: TimerOptions): Promise<T> {
  return wait(options, (done) => {
    const timer = timers.setTimeout(done, ms);
    return () => timers.clearTimeout(timer);
  }, value as T);
}

/** Resolves to value after what waits already has run. */
export function setImmediate<T = void>(value?: T, options?: TimerOptions): Promise<T> {
  return wait(options, (done) => {
    const timer = timers.setImmediate(done);
    return () => timers.clearImmediate(timer);
  }, value as T);
}

/** Yields value every ms milliseconds until the loop is left or the signal aborts. */
export async function* setInterval<T = void>(ms?: number, value?: T, options?: TimerOptions): AsyncGenerator<T, void> {
  for (;;) yield await setTimeout(ms, value as T, options);
}

export const scheduler: {
  wait(ms: number, options?: TimerOptions): Promise<void>;
  yield(): Promise<void>;
} = {
  wait: (ms, options) => setTimeout(ms, undefined, options),
  yield: () => setImmediate(),
};

function wait<T>(options: TimerOptions | undefined, start: (done: () => void) => () => void, value: T): Promise<T> {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError(signal));
      return;
    }
    const aborted = (): void => {
      stop();
      reject(abortError(signal!));
    };
    const stop = start(() => {
      signal?.removeEventListener("abort", aborted);
      resolve(value);
    });
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

export default { setTimeout, setImmediate, setInterval, scheduler };

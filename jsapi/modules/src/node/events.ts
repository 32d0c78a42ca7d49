/** Emitters: objects that call listeners by the name of an event. */

import { abortError } from "harness:internal/abort";

type EventName = string | symbol;
type Listener = (...args: any[]) => void;

interface Registration {
  listener: Listener;
  once: boolean;
}

/** Calls listeners in the order in which they were added. */
export class EventEmitter {
  static defaultMaxListeners = 10;
  static once = once;
  static EventEmitter = EventEmitter;

  #registrations = new Map<EventName, readonly Registration[]>();
  #maxListeners: number | undefined;

  on(name: EventName, listener: Listener): this {
    return this.#add(name, { listener, once: false }, "last");
  }

  addListener(name: EventName, listener: Listener): this {
    return this.on(name, listener);
  }

  once(name: EventName, listener: Listener): this {
    return this.#add(name, { listener, once: true }, "last");
  }

  prependListener(name: EventName, listener: Listener): this {
    return this.#add(name, { listener, once: false }, "first");
  }

  prependOnceListener(name: EventName, listener: Listener): this {
    return this.#add(name, { listener, once: true }, "first");
  }

  /** Takes away the newest registration of listener. */
  off(name: EventName, listener: Listener): this {
    const list = this.#registrations.get(name) ?? [];
    const index = list.findLastIndex((registration) => registration.listener === listener);
    if (index >= 0) this.#remove(name, list[index]!);
    return this;
  }

  removeListener(name: EventName, listener: Listener): this {
    return this.off(name, listener);
  }

  removeAllListeners(name?: EventName): this {
    if (name === undefined) this.#registrations.clear();
    else this.#registrations.delete(name);
    return this;
  }

  /**
   * Calls the listeners of name and reports whether there was one. An `error`
   * that nobody listens to is thrown.
   */
  emit(name: EventName, ...args: unknown[]): boolean {
    const list = this.#registrations.get(name);
    if (list === undefined) {
      if (name === "error") throw unheard(args[0]);
      return false;
    }
    // Lists are replaced and never changed, so listeners may add and remove.
    for (const registration of list) {
      if (registration.once) this.#remove(name, registration);
      Reflect.apply(registration.listener, this, args);
    }
    return true;
  }

  listeners(name: EventName): Listener[] {
    return (this.#registrations.get(name) ?? []).map((registration) => registration.listener);
  }

  listenerCount(name: EventName, listener?: Listener): number {
    const listeners = this.listeners(name);
    return listener === undefined ? listeners.length : listeners.filter((other) => other === listener).length;
  }

  eventNames(): EventName[] {
    return [...this.#registrations.keys()];
  }

  /** Kept for programs that set it; there is no limit. */
  setMaxListeners(count: number): this {
    this.#maxListeners = count;
    return this;
  }

  getMaxListeners(): number {
    return this.#maxListeners ?? EventEmitter.defaultMaxListeners;
  }

  #add(name: EventName, registration: Registration, place: "first" | "last"): this {
    if (typeof registration.listener !== "function") throw new TypeError("a listener is a function");
    if (this.#registrations.has("newListener")) this.emit("newListener", name, registration.listener);
    const list = this.#registrations.get(name) ?? [];
    this.#registrations.set(name, place === "last" ? [...list, registration] : [registration, ...list]);
    return this;
  }

  #remove(name: EventName, registration: Registration): void {
    const rest = (this.#registrations.get(name) ?? []).filter((other) => other !== registration);
    if (rest.length > 0) this.#registrations.set(name, rest);
    else this.#registrations.delete(name);
    if (this.#registrations.has("removeListener")) this.emit("removeListener", name, registration.listener);
  }
}

function unheard(error: unknown): unknown {
  if (error instanceof Error) return error;
  return new Error(`nobody listens to the error event: ${String(error)}`, { cause: error });
}

/**
 * The arguments of the next event called name. Rejects when the emitter emits
 * `error` first, or when signal aborts.
 */
export function once(
  emitter: Pick<EventEmitter, "once" | "off">,
  name: EventName,
  options?: { signal?: AbortSignal | undefined },
): Promise<any[]> {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError(signal));
      return;
    }
    const stop = (): void => {
      emitter.off(name, heard);
      emitter.off("error", failed);
      signal?.removeEventListener("abort", aborted);
    };
    const heard = (...args: unknown[]): void => {
      stop();
      resolve(args);
    };
    const failed = (error: unknown): void => {
      stop();
      reject(error);
    };
    const aborted = (): void => {
      stop();
      reject(abortError(signal!));
    };
    emitter.once(name, heard);
    if (name !== "error") emitter.once("error", failed);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

export default EventEmitter;

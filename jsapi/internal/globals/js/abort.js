
"use strict";
// DOM Standard, section 3: aborting ongoing activities.

const { EventTarget, handlerProperty } = need("eventtarget");

const exception = (message, name) => new (need("domexception").DOMException)(message, name);

const key = {};

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  #dependents = null; // a Set, when there are any
  #sources = [];

  constructor(secret) {
    if (secret !== key) throw new TypeError("AbortSignal: Illegal constructor; use new AbortController().signal");
    super();
  }

  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  // Dependent signals are marked before any event is fired, so that a listener
  // sees all of them aborted.
  static #mark(signal, reason, marked) {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason;
    marked.push(signal);
    // It is of no use to its other sources any more, which may live long.
    for (const source of signal.#sources) source.#dependents?.delete(signal);
    signal.#sources = [];
    for (const dependent of [...(signal.#dependents ?? [])]) AbortSignal.#mark(dependent, reason, marked);
    signal.#dependents = null;
  }

  static signalAbort(signal, reason) {
    const marked = [];
    AbortSignal.#mark(signal, reason === undefined ? exception("This operation was aborted", "AbortError") : reason, marked);
    for (const each of marked) each.dispatchEvent(new (need("events").Event)("abort"));
  }

  static abort(reason) {
    const signal = new AbortSignal(key);
    signalAbort(signal, reason);
    return signal;
  }

  static timeout(milliseconds) {
    const delay = +milliseconds;
    if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) {
      throw new TypeError("AbortSignal.timeout: the number of milliseconds must be between 0 and 2^53-1");
    }
    const signal = new AbortSignal(key);
    native.set(Math.min(Math.trunc(delay), 2 ** 31 - 1), false, () => {
      signalAbort(signal, exception("The operation was aborted due to timeout", "TimeoutError"));
    });
    return signal;
  }

  static any(signals) {
    const sources = [...signals];
    for (const source of sources) {
      if (!(source instanceof AbortSignal)) throw new TypeError("AbortSignal.any: every member must be an AbortSignal");
    }
    const result = new AbortSignal(key);
    const aborted = sources.find((source) => source.#aborted);
    if (aborted !== undefined) {
      signalAbort(result, aborted.#reason);
    } else {
      for (const source of sources) (source.#dependents ??= new Set()).add(result);
      result.#sources = sources;
    }
    return result;
  }
}
const signalAbort = AbortSignal.signalAbort;
delete AbortSignal.signalAbort;
handlerProperty(AbortSignal, "abort");

class AbortController {
  #signal = new AbortSignal(key);

  get signal() {
    return this.#signal;
  }
  abort(reason) {
    signalAbort(this.#signal, reason);
  }
}

for (const [type, name] of [[AbortSignal, "AbortSignal"], [AbortController, "AbortController"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

Object.assign(exports, { AbortSignal, AbortController });

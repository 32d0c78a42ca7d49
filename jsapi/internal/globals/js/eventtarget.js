
"use strict";
// DOM Standard, section 2.7. Event itself is made when the first is dispatched.

class EventTarget {
  #listeners = [];

  addEventListener(type, callback, options) {
    if (callback === null || callback === undefined) return;
    if (typeof callback !== "function" && typeof callback !== "object") {
      throw new TypeError("addEventListener: the listener must be a function or an object with handleEvent");
    }
    const { capture = false, once = false, passive = false, signal } = typeof options === "object" && options !== null ? options : { capture: options };
    if (signal?.aborted) return;
    const name = `${type}`;
    const same = (l) => l.type === name && l.callback === callback && l.capture === Boolean(capture);
    if (this.#listeners.some(same)) return;
    const listener = {
      type: name,
      callback,
      capture: Boolean(capture),
      once: Boolean(once),
      passive: Boolean(passive),
      removed: false,
      remove: () => {
        listener.removed = true;
        this.#listeners = this.#listeners.filter((l) => l !== listener);
      },
    };
    this.#listeners = [...this.#listeners, listener];
    signal?.addEventListener("abort", listener.remove, { once: true });
  }

  removeEventListener(type, callback, options) {
    const capture = Boolean(typeof options === "object" && options !== null ? options.capture : options);
    const name = `${type}`;
    this.#listeners.find((l) => l.type === name && l.callback === callback && l.capture === capture)?.remove();
  }

  dispatchEvent(event) {
    const { Event, dispatch } = need("events");
    if (!(event instanceof Event)) throw new TypeError("dispatchEvent: the argument must be an Event");
    return dispatch(event, this, this.#listeners.filter((l) => l.type === event.type));
  }
}
Object.defineProperty(EventTarget.prototype, Symbol.toStringTag, { value: "EventTarget", configurable: true });

// handlerProperty defines on<type>, the event handler attribute (HTML, section
// "Event handlers"): it keeps its place among the listeners when it changes.
const handlerProperty = (type, name) => {
  const handlers = new WeakMap(); // target → {value}
  Object.defineProperty(type.prototype, `on${name}`, {
    configurable: true,
    enumerable: true,
    get() {
      return handlers.get(this)?.value ?? null;
    },
    set(value) {
      let handler = handlers.get(this);
      if (handler === undefined) {
        handler = { value: null };
        handlers.set(this, handler);
        this.addEventListener(name, function (event) {
          if (handler.value !== null) handler.value.call(this, event);
        });
      }
      handler.value = typeof value === "function" ? value : null;
    },
  });
};

Object.assign(exports, { EventTarget, handlerProperty });

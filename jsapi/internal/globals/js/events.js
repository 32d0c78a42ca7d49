
"use strict";
// DOM Standard, section 2: events without a tree. A target has no parent, so
// there is one phase.

const { DOMException } = need("domexception");

class Event {
  #type;
  #bubbles;
  #cancelable;
  #composed;
  #canceled = false;
  #stopped = false;
  #dispatching = false;
  #passive = false;
  #target = null;
  #timeStamp = performance.now();

  constructor(type, options) {
    if (arguments.length === 0) throw new TypeError("Event: a type is required");
    this.#type = `${type}`;
    this.#bubbles = Boolean(options?.bubbles);
    this.#cancelable = Boolean(options?.cancelable);
    this.#composed = Boolean(options?.composed);
  }

  get type() {
    return this.#type;
  }
  get target() {
    return this.#target;
  }
  get srcElement() {
    return this.#target;
  }
  get currentTarget() {
    return this.#dispatching ? this.#target : null;
  }
  get eventPhase() {
    return this.#dispatching ? 2 : 0;
  }
  get bubbles() {
    return this.#bubbles;
  }
  get cancelable() {
    return this.#cancelable;
  }
  get composed() {
    return this.#composed;
  }
  get defaultPrevented() {
    return this.#canceled;
  }
  get returnValue() {
    return !this.#canceled;
  }
  get isTrusted() {
    return false;
  }
  get timeStamp() {
    return this.#timeStamp;
  }
  get cancelBubble() {
    return this.#stopped;
  }
  composedPath() {
    return this.#dispatching ? [this.#target] : [];
  }
  preventDefault() {
    if (this.#cancelable && !this.#passive) this.#canceled = true;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.#stopped = true;
  }

  static dispatch(event, target, listeners) {
    if (event.#dispatching) throw new DOMException("dispatchEvent: the event is already being dispatched", "InvalidStateError");
    event.#target = target;
    event.#dispatching = true;
    event.#stopped = false;
    for (const listener of listeners) {
      if (listener.removed) continue;
      if (listener.once) listener.remove();
      event.#passive = listener.passive;
      try {
        const { callback } = listener;
        if (typeof callback === "function") callback.call(target, event);
        else callback.handleEvent(event);
      } catch (error) {
        native.report(error);
      }
      event.#passive = false;
      if (event.#stopped) break;
    }
    event.#dispatching = false;
    return !event.#canceled;
  }
}
const dispatch = Event.dispatch;
delete Event.dispatch;
for (const [name, value] of Object.entries({ NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 })) {
  Object.defineProperty(Event, name, { value, enumerable: true });
  Object.defineProperty(Event.prototype, name, { value, enumerable: true });
}

class CustomEvent extends Event {
  #detail;
  constructor(type, options) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() {
    return this.#detail;
  }
}

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
    if (!(event instanceof Event)) throw new TypeError("dispatchEvent: the argument must be an Event");
    return dispatch(event, this, this.#listeners.filter((l) => l.type === event.type));
  }
}

for (const [type, name] of [[Event, "Event"], [CustomEvent, "CustomEvent"], [EventTarget, "EventTarget"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

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

Object.assign(exports, { Event, CustomEvent, EventTarget, handlerProperty });

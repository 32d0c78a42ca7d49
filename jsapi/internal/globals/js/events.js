
"use strict";
// DOM Standard, section 2: events without a tree. A target has no parent, so
// there is one phase.

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
  #timeStamp = native.now();

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
    if (event.#dispatching) throw new (need("domexception").DOMException)("dispatchEvent: the event is already being dispatched", "InvalidStateError");
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

for (const [type, name] of [[Event, "Event"], [CustomEvent, "CustomEvent"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

Object.assign(exports, { Event, CustomEvent, dispatch });


"use strict";
// Timers as Node gives them: an object per timer that also serves as a number
// (HTML, section "Timers", has the algorithm; nodejs.org/api/timers.html the
// object).

const longest = 2 ** 31 - 1;
// Node: a delay that is out of range is one millisecond.
const milliseconds = (delay) => {
  const n = +delay;
  return n >= 1 && n <= longest ? Math.trunc(n) : 1;
};

const mustCall = (name, callback) => {
  if (typeof callback !== "function") {
    const error = new TypeError(`${name}: the callback must be a function, got ${callback === null ? "null" : typeof callback}`);
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
};

class Timeout {
  #id = 0;
  #delay;
  #repeat;
  #callback;
  #args;
  #referenced = true;
  #closed = false;

  constructor(callback, delay, repeat, args) {
    this.#callback = callback;
    this.#delay = delay;
    this.#repeat = repeat;
    this.#args = args;
    this.#start();
  }

  #start() {
    const id = native.set(this.#delay, this.#repeat, () => {
      if (!this.#repeat && this.#id === id) this.#id = 0;
      this.#callback.apply(this, this.#args);
    });
    this.#id = id;
  }

  ref() {
    this.#referenced = true;
    return this;
  }

  unref() {
    this.#referenced = false;
    return this;
  }

  hasRef() {
    return this.#referenced;
  }

  refresh() {
    if (this.#closed) return this;
    this.#stop();
    this.#start();
    return this;
  }

  close() {
    this.#closed = true;
    this.#stop();
    return this;
  }

  #stop() {
    if (this.#id === 0) return;
    native.clear(this.#id);
    this.#id = 0;
  }

  [Symbol.toPrimitive]() {
    return this.#id;
  }

  [Symbol.dispose]() {
    this.close();
  }
}

class Immediate {
  #timer;

  constructor(callback, args) {
    this.#timer = native.set(0, false, () => {
      this.#timer = 0;
      callback.apply(this, args);
    });
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  hasRef() {
    return true;
  }

  [Symbol.dispose]() {
    stopImmediate(this);
  }

  static clear(immediate) {
    if (immediate instanceof Immediate && immediate.#timer !== 0) {
      native.clear(immediate.#timer);
      immediate.#timer = 0;
    }
  }
}

const stopImmediate = Immediate.clear;
delete Immediate.clear;

const clear = (timer) => {
  if (timer instanceof Timeout) {
    timer.close();
  } else if (typeof timer === "number" || typeof timer === "string") {
    // Nothing here knows a Timeout by its number: a list of them would keep those
    // whose owner has ended.
    native.clear(+timer);
  }
};

exports.setTimeout = function setTimeout(callback, delay, ...args) {
  mustCall("setTimeout", callback);
  return new Timeout(callback, milliseconds(delay), false, args);
};
exports.setInterval = function setInterval(callback, delay, ...args) {
  mustCall("setInterval", callback);
  return new Timeout(callback, milliseconds(delay), true, args);
};
exports.setImmediate = function setImmediate(callback, ...args) {
  mustCall("setImmediate", callback);
  return new Immediate(callback, args);
};
exports.clearTimeout = function clearTimeout(timer) {
  clear(timer);
};
exports.clearInterval = function clearInterval(timer) {
  clear(timer);
};
exports.clearImmediate = function clearImmediate(immediate) {
  stopImmediate(immediate);
};


"use strict";
// WeakRef and FinalizationRegistry (ECMA-262 sections 26.1 and 26.2). The
// specification lets a registry never call back, and this one never does: the
// collector gives no order that a program could rely on.

const mustBeObject = (value, what) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) throw new TypeError(`${what} must be an object`);
};

class WeakRef {
  #target;

  constructor(target) {
    mustBeObject(target, "WeakRef: the target");
    this.#target = native.weak(target);
  }
  deref() {
    return native.deref(this.#target);
  }
}

class FinalizationRegistry {
  #tokens = new WeakSet();

  constructor(cleanup) {
    if (typeof cleanup !== "function") throw new TypeError("FinalizationRegistry: the callback must be a function");
  }
  register(target, held, token) {
    mustBeObject(target, "FinalizationRegistry.register: the target");
    if (target === held) throw new TypeError("FinalizationRegistry.register: the target and the held value must differ");
    if (token !== undefined) {
      mustBeObject(token, "FinalizationRegistry.register: the token");
      this.#tokens.add(token);
    }
  }
  unregister(token) {
    mustBeObject(token, "FinalizationRegistry.unregister: the token");
    return this.#tokens.delete(token);
  }
}

for (const [type, name] of [[WeakRef, "WeakRef"], [FinalizationRegistry, "FinalizationRegistry"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

Object.assign(exports, { WeakRef, FinalizationRegistry });


"use strict";
// Fetch Standard (fetch.spec.whatwg.org), section 5.1.

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const nameOf = (name) => {
  const text = `${name}`;
  if (!token.test(text)) throw new TypeError(`Headers: ${JSON.stringify(text)} is no header name`);
  return text.toLowerCase();
};
const valueOf = (value) => {
  const text = `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\r\n]/.test(text) || /[^\0-\xff]/.test(text)) throw new TypeError(`Headers: ${JSON.stringify(text)} is no header value`);
  return text;
};

class Headers {
  #values = new Map(); // lower-case name → values

  constructor(init = undefined) {
    if (init === undefined) return;
    if ((typeof init !== "object" && typeof init !== "function") || init === null) throw new TypeError("Headers: the argument must be a record or a list of pairs");
    if (typeof init[Symbol.iterator] === "function") {
      for (const pair of init) {
        const both = typeof pair === "object" && pair !== null ? [...pair] : [];
        if (both.length !== 2) throw new TypeError("Headers: each pair must have exactly a name and a value");
        this.append(both[0], both[1]);
      }
      return;
    }
    for (const name of Reflect.ownKeys(init)) {
      if (Object.getOwnPropertyDescriptor(init, name)?.enumerable) this.append(name, init[name]);
    }
  }

  append(name, value) {
    const key = nameOf(name);
    const text = valueOf(value);
    const values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, [text]);
    else values.push(text);
  }
  delete(name) {
    this.#values.delete(nameOf(name));
  }
  get(name) {
    return this.#values.get(nameOf(name))?.join(", ") ?? null;
  }
  getSetCookie() {
    return [...(this.#values.get("set-cookie") ?? [])];
  }
  has(name) {
    return this.#values.has(nameOf(name));
  }
  set(name, value) {
    this.#values.set(nameOf(name), [valueOf(value)]);
  }
  forEach(callback, thisArg) {
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }
  *entries() {
    for (const name of [...this.#values.keys()].sort()) {
      const values = this.#values.get(name);
      if (values === undefined) continue;
      if (name === "set-cookie") for (const value of values) yield [name, value];
      else yield [name, values.join(", ")];
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    return `Headers ${inspect(Object.fromEntries(Headers.prototype.entries.call(this)), options)}`;
  }
}
Object.defineProperties(Headers.prototype, {
  [Symbol.iterator]: { value: Headers.prototype.entries, writable: true, configurable: true },
  [Symbol.toStringTag]: { value: "Headers", configurable: true },
});

exports.Headers = Headers;

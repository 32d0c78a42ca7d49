
"use strict";
// URL Standard (url.spec.whatwg.org), section 6: the URL and URLSearchParams
// classes. Parsing is native.

const wellFormed = (value) => `${value}`.toWellFormed();

class URLSearchParams {
  #list = []; // [name, value] pairs
  #changed = null; // tells the URL that owns these

  constructor(init = "") {
    if (typeof init !== "object" || init === null) {
      if (typeof init === "function") throw new TypeError("URLSearchParams: a function is no list of pairs");
      const text = wellFormed(init);
      this.#parse(text.startsWith("?") ? text.slice(1) : text);
      return;
    }
    const iterate = init[Symbol.iterator];
    if (iterate !== undefined && iterate !== null) {
      for (const pair of init) {
        if (typeof pair !== "object" || pair === null || typeof pair[Symbol.iterator] !== "function") {
          throw new TypeError("URLSearchParams: each pair must be iterable with a name and a value");
        }
        const both = [...pair];
        if (both.length !== 2) throw new TypeError("URLSearchParams: each pair must have exactly a name and a value");
        this.#list.push([wellFormed(both[0]), wellFormed(both[1])]);
      }
      return;
    }
    for (const key of Reflect.ownKeys(init)) {
      if (!Object.getOwnPropertyDescriptor(init, key)?.enumerable) continue;
      if (typeof key === "symbol") throw new TypeError("URLSearchParams: a symbol is no name");
      this.set(key, init[key]);
    }
  }

  #parse(text) {
    const flat = native.decode(text);
    this.#list = [];
    for (let i = 0; i < flat.length; i += 2) this.#list.push([flat[i], flat[i + 1]]);
  }

  #update() {
    this.#changed?.(this.toString());
  }

  static own(params, changed) {
    params.#changed = changed;
  }
  static reload(params, text) {
    params.#parse(text);
  }

  get size() {
    return this.#list.length;
  }
  append(name, value) {
    needs(arguments, 2, "append");
    this.#list.push([wellFormed(name), wellFormed(value)]);
    this.#update();
  }
  delete(name, value) {
    needs(arguments, 1, "delete");
    const key = wellFormed(name);
    const only = value === undefined ? undefined : wellFormed(value);
    this.#list = this.#list.filter(([n, v]) => n !== key || (only !== undefined && v !== only));
    this.#update();
  }
  get(name) {
    needs(arguments, 1, "get");
    const key = wellFormed(name);
    return this.#list.find(([n]) => n === key)?.[1] ?? null;
  }
  getAll(name) {
    needs(arguments, 1, "getAll");
    const key = wellFormed(name);
    return this.#list.filter(([n]) => n === key).map(([, v]) => v);
  }
  has(name, value) {
    needs(arguments, 1, "has");
    const key = wellFormed(name);
    const only = value === undefined ? undefined : wellFormed(value);
    return this.#list.some(([n, v]) => n === key && (only === undefined || v === only));
  }
  set(name, value) {
    needs(arguments, 2, "set");
    const key = wellFormed(name);
    const text = wellFormed(value);
    const first = this.#list.find(([n]) => n === key);
    if (first === undefined) {
      this.#list.push([key, text]);
    } else {
      first[1] = text;
      this.#list = this.#list.filter((pair) => pair === first || pair[0] !== key);
    }
    this.#update();
  }
  sort() {
    this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#update();
  }
  forEach(callback, thisArg) {
    if (typeof callback !== "function") throw new TypeError("URLSearchParams.forEach: the callback must be a function");
    for (let i = 0; i < this.#list.length; i++) callback.call(thisArg, this.#list[i][1], this.#list[i][0], this);
  }
  *entries() {
    for (let i = 0; i < this.#list.length; i++) yield [...this.#list[i]];
  }
  *keys() {
    for (let i = 0; i < this.#list.length; i++) yield this.#list[i][0];
  }
  *values() {
    for (let i = 0; i < this.#list.length; i++) yield this.#list[i][1];
  }
  toString() {
    return native.encode(...this.#list.flat());
  }
}
const { own, reload } = URLSearchParams;
delete URLSearchParams.own;
delete URLSearchParams.reload;

const needs = (args, n, method) => {
  if (args.length < n) throw new TypeError(`URLSearchParams.${method}: ${n} argument${n === 1 ? " is" : "s are"} required, got ${args.length}`);
};

const invalid = (input, base) => {
  const error = new TypeError(`Invalid URL: ${JSON.stringify(input)}${base === undefined ? "" : ` with the base ${JSON.stringify(base)}`}`);
  error.code = "ERR_INVALID_URL";
  error.input = input;
  return error;
};

const parse = (args) => {
  const base = args[1] === undefined ? undefined : wellFormed(args[1]);
  return native.parse(wellFormed(args[0]), base);
};

class URL {
  #record;
  #params = null;

  constructor(input, base) {
    if (arguments.length === 0) throw new TypeError("URL: an input is required");
    this.#record = native.parse(wellFormed(input), base === undefined ? undefined : wellFormed(base));
    if (this.#record === undefined) throw invalid(`${input}`, base === undefined ? undefined : `${base}`);
  }

  static canParse(...args) {
    return parse(args) !== undefined;
  }
  static parse(...args) {
    return parse(args) === undefined ? null : new URL(...args);
  }

  static get(url, part) {
    return native.get(url.#record, part);
  }
  static set(url, part, value) {
    const text = wellFormed(value);
    if (!native.set(url.#record, part, text)) throw invalid(text);
    if (url.#params !== null && (part === "search" || part === "href")) reload(url.#params, native.get(url.#record, "search").slice(1));
  }

  get searchParams() {
    if (this.#params === null) {
      this.#params = new URLSearchParams(native.get(this.#record, "search"));
      own(this.#params, (text) => native.set(this.#record, "search", text));
    }
    return this.#params;
  }
  toString() {
    return native.get(this.#record, "href");
  }
  toJSON() {
    return native.get(this.#record, "href");
  }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    const shown = {};
    for (const part of parts) shown[part] = this[part];
    shown.searchParams = this.searchParams;
    return `URL ${inspect(shown, options)}`;
  }
}

const parts = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
const { get, set } = URL;
delete URL.get;
delete URL.set;
for (const part of parts) {
  Object.defineProperty(URL.prototype, part, {
    configurable: true,
    enumerable: true,
    ...Object.getOwnPropertyDescriptor(
      part === "origin"
        ? { get origin() { return get(this, part); } }
        : { get [part]() { return get(this, part); }, set [part](value) { set(this, part, value); } },
      part,
    ),
  });
}

for (const method of ["append", "delete", "get", "getAll", "has", "set", "sort", "forEach", "entries", "keys", "values", "toString"]) {
  Object.defineProperty(URLSearchParams.prototype, method, { enumerable: true });
}
Object.defineProperties(URLSearchParams.prototype, {
  [Symbol.iterator]: { value: URLSearchParams.prototype.entries, writable: true, configurable: true },
  [Symbol.toStringTag]: { value: "URLSearchParams", configurable: true },
  [Symbol.for("nodejs.util.inspect.custom")]: {
    value(depth, options, inspect) {
      const pairs = [...this].map(([name, value]) => `${inspect(name)} => ${inspect(value)}`);
      return pairs.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${pairs.join(", ")} }`;
    },
    writable: true,
    configurable: true,
  },
});
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: "URL", configurable: true });

Object.assign(exports, { URL, URLSearchParams });

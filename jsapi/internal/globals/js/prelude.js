
"use strict";
// The part of ECMAScript that the engine lacks and that must be visible on
// built-in objects. Runs when a runtime is made: keep it small.

const { defineProperty } = Object;
const method = (object, name, value) => defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
const methods = (object, all) => {
  for (const name in all) {
    if (!Object.hasOwn(object, name)) method(object, name, all[name]);
  }
};

// esbuild's lowered code looks for Symbol.x and then for Symbol.for("Symbol.x"):
// the same symbol must be behind both.
for (const name of ["asyncIterator", "dispose", "asyncDispose", "metadata"]) {
  if (Symbol[name] === undefined) defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}

const groupsOf = (items, callback, add) => {
  if (typeof callback !== "function") throw new TypeError("groupBy: the callback must be a function");
  let index = 0;
  for (const item of items) add(callback(item, index++), item);
};

methods(Object, {
  groupBy(items, callback) {
    const groups = { __proto__: null };
    groupsOf(items, callback, (key, item) => {
      const name = typeof key === "symbol" ? key : `${key}`;
      if (name in groups) groups[name].push(item);
      else groups[name] = [item];
    });
    return groups;
  },
});

methods(Map, {
  groupBy(items, callback) {
    const groups = new Map();
    groupsOf(items, callback, (key, item) => {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    });
    return groups;
  },
});

methods(Promise, {
  withResolvers() {
    let resolve, reject;
    const promise = new this((yes, no) => {
      resolve = yes;
      reject = no;
    });
    return { promise, resolve, reject };
  },
  try(callback, ...args) {
    return new this((resolve) => resolve(callback(...args)));
  },
});

methods(Array, {
  async fromAsync(items, map = undefined, thisArg = undefined) {
    if (map !== undefined && typeof map !== "function") throw new TypeError("Array.fromAsync: the map must be a function");
    const construct = typeof this === "function" && this.prototype !== undefined;
    const each = async (value, index) => (map === undefined ? value : await map.call(thisArg, value, index));
    const put = (target, index, value) => defineProperty(target, index, { value, writable: true, configurable: true, enumerable: true });
    const asynchronous = items[Symbol.asyncIterator] ?? undefined;
    const start = asynchronous ?? items[Symbol.iterator] ?? undefined;
    let count = 0;
    if (start === undefined) {
      const length = Math.min(Math.max(Math.trunc(Number(items.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
      const result = construct ? new this(length) : new Array(length);
      for (; count < length; count++) put(result, count, await each(await items[count], count));
      result.length = count;
      return result;
    }
    const result = construct ? new this() : [];
    const iterator = start.call(items);
    const { next } = iterator;
    for (;;) {
      const step = asynchronous === undefined ? next.call(iterator) : await next.call(iterator);
      if (typeof step !== "object" || step === null) throw new TypeError("Array.fromAsync: the iterator's result is not an object");
      if (step.done) break;
      try {
        put(result, count, await each(asynchronous === undefined ? await step.value : step.value, count));
      } catch (error) {
        try {
          await iterator.return?.();
        } catch {}
        throw error;
      }
      count++;
    }
    result.length = count;
    return result;
  },
});

const text = (value, name) => {
  if (value === undefined || value === null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
  return `${value}`;
};
methods(String.prototype, {
  isWellFormed() {
    return native.isWellFormed(text(this, "isWellFormed"));
  },
  toWellFormed() {
    return native.toWellFormed(text(this, "toWellFormed"));
  },
});

methods(Error, {
  captureStackTrace(target, above = undefined) {
    method(target, "stack", native.stack(target, typeof above === "function" ? above.name : ""));
  },
});
if (!Object.hasOwn(Error, "stackTraceLimit")) defineProperty(Error, "stackTraceLimit", { value: 10, writable: true, configurable: true, enumerable: true });

methods(RegExp, {
  escape(string) {
    if (typeof string !== "string") throw new TypeError("RegExp.escape: the argument must be a string");
    return native.escapeRegExp(string);
  },
});

// Iterators get their other helpers when one is first looked for.
const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const dispose = {
  [Symbol.dispose]() {
    this.return?.();
  },
};
method(iteratorPrototype, Symbol.dispose, dispose[Symbol.dispose]);
native.lazyHelpers(iteratorPrototype);

// Texts for people are en-US and UTC, whatever the machine is set to.
const replace = (prototype, all) => {
  for (const name of Object.keys(all)) method(prototype, name, all[name]);
};
replace(Date.prototype, {
  toLocaleString(locales = undefined, options = undefined) {
    return need("intl").formatDate(this, locales, options, "any", "all");
  },
  toLocaleDateString(locales = undefined, options = undefined) {
    return need("intl").formatDate(this, locales, options, "date", "date");
  },
  toLocaleTimeString(locales = undefined, options = undefined) {
    return need("intl").formatDate(this, locales, options, "time", "time");
  },
});
const numberValue = Number.prototype.valueOf;
const bigintValue = BigInt.prototype.valueOf;
replace(Number.prototype, {
  toLocaleString(locales = undefined, options = undefined) {
    return need("intl").formatNumber(numberValue.call(this), locales, options);
  },
});
replace(BigInt.prototype, {
  toLocaleString(locales = undefined, options = undefined) {
    return need("intl").formatNumber(bigintValue.call(this), locales, options);
  },
});
const localeCompare = String.prototype.localeCompare;
replace(String.prototype, {
  localeCompare(that, locales = undefined, options = undefined) {
    if (locales === undefined && options === undefined) return localeCompare.call(this, that);
    return need("intl").compare(text(this, "localeCompare"), that, locales, options);
  },
});

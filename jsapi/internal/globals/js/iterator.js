
"use strict";
// Iterator and the iterator helpers (ECMA-262 section 27.1), defined on the
// prototype of all iterators when one of them is first looked for.

const { defineProperty } = Object;
const method = (object, name, value) => defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

const mustBeObject = (value, name) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) throw new TypeError(`${name}: the receiver is not an object`);
  return value;
};
const closing = (iterator, error) => {
  try {
    iterator.return?.();
  } catch {}
  throw error;
};
const mustCall = (iterator, callback, name) => {
  mustBeObject(iterator, name);
  if (typeof callback !== "function") closing(iterator, new TypeError(`${name}: the callback must be a function`));
};
const count = (iterator, limit, name) => {
  mustBeObject(iterator, name);
  let n;
  try {
    n = Number(limit);
  } catch (error) {
    closing(iterator, error);
  }
  n = Number.isNaN(n) ? n : Math.trunc(n);
  if (!(n >= 0)) closing(iterator, new RangeError(`${name}: the number must be 0 or more, got ${String(limit)}`));
  return n;
};
const step = (next, iterator) => {
  const result = next.call(iterator);
  if (typeof result !== "object" || result === null) throw new TypeError("the iterator's result is not an object");
  return result;
};

const end = () => ({ value: undefined, done: true });

// An Iterator Helper is a source, and advance(record), which gives the next
// result or end().
class Helper {
  #record;

  constructor(source, advance) {
    this.#record = { source, next: source.next, advance, inner: undefined, done: false, running: false };
  }
  next() {
    const record = this.#record;
    if (record.running) throw new TypeError("the iterator is running already");
    if (record.done) return end();
    record.running = true;
    try {
      return record.advance(record);
    } catch (error) {
      record.done = true;
      throw error;
    } finally {
      record.running = false;
    }
  }
  return() {
    const record = this.#record;
    if (record.running) throw new TypeError("the iterator is running already");
    if (record.done) return end();
    record.done = true;
    try {
      record.inner?.source.return?.();
    } catch (error) {
      closing(record.source, error);
    }
    record.source.return?.();
    return end();
  }
}
delete Helper.prototype.constructor;
Object.setPrototypeOf(Helper.prototype, iteratorPrototype);
defineProperty(Helper.prototype, Symbol.toStringTag, { value: "Iterator Helper", configurable: true });

// pull takes the next result of the source.
const pull = (record) => {
  const result = step(record.next, record.source);
  if (!result.done) return result;
  record.done = true;
  return end();
};
// guarded calls a callback of the program; what it throws closes the source.
const guarded = (record, callback, value, index) => {
  try {
    return callback(value, index);
  } catch (error) {
    closing(record.source, error);
  }
};

const flattenable = (value, strings) => {
  if (!((typeof value === "object" && value !== null) || typeof value === "function" || (strings && typeof value === "string"))) {
    throw new TypeError("the value is not iterable");
  }
  const start = value[Symbol.iterator];
  return start === undefined || start === null ? value : mustBeObject(start.call(value), "Symbol.iterator");
};

const stop = Symbol("stop");

const helpers = {
  map(mapper) {
    mustCall(this, mapper, "Iterator.prototype.map");
    let index = 0;
    return new Helper(this, (record) => {
      const result = pull(record);
      return record.done ? result : { value: guarded(record, mapper, result.value, index++), done: false };
    });
  },
  filter(predicate) {
    mustCall(this, predicate, "Iterator.prototype.filter");
    let index = 0;
    return new Helper(this, (record) => {
      for (;;) {
        const result = pull(record);
        if (record.done) return result;
        const { value } = result;
        if (guarded(record, predicate, value, index++)) return { value, done: false };
      }
    });
  },
  take(limit) {
    let remaining = count(this, limit, "Iterator.prototype.take");
    return new Helper(this, (record) => {
      if (remaining === 0) {
        record.done = true;
        record.source.return?.();
        return end();
      }
      remaining--;
      const result = pull(record);
      return record.done ? result : { value: result.value, done: false };
    });
  },
  drop(limit) {
    let remaining = count(this, limit, "Iterator.prototype.drop");
    return new Helper(this, (record) => {
      for (;;) {
        const result = pull(record);
        if (record.done) return result;
        if (remaining === 0) return { value: result.value, done: false };
        remaining--;
      }
    });
  },
  flatMap(mapper) {
    mustCall(this, mapper, "Iterator.prototype.flatMap");
    let index = 0;
    const nextInner = (record) => {
      try {
        const result = step(record.inner.next, record.inner.source);
        return result.done ? undefined : { value: result.value, done: false };
      } catch (error) {
        closing(record.source, error);
      }
    };
    return new Helper(this, (record) => {
      for (;;) {
        if (record.inner !== undefined) {
          const result = nextInner(record);
          if (result !== undefined) return result;
          record.inner = undefined;
        }
        const result = pull(record);
        if (record.done) return result;
        const source = guarded(record, () => flattenable(mapper(result.value, index++), false));
        record.inner = { source, next: source.next };
      }
    });
  },
  reduce(reducer, ...initial) {
    mustCall(this, reducer, "Iterator.prototype.reduce");
    const { next } = this;
    let index = 0;
    let total;
    if (initial.length > 0) {
      total = initial[0];
    } else {
      const first = step(next, this);
      if (first.done) throw new TypeError("Iterator.prototype.reduce: an empty iterator has no initial value");
      total = first.value;
      index = 1;
    }
    each(this, next, (value) => {
      total = reducer(total, value, index++);
    });
    return total;
  },
  toArray() {
    const values = [];
    each(mustBeObject(this, "Iterator.prototype.toArray"), this.next, (value) => {
      values.push(value);
    });
    return values;
  },
  forEach(callback) {
    mustCall(this, callback, "Iterator.prototype.forEach");
    each(this, this.next, (value, index) => {
      callback(value, index);
    });
  },
  some(predicate) {
    mustCall(this, predicate, "Iterator.prototype.some");
    return each(this, this.next, (value, index) => (predicate(value, index) ? stop : undefined)).stopped;
  },
  every(predicate) {
    mustCall(this, predicate, "Iterator.prototype.every");
    return !each(this, this.next, (value, index) => (predicate(value, index) ? undefined : stop)).stopped;
  },
  find(predicate) {
    mustCall(this, predicate, "Iterator.prototype.find");
    return each(this, this.next, (value, index) => (predicate(value, index) ? stop : undefined)).value;
  },
};

// each runs body for every value until it says stop, which closes the source.
const each = (iterator, next, body) => {
  for (let index = 0; ; index++) {
    const result = step(next, iterator);
    if (result.done) return { stopped: false, value: undefined };
    const { value } = result;
    let verdict;
    try {
      verdict = body(value, index);
    } catch (error) {
      closing(iterator, error);
    }
    if (verdict === stop) {
      iterator.return?.();
      return { stopped: true, value };
    }
  }
};

function Iterator() {
  if (new.target === undefined || new.target === Iterator) throw new TypeError("Iterator: an abstract class cannot be made; extend it");
}
defineProperty(Iterator, "prototype", { value: iteratorPrototype, writable: false });
method(Iterator, "from", {
  from(value) {
    const source = flattenable(value, true);
    if (iteratorPrototype.isPrototypeOf(source)) return source;
    const { next } = source;
    const wrapped = { __proto__: wrapPrototype };
    wrappers.set(wrapped, { source, next });
    return wrapped;
  },
}.from);
const wrappers = new WeakMap();
const wrapPrototype = {
  __proto__: iteratorPrototype,
  next() {
    const { source, next } = wrappers.get(this);
    return next.call(source);
  },
  return() {
    const { source } = wrappers.get(this);
    return source.return === undefined ? { value: undefined, done: true } : source.return();
  },
};

for (const name of Object.keys(helpers)) method(iteratorPrototype, name, helpers[name]);
// ECMA-262 section 27.1.4.1: these two are weird accessors, so that old code
// that assigns them on a derived object works.
const weird = (key, value) => {
  const set = function (given) {
    if (mustBeObject(this, "Iterator.prototype") === iteratorPrototype) throw new TypeError("Iterator.prototype is shared: it cannot be assigned to");
    if (Object.hasOwn(this, key)) this[key] = given;
    else defineProperty(this, key, { value: given, writable: true, configurable: true, enumerable: true });
  };
  defineProperty(iteratorPrototype, key, { get: () => value, set, configurable: true, enumerable: false });
};
weird(Symbol.toStringTag, "Iterator");
weird("constructor", Iterator);

exports.Iterator = Iterator;


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

// records keeps, for each helper object, its generator and what it reads from.
const records = new WeakMap();
const recordOf = (helper) => {
  const record = records.get(helper);
  if (record === undefined) throw new TypeError("the receiver is not an Iterator Helper");
  return record;
};
const helperPrototype = {
  __proto__: iteratorPrototype,
  next() {
    const record = recordOf(this);
    record.started = true;
    return record.generator.next();
  },
  return() {
    const record = recordOf(this);
    if (!record.started) {
      record.started = true;
      record.generator.return();
      record.source.return?.();
      return { value: undefined, done: true };
    }
    return record.generator.return();
  },
};
for (const name of ["next", "return"]) defineProperty(helperPrototype, name, { enumerable: false });
defineProperty(helperPrototype, Symbol.toStringTag, { value: "Iterator Helper", configurable: true });

const helper = (source, generator) => {
  const object = { __proto__: helperPrototype };
  records.set(object, { generator, source, started: false });
  return object;
};

// over yields what body makes of each value; the source is closed when the
// consumer stops early or the body throws, not when the source itself does.
function* over(iterator, next, body) {
  let open = false;
  try {
    for (let index = 0; ; index++) {
      const result = step(next, iterator);
      if (result.done) return;
      const { value } = result;
      open = true;
      if ((yield* body(value, index)) === stop) return;
      open = false;
    }
  } catch (error) {
    if (open) {
      open = false;
      closing(iterator, error);
    }
    throw error;
  } finally {
    if (open) iterator.return?.();
  }
}
const stop = Symbol("stop");

const flattenable = (value, strings) => {
  if (!((typeof value === "object" && value !== null) || typeof value === "function" || (strings && typeof value === "string"))) {
    throw new TypeError("the value is not iterable");
  }
  const start = value[Symbol.iterator];
  return start === undefined || start === null ? value : mustBeObject(start.call(value), "Symbol.iterator");
};

const helpers = {
  map(mapper) {
    mustCall(this, mapper, "Iterator.prototype.map");
    return helper(this, over(this, this.next, function* (value, index) {
      yield mapper(value, index);
    }));
  },
  filter(predicate) {
    mustCall(this, predicate, "Iterator.prototype.filter");
    return helper(this, over(this, this.next, function* (value, index) {
      if (predicate(value, index)) yield value;
    }));
  },
  take(limit) {
    const n = count(this, limit, "Iterator.prototype.take");
    const source = this;
    const { next } = this;
    return helper(this, (function* () {
      if (n === 0) {
        source.return?.();
        return;
      }
      let remaining = n;
      yield* over(source, next, function* (value) {
        yield value;
        if (--remaining === 0) return stop;
      });
    })());
  },
  drop(limit) {
    const n = count(this, limit, "Iterator.prototype.drop");
    return helper(this, over(this, this.next, function* (value, index) {
      if (index >= n) yield value;
    }));
  },
  flatMap(mapper) {
    mustCall(this, mapper, "Iterator.prototype.flatMap");
    return helper(this, over(this, this.next, function* (value, index) {
      const inner = flattenable(mapper(value, index), false);
      yield* over(inner, inner.next, function* (each) {
        yield each;
      });
    }));
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

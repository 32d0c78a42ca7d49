
"use strict";
// Explicit resource management (github.com/tc39/proposal-explicit-resource-management):
// the values that go with `using`, which the compiler lowers.

class SuppressedError extends Error {
  constructor(error, suppressed, message) {
    super(message);
    const own = (name, value) => Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: false });
    own("error", error);
    own("suppressed", suppressed);
  }
}
Object.defineProperty(SuppressedError.prototype, "name", { value: "SuppressedError", writable: true, configurable: true, enumerable: false });

const disposerOf = (value, asynchronous) => {
  let dispose = asynchronous ? value[Symbol.asyncDispose] : undefined;
  dispose ??= value[Symbol.dispose];
  if (typeof dispose !== "function") throw new TypeError(`the value has no ${asynchronous ? "[Symbol.asyncDispose] or " : ""}[Symbol.dispose] method`);
  return () => dispose.call(value);
};
const mustCall = (callback, method) => {
  if (typeof callback !== "function") throw new TypeError(`${method}: the callback must be a function`);
};

// stackOf makes the members that the two kinds of stack share.
const stackOf = (asynchronous) =>
  class {
    #disposers = [];
    #disposed = false;

    get disposed() {
      return this.#disposed;
    }
    use(value) {
      this.#mustBeOpen();
      if (value !== null && value !== undefined) this.#disposers.push(disposerOf(value, asynchronous));
      else if (asynchronous) this.#disposers.push(() => {});
      return value;
    }
    adopt(value, callback) {
      this.#mustBeOpen();
      mustCall(callback, "adopt");
      this.#disposers.push(() => callback(value));
      return value;
    }
    defer(callback) {
      this.#mustBeOpen();
      mustCall(callback, "defer");
      this.#disposers.push(() => callback());
    }
    move() {
      this.#mustBeOpen();
      const moved = new (asynchronous ? AsyncDisposableStack : DisposableStack)();
      moved.#disposers = this.#disposers;
      this.#disposers = [];
      this.#disposed = true;
      return moved;
    }
    #mustBeOpen() {
      if (this.#disposed) throw new ReferenceError("the stack was disposed already");
    }
    static close(stack) {
      if (stack.#disposed) return [];
      stack.#disposed = true;
      return stack.#disposers.splice(0).reverse();
    }
  };

const failures = () => {
  let failed = false;
  let error;
  return {
    add(thrown) {
      error = failed ? new SuppressedError(thrown, error, "an error was suppressed during disposal") : thrown;
      failed = true;
    },
    rethrow() {
      if (failed) throw error;
    },
  };
};

const SyncBase = stackOf(false);
const closeSync = SyncBase.close;
delete SyncBase.close;
class DisposableStack extends SyncBase {
  dispose() {
    const caught = failures();
    for (const dispose of closeSync(this)) {
      try {
        dispose();
      } catch (error) {
        caught.add(error);
      }
    }
    caught.rethrow();
  }
}

const AsyncBase = stackOf(true);
const closeAsync = AsyncBase.close;
delete AsyncBase.close;
class AsyncDisposableStack extends AsyncBase {
  async disposeAsync() {
    const caught = failures();
    for (const dispose of closeAsync(this)) {
      try {
        await dispose();
      } catch (error) {
        caught.add(error);
      }
    }
    caught.rethrow();
  }
}

const finish = (type, name, key, method) => {
  Object.defineProperty(type.prototype, key, { value: type.prototype[method], writable: true, configurable: true });
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
};
finish(DisposableStack, "DisposableStack", Symbol.dispose, "dispose");
finish(AsyncDisposableStack, "AsyncDisposableStack", Symbol.asyncDispose, "disposeAsync");

Object.assign(exports, { SuppressedError, DisposableStack, AsyncDisposableStack });


"use strict";
// BodyStream is what response.body and blob.stream() give: the reading half of
// a ReadableStream (streams.spec.whatwg.org, sections 4.2 and 4.3) over a
// source with pull() → promise of a Uint8Array, or of null at the end, and
// cancel(). One pull runs at a time.

class Reader {
  #stream;
  #closed = Promise.withResolvers();

  constructor(stream) {
    this.#stream = stream;
    this.#closed.promise.catch(() => {});
  }

  get closed() {
    return this.#closed.promise;
  }
  async read() {
    if (this.#stream === null) throw new TypeError("reader.read: the lock was released");
    try {
      const chunk = await pull(this.#stream);
      if (chunk !== null) return { value: chunk, done: false };
      this.#closed.resolve();
      return { value: undefined, done: true };
    } catch (error) {
      this.#closed.reject(error);
      throw error;
    }
  }
  async cancel(reason) {
    if (this.#stream === null) throw new TypeError("reader.cancel: the lock was released");
    await stop(this.#stream, reason);
    this.#closed.resolve();
  }
  releaseLock() {
    if (this.#stream !== null) release(this.#stream);
    this.#stream = null;
  }
}

class BodyStream {
  #source;
  #locked = false;
  #disturbed = false;
  #ended = false;
  #last = Promise.resolve();

  constructor(source) {
    this.#source = source;
  }

  static pull(stream) {
    stream.#disturbed = true;
    const next = stream.#last.then(async () => {
      if (stream.#ended) return null;
      try {
        const chunk = await stream.#source.pull();
        if (chunk === null) stream.#ended = true;
        return chunk;
      } catch (error) {
        stream.#ended = true;
        throw error;
      }
    });
    stream.#last = next.catch(() => {});
    return next;
  }
  static async stop(stream, reason) {
    stream.#disturbed = true;
    if (stream.#ended) return;
    stream.#ended = true;
    await stream.#source.cancel?.(reason);
  }
  static release(stream) {
    stream.#locked = false;
  }
  static lock(stream) {
    if (stream.#locked) throw new TypeError("the body is locked by another reader");
    stream.#locked = true;
  }
  static disturbed(stream) {
    return stream.#disturbed;
  }

  get locked() {
    return this.#locked;
  }
  getReader() {
    lock(this);
    return new Reader(this);
  }
  async cancel(reason) {
    if (this.#locked) throw new TypeError("body.cancel: the body is locked by a reader");
    await stop(this, reason);
  }
  values(options) {
    const reader = this.getReader();
    const iterator = {
      async next() {
        const result = await reader.read();
        if (result.done) reader.releaseLock();
        return result;
      },
      async return(value) {
        if (!options?.preventCancel) await reader.cancel(value);
        reader.releaseLock();
        return { value, done: true };
      },
      [Symbol.asyncIterator]() {
        return iterator;
      },
    };
    return iterator;
  }
  [Symbol.asyncIterator](options) {
    return this.values(options);
  }
  tee() {
    lock(this);
    const branches = [[], []]; // chunks that the other branch pulled
    let cancelled = 0;
    return branches.map((queue, i) => new BodyStream({
      pull: async () => {
        if (queue.length === 0) {
          const chunk = pull(this);
          for (const each of branches) each.push(chunk);
        }
        const chunk = await queue.shift();
        return chunk === null ? null : chunk.slice();
      },
      cancel: async (reason) => {
        branches[i] = { push() {} };
        if (++cancelled === 2) await stop(this, reason);
      },
    }));
  }
}
const { pull, stop, release, lock, disturbed } = BodyStream;
for (const name of ["pull", "stop", "release", "lock", "disturbed"]) delete BodyStream[name];
Object.defineProperty(BodyStream.prototype, Symbol.toStringTag, { value: "ReadableStream", configurable: true });

Object.assign(exports, { BodyStream, pull, stop, lock, disturbed });

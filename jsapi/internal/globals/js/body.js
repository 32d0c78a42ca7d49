
"use strict";
// Fetch Standard, sections 5.2 and 5.3: what a Request and a Response share.

const { TextDecoder, TextEncoder } = need("encoding");
const { BodyStream, pull, stop, lock, disturbed } = need("stream");
const encoder = new TextEncoder();

// streamOf serves bytes that are known as a stream of one chunk.
const streamOf = (bytes) => {
  let left = bytes.length === 0 ? null : bytes;
  return new BodyStream({
    async pull() {
      const chunk = left;
      left = null;
      return chunk;
    },
  });
};

// extract gives {bytes or stream, type} of a body argument.
const extract = (body) => {
  if (typeof body === "object" && body !== null) {
    if (body instanceof BodyStream) {
      if (body.locked || disturbed(body)) throw new TypeError("the body was read already or is locked");
      return { stream: body, type: null };
    }
    if (body instanceof ArrayBuffer) return { bytes: new Uint8Array(body.slice(0)), type: null };
    if (ArrayBuffer.isView(body)) return { bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice(), type: null };
    const { Blob, blobBytes } = need("blob");
    if (body instanceof Blob) return { bytes: blobBytes(body), type: body.type || null };
    const { URLSearchParams } = need("url");
    if (body instanceof URLSearchParams) return { bytes: encoder.encode(body.toString()), type: "application/x-www-form-urlencoded;charset=UTF-8" };
    const { FormData, multipart } = need("formdata");
    if (body instanceof FormData) return multipart(body);
    const iterate = body[Symbol.asyncIterator];
    if (typeof iterate === "function") return { stream: fromIterator(iterate.call(body)), type: null };
  }
  return { bytes: encoder.encode(`${body}`), type: "text/plain;charset=UTF-8" };
};

const fromIterator = (iterator) =>
  new BodyStream({
    async pull() {
      const { value, done } = await iterator.next();
      if (done) return null;
      if (typeof value === "string") return encoder.encode(value);
      if (value instanceof Uint8Array) return value;
      throw new TypeError("the body's iterator must give strings or Uint8Arrays");
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });

const collect = async (stream, limit, what) => {
  const { concat } = need("blob");
  lock(stream);
  const chunks = [];
  let size = 0;
  for (let chunk = await pull(stream); chunk !== null; chunk = await pull(stream)) {
    size += chunk.length;
    if (size > limit) {
      const error = new TypeError(`${what}: the body has more than ${limit} bytes; read response.body in a loop instead`);
      error.code = "ERR_BODY_TOO_LARGE";
      await stop(stream, error);
      throw error;
    }
    chunks.push(chunk);
  }
  return concat(chunks.length === 0 ? [new Uint8Array()] : chunks);
};

// Body is the base of Request and Response. Its stream is made when it is
// first asked for, unless the body came as one.
class Body {
  #bytes;
  #stream;
  #used = false;

  constructor(body, stream) {
    this.#bytes = body?.bytes;
    this.#stream = body?.stream ?? stream;
  }

  static async take(owner, method) {
    if (isUsed(owner)) throw new TypeError(`${method}: the body was read already`);
    owner.#used = true;
    if (owner.#stream !== undefined) return collect(owner.#stream, native.maxBody, method);
    return owner.#bytes ?? new Uint8Array();
  }
  static isUsed(owner) {
    return owner.#used || (owner.#stream !== undefined && (owner.#stream.locked || disturbed(owner.#stream)));
  }
  static split(owner) {
    if (isUsed(owner)) throw new TypeError("clone: the body was read already");
    if (owner.#stream === undefined) return owner.#bytes === undefined ? undefined : { bytes: owner.#bytes };
    const [mine, theirs] = owner.#stream.tee();
    owner.#stream = mine;
    return { stream: theirs };
  }

  get body() {
    if (this.#stream === undefined && this.#bytes !== undefined) this.#stream = streamOf(this.#bytes);
    return this.#stream ?? null;
  }
  get bodyUsed() {
    return this.#used || (this.#stream !== undefined && disturbed(this.#stream));
  }
  async bytes() {
    return (await take(this, "bytes")).slice();
  }
  async arrayBuffer() {
    return (await take(this, "arrayBuffer")).slice().buffer;
  }
  async text() {
    return new TextDecoder().decode(await take(this, "text"));
  }
  async json() {
    return JSON.parse(new TextDecoder().decode(await take(this, "json")));
  }
  async blob() {
    const { Blob } = need("blob");
    return new Blob([await take(this, "blob")], { type: this.headers.get("content-type") ?? "" });
  }
  async formData() {
    const { parse } = need("formdata");
    return parse(await take(this, "formData"), this.headers.get("content-type") ?? "");
  }
}
const { take, isUsed, split } = Body;
for (const name of ["take", "isUsed", "split"]) delete Body[name];

Object.assign(exports, { Body, extract, take, isUsed, split });

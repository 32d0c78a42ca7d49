
"use strict";
// File API (w3.org/TR/FileAPI), sections 3 and 4.

const { TextEncoder, TextDecoder } = need("encoding");
const encoder = new TextEncoder();

const bytesOf = (part) => {
  if (part instanceof Blob) return blobBytes(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0));
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice();
  return encoder.encode(part);
};

const concat = (chunks) => {
  if (chunks.length === 1) return chunks[0];
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
};

// A type with a character outside of printable ASCII is no type.
const typeOf = (type) => (type === undefined || /[^\x20-\x7e]/.test(type) ? "" : `${type}`.toLowerCase());

class Blob {
  #bytes;
  #type;

  constructor(parts = [], options = undefined) {
    if (typeof parts !== "object" || parts === null || typeof parts[Symbol.iterator] !== "function") {
      throw new TypeError("Blob: the parts must be an iterable");
    }
    this.#bytes = concat(Array.from(parts, bytesOf));
    this.#type = typeOf(options?.type);
  }

  static bytes(blob) {
    return blob.#bytes;
  }

  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  slice(start = 0, end = this.size, type = "") {
    const blob = new Blob([], { type });
    blob.#bytes = this.#bytes.subarray(start, end);
    return blob;
  }
  async text() {
    return new TextDecoder().decode(this.#bytes);
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async bytes() {
    return this.#bytes.slice();
  }
  stream() {
    const bytes = this.#bytes;
    let at = 0;
    return new (need("stream").BodyStream)({
      async pull() {
        if (at >= bytes.length) return null;
        const chunk = bytes.slice(at, at + 65536);
        at += chunk.length;
        return chunk;
      },
    });
  }
}
const blobBytes = Blob.bytes;
delete Blob.bytes;

class File extends Blob {
  #name;
  #lastModified;

  constructor(parts, name, options = undefined) {
    if (arguments.length < 2) throw new TypeError("File: parts and a name are required");
    super(parts, options);
    this.#name = `${name}`;
    this.#lastModified = options?.lastModified === undefined ? Date.now() : Math.trunc(+options.lastModified);
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
}

for (const [type, name] of [[Blob, "Blob"], [File, "File"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

Object.assign(exports, { Blob, File, blobBytes, concat });

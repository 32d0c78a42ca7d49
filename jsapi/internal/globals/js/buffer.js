
"use strict";
// Buffer (nodejs.org/api/buffer.html): the part of it that programs use today.

const encodingOf = (name) => {
  if (name === undefined || name === null || name === "utf8") return "utf8";
  const known = native.known(`${name}`);
  if (known === undefined) {
    const error = new TypeError(`Buffer: Unknown encoding: ${name}`);
    error.code = "ERR_UNKNOWN_ENCODING";
    throw error;
  }
  return known;
};

const failed = (Type, message, code) => {
  const error = new Type(message);
  error.code = code;
  return error;
};
const wrongType = (what, value) => failed(TypeError, `Buffer: ${what}, got ${value === null ? "null" : typeof value}`, "ERR_INVALID_ARG_TYPE");
const outOfRange = (what, low, high, value) => failed(RangeError, `Buffer: ${what} must be between ${low} and ${high}, got ${String(value)}`, "ERR_OUT_OF_RANGE");

const longest = 2 ** 31 - 1;
const sizeOf = (size) => {
  if (typeof size !== "number") throw wrongType("the size must be a number", size);
  if (!(size >= 0 && size <= longest)) throw outOfRange("the size", 0, longest, size);
  return Math.trunc(size);
};

// over views bytes as a Buffer without a copy.
const over = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const bytesOf = (value, encoding, what) => {
  if (typeof value === "string") return native.encode(value, encodingOf(encoding));
  if (value instanceof Uint8Array) return value;
  throw wrongType(`${what} must be a string, a Buffer or a Uint8Array`, value);
};
const mustBeBytes = (value, what) => {
  if (!(value instanceof Uint8Array)) throw wrongType(`${what} must be a Buffer or a Uint8Array`, value);
  return value;
};

class Buffer extends Uint8Array {
  static poolSize = 8192;

  static from(value, encodingOrOffset, length) {
    if (typeof value === "string") return over(native.encode(value, encodingOf(encodingOrOffset)));
    if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
    if (ArrayBuffer.isView(value)) return over(Uint8Array.from(value));
    if (typeof value === "object" && value !== null) {
      if (value.type === "Buffer" && Array.isArray(value.data)) return over(Uint8Array.from(value.data));
      const primitive = value.valueOf?.() ?? value;
      if (primitive !== value && (typeof primitive === "string" || typeof primitive === "object")) return Buffer.from(primitive, encodingOrOffset, length);
      if (typeof value.length === "number" || typeof value[Symbol.iterator] === "function") return over(Uint8Array.from(value));
      const text = value[Symbol.toPrimitive]?.("string");
      if (typeof text === "string") return Buffer.from(text, encodingOrOffset);
    }
    throw wrongType("the first argument must be a string, an array, an ArrayBuffer or a Buffer", value);
  }
  static alloc(size, fill, encoding) {
    const buffer = new Buffer(sizeOf(size));
    return fill === undefined || fill === 0 ? buffer : buffer.fill(fill, encoding);
  }
  static allocUnsafe(size) {
    return new Buffer(sizeOf(size));
  }
  static allocUnsafeSlow(size) {
    return new Buffer(sizeOf(size));
  }
  static byteLength(value, encoding) {
    return typeof value === "string" ? native.encode(value, encodingOf(encoding)).length : value.byteLength;
  }
  static compare(a, b) {
    return native.compare(mustBeBytes(a, "the first argument"), mustBeBytes(b, "the second argument"));
  }
  static concat(list, total = list.reduce((sum, each) => sum + each.length, 0)) {
    const all = new Buffer(sizeOf(total));
    let at = 0;
    for (const each of list) {
      if (at >= total) break;
      native.copy(all, at, mustBeBytes(each, "each member of the list").subarray(0, total - at));
      at += each.length;
    }
    return all;
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return typeof name === "string" && native.known(name) !== undefined;
  }

  get parent() {
    return this.buffer;
  }
  get offset() {
    return this.byteOffset;
  }
  toString(encoding, start = 0, end = this.length) {
    const bytes = start <= 0 && end >= this.length ? this : super.subarray(Math.max(start, 0), Math.max(end, 0));
    return native.decode(bytes, encodingOf(encoding));
  }
  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  }
  toJSON() {
    return { type: "Buffer", data: [...this] };
  }
  equals(other) {
    return this === other || native.compare(this, mustBeBytes(other, "the argument")) === 0;
  }
  compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
    return native.compare(super.subarray(start, end), mustBeBytes(target, "the target").subarray(targetStart, targetEnd));
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    const source = super.subarray(start, Math.min(end, start + Math.max(target.length - targetStart, 0)));
    native.copy(target, targetStart, source);
    return source.length;
  }
  write(text, offset, length, encoding) {
    if (typeof offset === "string") [encoding, offset, length] = [offset, 0, undefined];
    else if (typeof length === "string") [encoding, length] = [length, undefined];
    if (typeof text !== "string") throw wrongType("the text must be a string", text);
    const start = offset ?? 0;
    if (!(start >= 0 && start <= this.length)) throw outOfRange("the offset", 0, this.length, start);
    const room = Math.min(length ?? Infinity, this.length - start);
    const name = encodingOf(encoding);
    let bytes = native.encode(text, name);
    if (bytes.length > room) {
      let end = room;
      // A character that does not fit whole is not written.
      if (name === "utf8") while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
      else if (name === "utf16le") end -= end % 2;
      bytes = bytes.subarray(0, end);
    }
    native.copy(this, start, bytes);
    return bytes.length;
  }
  fill(value, start, end, encoding) {
    if (typeof start === "string") [encoding, start, end] = [start, undefined, undefined];
    else if (typeof end === "string") [encoding, end] = [end, undefined];
    if (typeof value !== "string" && !(value instanceof Uint8Array)) return super.fill(value & 255, start, end);
    const bytes = bytesOf(value, encoding, "the value");
    if (bytes.length === 0) {
      if (value.length === 0) return super.fill(0, start, end);
      throw failed(TypeError, "Buffer.fill: the value has no bytes in that encoding", "ERR_INVALID_ARG_VALUE");
    }
    const stop = Math.min(end ?? this.length, this.length);
    for (let at = start ?? 0; at < stop; at += bytes.length) native.copy(this, at, bytes.subarray(0, stop - at));
    return this;
  }
  indexOf(value, from, encoding) {
    return find(this, value, from, encoding, false);
  }
  lastIndexOf(value, from, encoding) {
    return find(this, value, from, encoding, true);
  }
  includes(value, from, encoding) {
    return find(this, value, from, encoding, false) >= 0;
  }
  readUIntBE(offset, size) {
    return readInteger(this, offset, size, false);
  }
  readUIntLE(offset, size) {
    return readInteger(this, offset, size, true);
  }
  readIntBE(offset, size) {
    return signed(readInteger(this, offset, size, false), size);
  }
  readIntLE(offset, size) {
    return signed(readInteger(this, offset, size, true), size);
  }
  writeUIntBE(value, offset, size) {
    return writeInteger(this, value, offset, size, false, 0, 2 ** (8 * size) - 1);
  }
  writeUIntLE(value, offset, size) {
    return writeInteger(this, value, offset, size, true, 0, 2 ** (8 * size) - 1);
  }
  writeIntBE(value, offset, size) {
    return writeInteger(this, value, offset, size, false, -(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1);
  }
  writeIntLE(value, offset, size) {
    return writeInteger(this, value, offset, size, true, -(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1);
  }
  swap16() {
    return swap(this, 2);
  }
  swap32() {
    return swap(this, 4);
  }
  swap64() {
    return swap(this, 8);
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    const shown = [...super.subarray(0, 50)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const more = this.length > 50 ? ` ... ${this.length - 50} more byte${this.length === 51 ? "" : "s"}` : "";
    return `<Buffer${shown === "" ? "" : ` ${shown}`}${more}>`;
  }
}

const find = (buffer, value, from, encoding, last) => {
  if (typeof from === "string") [encoding, from] = [from, undefined];
  const bytes = typeof value === "number" ? Uint8Array.of(value & 255) : bytesOf(value, encoding, "the value");
  let start = from === undefined || Number.isNaN(+from) ? (last ? buffer.length : 0) : Math.trunc(+from);
  if (start < 0) start += buffer.length;
  if (last && start < 0) return -1;
  return native.indexOf(buffer, bytes, start, last);
};

const swap = (buffer, size) => {
  if (buffer.length % size !== 0) throw failed(RangeError, `Buffer size must be a multiple of ${8 * size}-bits`, "ERR_INVALID_BUFFER_SIZE");
  for (let at = 0; at < buffer.length; at += size) buffer.subarray(at, at + size).reverse();
  return buffer;
};

const checkOffset = (buffer, offset, size) => {
  if (typeof offset !== "number") throw wrongType("the offset must be a number", offset);
  if (!Number.isInteger(offset) || offset < 0 || offset + size > buffer.length) throw outOfRange("the offset", 0, buffer.length - size, offset);
};
const checkSize = (size) => {
  if (!(Number.isInteger(size) && size >= 1 && size <= 6)) throw outOfRange("the byte length", 1, 6, size);
};
const readInteger = (buffer, offset, size, little) => {
  checkSize(size);
  checkOffset(buffer, offset, size);
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + buffer[offset + (little ? size - 1 - i : i)];
  return value;
};
const signed = (value, size) => (value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value);
const writeInteger = (buffer, value, offset, size, little, low, high) => {
  checkSize(size);
  checkOffset(buffer, offset, size);
  let rest = Number(value);
  if (!(rest >= low && rest <= high)) throw outOfRange("the value", low, high, value);
  rest = Math.trunc(rest);
  if (rest < 0) rest += 2 ** (8 * size);
  for (let i = 0; i < size; i++) {
    buffer[offset + (little ? i : size - 1 - i)] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return offset + size;
};

// The fixed-size readers and writers go through a DataView.
const define = (names, value) => {
  for (const name of names) Object.defineProperty(Buffer.prototype, name, { value, writable: true, configurable: true });
};
const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
const limits = {
  Uint8: [0, 255], Int8: [-128, 127], Uint16: [0, 65535], Int16: [-32768, 32767], Uint32: [0, 2 ** 32 - 1], Int32: [-(2 ** 31), 2 ** 31 - 1],
  BigUint64: [0n, 2n ** 64n - 1n], BigInt64: [-(2n ** 63n), 2n ** 63n - 1n], Float32: [], Float64: [],
};
const nodeNames = { Float32: ["Float"], Float64: ["Double"], Uint8: ["UInt8", "Uint8"], Uint16: ["UInt16", "Uint16"], Uint32: ["UInt32", "Uint32"], BigUint64: ["BigUInt64", "BigUint64"] };
for (const [type, [low, high]] of Object.entries(limits)) {
  const size = Number(/\d+/.exec(type)[0]) / 8;
  for (const [order, little] of size === 1 ? [["", false]] : [["BE", false], ["LE", true]]) {
    const names = nodeNames[type] ?? [type];
    define(names.map((name) => `read${name}${order}`), function (offset = 0) {
      checkOffset(this, offset, size);
      return view(this)[`get${type}`](offset, little);
    });
    define(names.map((name) => `write${name}${order}`), function (value, offset = 0) {
      checkOffset(this, offset, size);
      if (low !== undefined && !(value >= low && value <= high)) throw outOfRange("the value", low, high, value);
      view(this)[`set${type}`](offset, value, little);
      return offset + size;
    });
  }
}

exports.Buffer = Buffer;

/** Bytes with the methods of Node's Buffer. */

import { type BufferEncoding, decode, encode, isEncoding } from "harness:internal/encoding";

export type { BufferEncoding };

const { Blob, atob, btoa } = globalThis;
export { Blob, atob, btoa };

type Source = string | ArrayBuffer | ArrayBufferView | Iterable<number> | ArrayLike<number> | { type: "Buffer"; data: number[] };

// Uint8Array's own static methods have other types than Buffer's of the same name.
const Bytes = Uint8Array as unknown as new (
  source: number | ArrayBuffer,
  offset?: number,
  length?: number,
) => Uint8Array<ArrayBuffer>;

/** A Uint8Array that can also be written and read as text and as numbers. */
export class Buffer extends Bytes {
  /** Bytes of a text, of a list of numbers, or (shared, not copied) of an ArrayBuffer. */
  static from(source: Source, encoding?: BufferEncoding): Buffer;
  static from(source: ArrayBuffer, offset?: number, length?: number): Buffer;
  static from(source: Source, second?: BufferEncoding | number, length?: number): Buffer {
    if (typeof source === "string") return wrap(encode(source, second as BufferEncoding | undefined));
    if (source instanceof ArrayBuffer) return new Buffer(source, (second as number | undefined) ?? 0, length);
    if (typeof source !== "object" || source === null) throw new TypeError(`no bytes in a ${typeof source}`);
    if ("type" in source && source.type === "Buffer") return wrap(Uint8Array.from(source.data));
    if (source instanceof DataView) return Buffer.from(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return wrap(Uint8Array.from(source as ArrayLike<number>));
  }

  /** size bytes, filled with fill or with zero. */
  static alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer {
    const buffer = new Buffer(checkSize(size));
    return fill === undefined || size === 0 ? buffer : buffer.fill(fill, 0, size, encoding);
  }

  /** The same as alloc: the bytes are zero. */
  static allocUnsafe(size: number): Buffer {
    return Buffer.alloc(size);
  }

  /** All bytes of parts one after the other, cut or filled up to length when it is given. */
  static concat(parts: readonly Uint8Array[], length?: number): Buffer {
    const all = Buffer.alloc(length ?? parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      if (at >= all.length) break;
      all.set(part.subarray(0, all.length - at), at);
      at += part.length;
    }
    return all;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  static isEncoding(name: unknown): name is BufferEncoding {
    return isEncoding(name);
  }

  static byteLength(source: string | ArrayBuffer | ArrayBufferView, encoding?: BufferEncoding): number {
    return typeof source === "string" ? encode(source, encoding).length : source.byteLength;
  }

  static compare(left: Uint8Array, right: Uint8Array): -1 | 0 | 1 {
    for (let i = 0; i < left.length && i < right.length; i++) {
      if (left[i] !== right[i]) return left[i]! < right[i]! ? -1 : 1;
    }
    return left.length === right.length ? 0 : left.length < right.length ? -1 : 1;
  }

  override toString(encoding?: BufferEncoding, start = 0, end = this.length): string {
    return decode(this.subarray(Math.max(0, start), Math.max(0, end)), encoding);
  }

  toJSON(): { type: "Buffer"; data: number[] } {
    return { type: "Buffer", data: Array.from(this) };
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  compare(other: Uint8Array): -1 | 0 | 1 {
    return Buffer.compare(this, other);
  }

  override subarray(start?: number, end?: number): Buffer {
    return super.subarray(start, end) as Buffer;
  }

  /** The same as subarray: the bytes are shared. */
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end);
  }

  /** Copies bytes into target; returns how many. */
  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): number {
    const source = this.subarray(start, Math.min(end, start + Math.max(0, target.length - targetStart)));
    target.set(source, targetStart);
    return source.length;
  }

  /** Writes as much of text as there is room for; returns the bytes written. */
  write(text: string, offset = 0, encoding?: BufferEncoding): number {
    const bytes = encode(text, encoding);
    let size = Math.min(bytes.length, Math.max(0, this.length - offset));
    // Half a UTF-8 character is not written.
    if (size < bytes.length && /^utf-?8$/i.test(encoding ?? "utf8")) while (size > 0 && (bytes[size]! & 0xc0) === 0x80) size--;
    this.set(bytes.subarray(0, size), offset);
    return size;
  }

  override fill(value: string | number | Uint8Array, start = 0, end = this.length, encoding?: BufferEncoding): this {
    if (typeof value === "number") return super.fill(value & 0xff, start, end) as this;
    const pattern = typeof value === "string" ? encode(value, encoding) : value;
    for (let i = start; i < end; i++) this[i] = pattern.length === 0 ? 0 : pattern[(i - start) % pattern.length]!;
    return this;
  }

  override indexOf(value: string | number | Uint8Array, start = 0, encoding?: BufferEncoding): number {
    if (typeof value === "number") return super.indexOf(value & 0xff, start);
    const wanted = typeof value === "string" ? encode(value, encoding) : value;
    const first = start < 0 ? Math.max(0, this.length + start) : start;
    for (let at = first; at + wanted.length <= this.length; at++) {
      if (wanted.every((byte, i) => this[at + i] === byte)) return at;
    }
    return -1;
  }

  override includes(value: string | number | Uint8Array, start = 0, encoding?: BufferEncoding): boolean {
    return this.indexOf(value, start, encoding) >= 0;
  }

  readUInt8(offset = 0): number {
    return view(this).getUint8(offset);
  }
  readUInt16LE(offset = 0): number {
    return view(this).getUint16(offset, true);
  }
  readUInt16BE(offset = 0): number {
    return view(this).getUint16(offset);
  }
  readUInt32LE(offset = 0): number {
    return view(this).getUint32(offset, true);
  }
  readUInt32BE(offset = 0): number {
    return view(this).getUint32(offset);
  }
  readInt8(offset = 0): number {
    return view(this).getInt8(offset);
  }
  readInt16LE(offset = 0): number {
    return view(this).getInt16(offset, true);
  }
  readInt16BE(offset = 0): number {
    return view(this).getInt16(offset);
  }
  readInt32LE(offset = 0): number {
    return view(this).getInt32(offset, true);
  }
  readInt32BE(offset = 0): number {
    return view(this).getInt32(offset);
  }
  readBigUInt64LE(offset = 0): bigint {
    return view(this).getBigUint64(offset, true);
  }
  readBigUInt64BE(offset = 0): bigint {
    return view(this).getBigUint64(offset);
  }
  readBigInt64LE(offset = 0): bigint {
    return view(this).getBigInt64(offset, true);
  }
  readBigInt64BE(offset = 0): bigint {
    return view(this).getBigInt64(offset);
  }
  readFloatLE(offset = 0): number {
    return view(this).getFloat32(offset, true);
  }
  readFloatBE(offset = 0): number {
    return view(this).getFloat32(offset);
  }
  readDoubleLE(offset = 0): number {
    return view(this).getFloat64(offset, true);
  }
  readDoubleBE(offset = 0): number {
    return view(this).getFloat64(offset);
  }

  /** An unsigned integer of 1 to 6 bytes, the most significant first. */
  readUIntBE(offset: number, byteLength: number): number {
    return this.#integer(offset, byteLength).reduce((value, byte) => value * 256 + byte, 0);
  }
  /** An unsigned integer of 1 to 6 bytes, the least significant first. */
  readUIntLE(offset: number, byteLength: number): number {
    return this.#integer(offset, byteLength).reduceRight((value, byte) => value * 256 + byte, 0);
  }

  writeUInt8(value: number, offset = 0): number {
    view(this).setUint8(offset, value);
    return offset + 1;
  }
  writeUInt16LE(value: number, offset = 0): number {
    view(this).setUint16(offset, value, true);
    return offset + 2;
  }
  writeUInt16BE(value: number, offset = 0): number {
    view(this).setUint16(offset, value);
    return offset + 2;
  }
  writeUInt32LE(value: number, offset = 0): number {
    view(this).setUint32(offset, value, true);
    return offset + 4;
  }
  writeUInt32BE(value: number, offset = 0): number {
    view(this).setUint32(offset, value);
    return offset + 4;
  }
  writeInt8(value: number, offset = 0): number {
    return this.writeUInt8(value, offset);
  }
  writeInt16LE(value: number, offset = 0): number {
    return this.writeUInt16LE(value, offset);
  }
  writeInt16BE(value: number, offset = 0): number {
    return this.writeUInt16BE(value, offset);
  }
  writeInt32LE(value: number, offset = 0): number {
    return this.writeUInt32LE(value, offset);
  }
  writeInt32BE(value: number, offset = 0): number {
    return this.writeUInt32BE(value, offset);
  }
  writeBigUInt64LE(value: bigint, offset = 0): number {
    view(this).setBigUint64(offset, value, true);
    return offset + 8;
  }
  writeBigUInt64BE(value: bigint, offset = 0): number {
    view(this).setBigUint64(offset, value);
    return offset + 8;
  }
  writeDoubleLE(value: number, offset = 0): number {
    view(this).setFloat64(offset, value, true);
    return offset + 8;
  }
  writeDoubleBE(value: number, offset = 0): number {
    view(this).setFloat64(offset, value);
    return offset + 8;
  }

  #integer(offset: number, byteLength: number): number[] {
    if (!(byteLength >= 1 && byteLength <= 6) || offset < 0 || offset + byteLength > this.length) {
      throw new RangeError(`no ${byteLength} bytes at ${offset} of ${this.length}`);
    }
    return Array.from(this.subarray(offset, offset + byteLength));
  }
}

function wrap(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function view(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function checkSize(size: number): number {
  if (Number.isInteger(size) && size >= 0) return size;
  throw Object.assign(new RangeError(`a size is a whole number of bytes, not ${String(size)}`), {
    code: "ERR_OUT_OF_RANGE",
  });
}

export default { Buffer, Blob, atob, btoa };

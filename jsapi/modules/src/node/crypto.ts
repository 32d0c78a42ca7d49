/** Digests, identifiers and random bytes. */

import { native } from "harness:native";
import { Buffer, type BufferEncoding } from "node:buffer";

type Data = string | ArrayBufferView | ArrayBuffer;
type Algorithm = Parameters<typeof native.digest>[0];

const algorithms: Readonly<Record<string, Algorithm>> = {
  md5: "md5",
  sha1: "sha1",
  "sha-1": "sha1",
  sha256: "sha256",
  "sha-256": "sha256",
  sha384: "sha384",
  "sha-384": "sha384",
  sha512: "sha512",
  "sha-512": "sha512",
};

/** The digest of all data given to update. */
export class Hash {
  readonly #finish: (data: Uint8Array) => Uint8Array;
  #parts: Uint8Array[] | undefined = [];

  /** @internal */
  constructor(finish: (data: Uint8Array) => Uint8Array, parts: readonly Uint8Array[] = []) {
    this.#finish = finish;
    this.#parts = [...parts];
  }

  update(data: Data, encoding?: BufferEncoding): this {
    // A copy: the caller may go on writing into its bytes.
    this.#open().push(Buffer.from(bytesOf(data, encoding)));
    return this;
  }

  /** The digest. Nothing can be added afterwards. */
  digest(): Buffer;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding): Buffer | string {
    const digest = Buffer.from(this.#finish(Buffer.concat(this.#open())));
    this.#parts = undefined;
    return encoding === undefined ? digest : digest.toString(encoding);
  }

  copy(): Hash {
    return new Hash(this.#finish, this.#open());
  }

  #open(): Uint8Array[] {
    if (this.#parts === undefined) throw coded("ERR_CRYPTO_HASH_FINALIZED", "the digest was already made");
    return this.#parts;
  }
}

/** A digest by algorithm: md5, sha1, sha256, sha384 or sha512. */
export function createHash(algorithm: string): Hash {
  const name = algorithmOf(algorithm);
  return new Hash((data) => native.digest(name, data));
}

/** A keyed digest (RFC 2104). */
export function createHmac(algorithm: string, key: Data): Hash {
  const name = algorithmOf(algorithm);
  const size = name === "sha384" || name === "sha512" ? 128 : 64;
  let secret = bytesOf(key);
  if (secret.length > size) secret = native.digest(name, secret);
  const pad = (byte: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (secret[i] ?? 0) ^ byte);
  const inner = pad(0x36);
  const outer = pad(0x5c);
  return new Hash((data) => native.digest(name, Buffer.concat([outer, native.digest(name, Buffer.concat([inner, data]))])));
}

export function getHashes(): string[] {
  return ["md5", "sha1", "sha256", "sha384", "sha512"];
}

export function randomUUID(): string {
  return globalThis.crypto.randomUUID();
}

/** Bytes fit for keys. */
export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  // One call of getRandomValues gives at most 65536 bytes.
  for (let start = 0; start < size; start += 65536) {
    globalThis.crypto.getRandomValues(bytes.subarray(start, start + 65536));
  }
  return bytes;
}

/** An integer from min to max - 1; from 0 when max is left out. */
export function randomInt(max: number): number;
export function randomInt(min: number, max: number): number;
export function randomInt(first: number, second?: number): number {
  const [min, max] = second === undefined ? [0, first] : [first, second];
  const range = max - min;
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || range <= 0 || range > 2 ** 48) {
    throw new RangeError(`randomInt needs safe integers min < max at most 2^48 apart, got ${min} and ${max}`);
  }
  // Values past the last whole multiple of range would make small results likelier.
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const value = randomBytes(6).readUIntBE(0, 6);
    if (value < limit) return min + (value % range);
  }
}

/** Whether the bytes are equal, in a time that does not depend on where they differ. */
export function timingSafeEqual(left: ArrayBufferView | ArrayBuffer, right: ArrayBufferView | ArrayBuffer): boolean {
  const [a, b] = [bytesOf(left), bytesOf(right)];
  if (a.length !== b.length) throw coded("ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "the inputs differ in length");
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}

function algorithmOf(name: string): Algorithm {
  const algorithm = algorithms[String(name).toLowerCase()];
  if (algorithm === undefined) {
    throw coded("ERR_CRYPTO_INVALID_DIGEST", `no digest ${JSON.stringify(name)}; there are ${getHashes().join(", ")}`);
  }
  return algorithm;
}

function bytesOf(data: Data, encoding?: BufferEncoding): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

export default { Hash, createHash, createHmac, getHashes, randomBytes, randomInt, randomUUID, timingSafeEqual };

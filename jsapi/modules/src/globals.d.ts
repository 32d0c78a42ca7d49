// What is global beside the language itself. No DOM and no @types/node: only
// what the host provides is declared.

interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  dir(value: unknown, options?: { depth?: number | null }): void;
  table(rows: unknown, columns?: readonly string[]): void;
  assert(condition?: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  timeEnd(label?: string): void;
  group(...values: unknown[]): void;
  groupEnd(): void;
}
declare var console: Console;

interface Timer {
  ref(): this;
  unref(): this;
  hasRef(): boolean;
  refresh(): this;
  [Symbol.toPrimitive](): number;
}
type TimerId = Timer | number | string | null | undefined;
declare function setTimeout<Args extends unknown[]>(callback: (...args: Args) => void, ms?: number, ...args: Args): Timer;
declare function clearTimeout(timer: TimerId): void;
declare function setInterval<Args extends unknown[]>(callback: (...args: Args) => void, ms?: number, ...args: Args): Timer;
declare function clearInterval(timer: TimerId): void;
declare function setImmediate<Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args): Timer;
declare function clearImmediate(timer: TimerId): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(data: string): string;
declare function btoa(data: string): string;
declare var self: typeof globalThis;
declare var global: typeof globalThis;

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
}
interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly defaultPrevented: boolean;
  readonly timeStamp: number;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare var Event: { prototype: Event; new (type: string, init?: EventInit): Event };
interface CustomEvent<T = any> extends Event {
  readonly detail: T;
}
declare var CustomEvent: {
  prototype: CustomEvent;
  new <T>(type: string, init?: EventInit & { detail?: T }): CustomEvent<T>;
};
type EventListener = ((event: Event) => void) | { handleEvent(event: Event): void };
interface EventListenerOptions {
  once?: boolean;
  passive?: boolean;
  capture?: boolean;
  signal?: AbortSignal;
}
interface EventTarget {
  addEventListener(type: string, listener: EventListener | null, options?: EventListenerOptions | boolean): void;
  removeEventListener(type: string, listener: EventListener | null, options?: EventListenerOptions | boolean): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: { prototype: EventTarget; new (): EventTarget };

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => void) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
  timeout(ms: number): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };

interface DOMException extends Error {
  readonly code: number;
}
declare var DOMException: { prototype: DOMException; new (message?: string, name?: string): DOMException };

interface TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };
interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, all: URLSearchParams) => void): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  toString(): string;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: string | Iterable<readonly [string, string]> | Record<string, string>): URLSearchParams;
};
interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};

interface Blob {
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, type?: string): Blob;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}
type BlobPart = string | ArrayBuffer | ArrayBufferView | Blob;
declare var Blob: { prototype: Blob; new (parts?: Iterable<BlobPart>, options?: { type?: string }): Blob };

type HeadersInit = Headers | Iterable<readonly [string, string]> | Record<string, string>;
interface Headers extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string, all: Headers) => void): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
}
declare var Headers: { prototype: Headers; new (init?: HeadersInit): Headers };
type BodyInit = string | ArrayBuffer | ArrayBufferView | Blob | URLSearchParams;
interface Body {
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  blob(): Promise<Blob>;
}
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  redirect?: "follow" | "error" | "manual";
  signal?: AbortSignal | null;
}
interface Request extends Body {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: "follow" | "error" | "manual";
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: { prototype: Request; new (input: string | URL | Request, init?: RequestInit): Request };
interface Response extends Body {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly headers: Headers;
  clone(): Response;
}
declare var Response: {
  prototype: Response;
  new (body?: BodyInit | null, init?: { status?: number; statusText?: string; headers?: HeadersInit }): Response;
  json(value: unknown, init?: { status?: number; statusText?: string; headers?: HeadersInit }): Response;
};
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

interface Crypto {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<T extends ArrayBufferView>(target: T): T;
  readonly subtle: {
    digest(
      algorithm: "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512" | { name: string },
      data: ArrayBuffer | ArrayBufferView,
    ): Promise<ArrayBuffer>;
  };
}
declare var crypto: Crypto;

type BufferEncoding =
  | "utf8"
  | "utf-8"
  | "hex"
  | "base64"
  | "base64url"
  | "ascii"
  | "latin1"
  | "binary"
  | "utf16le"
  | "utf-16le"
  | "ucs2"
  | "ucs-2";

/** Bytes that can also be read and written as text and as numbers. */
interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: "Buffer"; data: number[] };
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array, otherStart?: number, otherEnd?: number, start?: number, end?: number): -1 | 0 | 1;
  /** Shares the bytes. */
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  /** Returns how many bytes were copied. */
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  /** Writes whole characters only; returns how many bytes were written. */
  write(text: string, encoding?: BufferEncoding): number;
  write(text: string, offset: number, encoding?: BufferEncoding): number;
  write(text: string, offset: number, length: number, encoding?: BufferEncoding): number;
  fill(value: string | number | Uint8Array, start?: number, end?: number, encoding?: BufferEncoding): this;
  indexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  lastIndexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  includes(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): boolean;
  swap16(): this;
  swap32(): this;
  swap64(): this;
  readUInt8(offset?: number): number;
  readInt8(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readInt16LE(offset?: number): number;
  readInt16BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readBigUInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  readBigInt64LE(offset?: number): bigint;
  readBigInt64BE(offset?: number): bigint;
  readFloatLE(offset?: number): number;
  readFloatBE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readDoubleBE(offset?: number): number;
  readUIntLE(offset: number, byteLength: number): number;
  readUIntBE(offset: number, byteLength: number): number;
  readIntLE(offset: number, byteLength: number): number;
  readIntBE(offset: number, byteLength: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeBigUInt64LE(value: bigint, offset?: number): number;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeBigInt64LE(value: bigint, offset?: number): number;
  writeBigInt64BE(value: bigint, offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
  writeUIntLE(value: number, offset: number, byteLength: number): number;
  writeUIntBE(value: number, offset: number, byteLength: number): number;
  writeIntLE(value: number, offset: number, byteLength: number): number;
  writeIntBE(value: number, offset: number, byteLength: number): number;
}
interface BufferConstructor {
  readonly prototype: Buffer;
  /** Bytes of a text or a list, copied; an ArrayBuffer is shared. */
  from(text: string, encoding?: BufferEncoding): Buffer;
  from(memory: ArrayBuffer, offset?: number, length?: number): Buffer;
  from(bytes: ArrayBufferView | ArrayLike<number> | Iterable<number> | { type: "Buffer"; data: number[] }): Buffer;
  alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(parts: readonly Uint8Array[], length?: number): Buffer;
  byteLength(value: string | ArrayBuffer | ArrayBufferView, encoding?: BufferEncoding): number;
  compare(left: Uint8Array, right: Uint8Array): -1 | 0 | 1;
  isBuffer(value: unknown): value is Buffer;
  isEncoding(name: unknown): name is BufferEncoding;
}
declare var Buffer: BufferConstructor;

interface Performance {
  now(): number;
  readonly timeOrigin: number;
}
declare var performance: Performance;

interface ErrorConstructor {
  captureStackTrace(target: object, above?: Function): void;
}

interface ImportMeta {
  /** `file:` URL of the module's world path. */
  readonly url: string;
  /** World path of the module. */
  readonly filename: string;
  /** World path of the module's folder. */
  readonly dirname: string;
}

// Text imports: `import prompt from "./prompt.md" with { type: "text" }`.
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.txt" {
  const text: string;
  export default text;
}

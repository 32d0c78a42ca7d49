/** What node:fs and node:fs/promises share. */

import type { Entry, FileKind, FileStat } from "harness";
import { Buffer, type BufferEncoding } from "node:buffer";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";

export type PathLike = string | URL | Uint8Array;
export type Encoding = BufferEncoding | null | undefined | { encoding?: BufferEncoding | null; flag?: string };
export type Data = string | ArrayBufferView;

/** What a path is. */
export class Stats {
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly #kind: FileKind;

  /** @internal */
  constructor(stat: FileStat) {
    this.size = stat.size;
    this.mode = stat.mode;
    this.mtimeMs = stat.mtimeMs;
    this.#kind = stat.kind;
  }

  get mtime(): Date {
    return new Date(this.mtimeMs);
  }
  isFile(): boolean {
    return this.#kind === "file";
  }
  isDirectory(): boolean {
    return this.#kind === "directory";
  }
  isSymbolicLink(): boolean {
    return this.#kind === "symlink";
  }
}

/** A member of a directory. */
export class Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly #kind: FileKind;

  /** @internal */
  constructor(entry: Entry, parentPath: string) {
    this.name = entry.name;
    this.parentPath = parentPath;
    this.#kind = entry.kind;
  }

  isFile(): boolean {
    return this.#kind === "file";
  }
  isDirectory(): boolean {
    return this.#kind === "directory";
  }
  isSymbolicLink(): boolean {
    return this.#kind === "symlink";
  }
}

/** The world path of what Node takes for a path. Relative paths start at `/`. */
export function worldPath(path: PathLike): string {
  if (path instanceof URL) return fileURLToPath(path);
  if (path instanceof Uint8Array) return resolve(Buffer.from(path).toString());
  return resolve(path);
}

/** Bytes as what a reader asked for: text with an encoding, else a Buffer. */
export function decoded(bytes: Uint8Array<ArrayBuffer>, options: Encoding): string | Buffer {
  const encoding = encodingOf(options);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding ? buffer.toString(encoding) : buffer;
}

/** Data as the host's file system takes it. */
export function encoded(data: Data, options: Encoding): string | Uint8Array {
  if (typeof data === "string") {
    const encoding = encodingOf(options) ?? "utf8";
    return /^utf-?8$/i.test(encoding) ? data : Buffer.from(data, encoding);
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Whether a writer asked for its data to go behind what is there. */
export function appends(options: Encoding): boolean {
  if (typeof options !== "object" || options === null || options.flag === undefined) return false;
  if (options.flag === "a") return true;
  if (options.flag === "w") return false;
  throw Object.assign(new TypeError(`flag ${JSON.stringify(options.flag)} is not supported; there are "w" and "a"`), {
    code: "ERR_INVALID_ARG_VALUE",
  });
}

/** Throws when the operation syscall is not for what is at path: unlink and rm take no directory, rmdir nothing else. */
export function checkRemovable(syscall: "unlink" | "rm" | "rmdir", path: string, stat: FileStat): void {
  const isDirectory = stat.kind === "directory";
  if (isDirectory === (syscall === "rmdir")) return;
  const code = isDirectory ? "EISDIR" : "ENOTDIR";
  throw Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, path, syscall });
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function encodingOf(options: Encoding): BufferEncoding | undefined {
  return (typeof options === "object" ? options?.encoding : options) ?? undefined;
}

/** Files of the world, read and written before a call returns; `promises` has the others. */

import { native } from "harness:native";
import {
  appends,
  checkRemovable,
  type Data,
  decoded,
  Dirent,
  encoded,
  type Encoding,
  isNotFound,
  type PathLike,
  Stats,
  worldPath,
} from "harness:internal/files";
import type { Buffer, BufferEncoding } from "node:buffer";
import promises from "node:fs/promises";

export { Dirent, promises, Stats };

const files = native.fsSync;

export function readFileSync(path: PathLike, options: BufferEncoding | { encoding: BufferEncoding }): string;
export function readFileSync(path: PathLike, options?: null | { encoding?: null }): Buffer;
export function readFileSync(path: PathLike, options?: Encoding): string | Buffer {
  return decoded(files.readBytes(worldPath(path)) as Uint8Array<ArrayBuffer>, options);
}

/** Replaces the file in one step; with flag "a" adds to it. */
export function writeFileSync(path: PathLike, data: Data, options?: Encoding): void {
  if (appends(options)) files.append(worldPath(path), encoded(data, options));
  else files.write(worldPath(path), encoded(data, options));
}

export function appendFileSync(path: PathLike, data: Data, options?: Encoding): void {
  files.append(worldPath(path), encoded(data, options));
}

export function copyFileSync(from: PathLike, to: PathLike): void {
  files.write(worldPath(to), files.readBytes(worldPath(from)));
}

export function readdirSync(path: PathLike, options?: { withFileTypes?: false }): string[];
export function readdirSync(path: PathLike, options: { withFileTypes: true }): Dirent[];
export function readdirSync(path: PathLike, options?: { withFileTypes?: boolean }): string[] | Dirent[] {
  const at = worldPath(path);
  const entries = files.list(at);
  return options?.withFileTypes ? entries.map((entry) => new Dirent(entry, at)) : entries.map((entry) => entry.name);
}

export function statSync(path: PathLike): Stats;
export function statSync(path: PathLike, options: { throwIfNoEntry: false }): Stats | undefined;
export function statSync(path: PathLike, options?: { throwIfNoEntry?: boolean }): Stats | undefined {
  try {
    return new Stats(files.stat(worldPath(path)));
  } catch (error) {
    if (options?.throwIfNoEntry === false && isNotFound(error)) return undefined;
    throw error;
  }
}

export function lstatSync(path: PathLike): Stats {
  return new Stats(files.lstat(worldPath(path)));
}

export function existsSync(path: PathLike): boolean {
  try {
    files.stat(worldPath(path));
    return true;
  } catch {
    return false;
  }
}

/** Throws when there is nothing at path. */
export function accessSync(path: PathLike): void {
  files.stat(worldPath(path));
}

export function mkdirSync(path: PathLike, options?: { recursive?: boolean }): void {
  files.mkdir(worldPath(path), { recursive: options?.recursive ?? false });
}

export function renameSync(from: PathLike, to: PathLike): void {
  files.rename(worldPath(from), worldPath(to));
}

/** Removes a file or a symbolic link. */
export function unlinkSync(path: PathLike): void {
  remove("unlink", worldPath(path));
}

/** Removes an empty directory. */
export function rmdirSync(path: PathLike): void {
  remove("rmdir", worldPath(path));
}

/** Removes what is at path. With force, nothing there is no error. */
export function rmSync(path: PathLike, options?: { recursive?: boolean; force?: boolean }): void {
  const at = worldPath(path);
  try {
    if (options?.recursive) files.remove(at, { recursive: true });
    else remove("rm", at);
  } catch (error) {
    if (!options?.force || !isNotFound(error)) throw error;
  }
}

function remove(syscall: "unlink" | "rm" | "rmdir", path: string): void {
  checkRemovable(syscall, path, files.lstat(path));
  files.remove(path);
}

export default {
  Dirent,
  Stats,
  accessSync,
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  promises,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
};

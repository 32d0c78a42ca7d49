/** Files of the world. Errors have `code`, `path` and `syscall`. */

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

const files = native.fs;

export function readFile(path: PathLike, options: BufferEncoding | { encoding: BufferEncoding }): Promise<string>;
export function readFile(path: PathLike, options?: null | { encoding?: null }): Promise<Buffer>;
export async function readFile(path: PathLike, options?: Encoding): Promise<string | Buffer> {
  return decoded((await files.readBytes(worldPath(path))) as Uint8Array<ArrayBuffer>, options);
}

/** Replaces the file in one step; with flag "a" adds to it. */
export async function writeFile(path: PathLike, data: Data, options?: Encoding): Promise<void> {
  if (appends(options)) return files.append(worldPath(path), encoded(data, options));
  return files.write(worldPath(path), encoded(data, options));
}

export async function appendFile(path: PathLike, data: Data, options?: Encoding): Promise<void> {
  return files.append(worldPath(path), encoded(data, options));
}

export async function copyFile(from: PathLike, to: PathLike): Promise<void> {
  return files.write(worldPath(to), await files.readBytes(worldPath(from)));
}

export function readdir(path: PathLike, options?: { withFileTypes?: false }): Promise<string[]>;
export function readdir(path: PathLike, options: { withFileTypes: true }): Promise<Dirent[]>;
export async function readdir(path: PathLike, options?: { withFileTypes?: boolean }): Promise<string[] | Dirent[]> {
  const at = worldPath(path);
  const entries = await files.list(at);
  return options?.withFileTypes ? entries.map((entry) => new Dirent(entry, at)) : entries.map((entry) => entry.name);
}

export async function stat(path: PathLike): Promise<Stats> {
  return new Stats(await files.stat(worldPath(path)));
}

export async function lstat(path: PathLike): Promise<Stats> {
  return new Stats(await files.lstat(worldPath(path)));
}

/** Rejects when there is nothing at path. */
export async function access(path: PathLike): Promise<void> {
  await files.stat(worldPath(path));
}

export async function mkdir(path: PathLike, options?: { recursive?: boolean }): Promise<void> {
  return files.mkdir(worldPath(path), { recursive: options?.recursive ?? false });
}

export async function rename(from: PathLike, to: PathLike): Promise<void> {
  return files.rename(worldPath(from), worldPath(to));
}

/** Removes a file or a symbolic link. */
export async function unlink(path: PathLike): Promise<void> {
  return remove("unlink", worldPath(path));
}

/** Removes an empty directory. */
export async function rmdir(path: PathLike): Promise<void> {
  return remove("rmdir", worldPath(path));
}

/** Removes what is at path. With force, nothing there is no error. */
export async function rm(path: PathLike, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
  const at = worldPath(path);
  try {
    await (options?.recursive ? files.remove(at, { recursive: true }) : remove("rm", at));
  } catch (error) {
    if (!options?.force || !isNotFound(error)) throw error;
  }
}

async function remove(syscall: "unlink" | "rm" | "rmdir", path: string): Promise<void> {
  checkRemovable(syscall, path, await files.lstat(path));
  return files.remove(path);
}

export default {
  access,
  appendFile,
  copyFile,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
};

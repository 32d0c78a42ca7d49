// What the runtime supplies to our own modules under "harness:native". An
// extension cannot import it.

import type { FileSystem } from "harness";

type Sync<T> = {
  [K in keyof T]: T[K] extends (...args: infer Args) => Promise<infer R> ? (...args: Args) => R : never;
};
type Files = Omit<FileSystem, "watch">;

export const native: {
  /** Files of the world, with the errors of the host's own `fs`. */
  readonly fs: Files;
  /** The same operations, done before they return. */
  readonly fsSync: Sync<Files>;
  /** The digest of data. */
  digest(algorithm: "md5" | "sha1" | "sha256" | "sha384" | "sha512", data: Uint8Array): Uint8Array<ArrayBuffer>;
};

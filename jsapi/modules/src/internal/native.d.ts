// What the runtime supplies to our own modules under "harness:native". An
// extension cannot import it.

import type { AssistantMessageEvent, Model } from "@earendil-works/pi-ai";
import type { FileSystem } from "harness";

type Sync<T> = {
  [K in keyof T]: T[K] extends (...args: infer Args) => Promise<infer R> ? (...args: Args) => R : never;
};
type Files = Omit<FileSystem, "watch">;

/** A response on its way. */
export interface NativeModelStream {
  /** The next event; undefined after the last one. */
  next(): Promise<AssistantMessageEvent | undefined>;
  stop(): void;
}

export const native: {
  /** Files of the world, with the errors of the host's own `fs`. */
  readonly fs: Files;
  /** The same operations, done before they return. */
  readonly fsSync: Sync<Files>;
  /** Holds arguments, JSON of an object, against a JSON Schema: what they are when they fit, or what is wrong. Throws for a schema that is none. */
  validate(tool: string, schema: string, args: string): { value?: string; error?: string; flaws?: string[] };
  /** The models of the harness. */
  readonly models: {
    list(): Model[];
    providers(): string[];
    /** Why requests could not be authenticated; undefined when they can. */
    checkAuth(provider: string): Promise<string | undefined>;
    /** Asks a model; the request is JSON. Throws for a model that is not there. */
    stream(request: string, signal: AbortSignal | undefined): NativeModelStream;
  };
  /** The digest of data. */
  digest(algorithm: "md5" | "sha1" | "sha256" | "sha384" | "sha512", data: Uint8Array): Uint8Array<ArrayBuffer>;
};

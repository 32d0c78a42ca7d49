/** What Go gives to the host of one extension at one generation, or of one resource. */

import type { Entry, ExecResult, FileChange, FileStat, OutputStream } from "harness";

import type { Description } from "harness:bind/declaration";
import type { Remote } from "harness:bind/remote";
import type { Callback } from "harness:bind/transaction";

export interface NativeCommand {
  command: string | readonly string[];
  cwd: string | undefined;
  env: readonly (readonly [string, string])[];
  timeout: number | undefined;
  stdin: string | Uint8Array | undefined;
  maxBytes: number | undefined;
  /** The conversations that the command works for. */
  conversations: readonly number[];
  signal: AbortSignal | undefined;
  onOutput: ((text: string, stream: OutputStream) => void) | undefined;
}

/** The natives by name. */
export interface NativeMembers {
  "fs.read"(path: string): Promise<string>;
  "fs.readBytes"(path: string): Promise<Uint8Array>;
  "fs.write"(path: string, data: string | Uint8Array): Promise<void>;
  "fs.append"(path: string, data: string | Uint8Array): Promise<void>;
  "fs.list"(path: string): Promise<Entry[]>;
  "fs.stat"(path: string): Promise<FileStat>;
  "fs.lstat"(path: string): Promise<FileStat>;
  "fs.mkdir"(path: string, recursive: boolean): Promise<void>;
  "fs.remove"(path: string, recursive: boolean): Promise<void>;
  "fs.rename"(from: string, to: string): Promise<void>;
  /** Returns what ends the watch. */
  "fs.watch"(path: string, callback: (change: FileChange) => void): () => void;
  exec(command: NativeCommand): Promise<ExecResult>;
  git(cwd: string, args: readonly string[]): Promise<string>;
  /** The settings, validated and completed by the schema, if any. */
  settings(schema: string | undefined): Record<string, unknown>;
  implement(id: string, invoke: (method: string, args: unknown[]) => unknown): void;
  /** Notes that the extension cannot go live without the service. */
  need(id: string): void;
  provided(id: string): boolean;
  call(id: string, method: string, args: unknown[]): Promise<unknown>;
  onOpen(callback: () => unknown): void;
  onClose(callback: () => unknown): void;
  /** Ends staging: the factory has returned. */
  seal(): void;
  /** Notes that this generation uses a resource. */
  claim(key: string): void;
  /** Runs create as the resource's own code, with natives of the resource's own. What throws has made nothing. */
  create(key: string, create: (native: Native) => void): void;
  /** Forgets the resource that these are the natives of: its creation failed. */
  forget(): void;
  notice(message: string): void;
  /** What is installed now: see registry.ts. */
  installed(): object[];
  install(description: Description): void;
  uninstall(name: string): void;
  /** The open session of the world. */
  engine(): Remote;
  /** Stages a durable consumer of events; the filter is JSON with its name. */
  react(filter: string, handler: Callback): void;
}

/** Finds a native; each call makes a new function, so that what nobody uses costs nothing. */
export interface Native {
  (member: "name" | "generation"): string;
  <Member extends keyof NativeMembers>(member: Member): NativeMembers[Member];
}

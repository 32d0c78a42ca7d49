/** Watches of an environment: folders one by one, where Go watches what is in a folder. */

import type { Context } from "@earendil-works/chord/context";
import type { FileWatcher, WatchChange, WatchTarget } from "@earendil-works/pi-durable/env";
import type { NativeFiles } from "harness:bind/env";
import { basename, join } from "node:path";

/** Watches targets until the watcher is closed or the context aborted. Coverage is there when it resolves. */
export async function watchTargets(
  native: NativeFiles,
  at: (path: string) => string,
  targets: readonly WatchTarget[],
  onChange: (change: WatchChange, context: Context) => void,
  context: Context,
): Promise<FileWatcher> {
  const watches = new Watches(native, (change) => onChange(change, context));
  try {
    for (const target of targets) await watches.root(at(target.path), target);
  } catch (error) {
    watches.close();
    throw error;
  }
  context.abortSignal?.addEventListener("abort", () => watches.close(), { once: true });
  return { mode: "native", close: async () => watches.close() };
}

class Watches {
  readonly #stops = new Map<string, () => void>();
  readonly #roots = new Set<string>();
  #closed = false;

  constructor(
    private readonly native: NativeFiles,
    private readonly tell: (change: WatchChange) => void,
  ) {}

  async root(path: string, target: WatchTarget): Promise<void> {
    this.#roots.add(path);
    await this.add(path, target);
  }

  private async add(path: string, target: WatchTarget): Promise<void> {
    if (this.#closed || this.#stops.has(path)) return;
    this.#stops.set(path, () => {}); // while it is being made
    const stop = await this.native("watch", undefined, path, (paths: string[] | undefined) => this.changed(paths, target));
    if (this.#closed) return stop();
    this.#stops.set(path, stop);
    if (target.recursive) await this.below(path, target);
  }

  private async below(path: string, target: WatchTarget): Promise<void> {
    const names: string[] = await this.native("list", undefined, path).catch(() => []);
    for (const name of names) await this.folder(join(path, name), target);
  }

  // Watches a path that is a folder: links are not followed.
  private async folder(path: string, target: WatchTarget): Promise<void> {
    if (excluded(basename(path), target)) return;
    const about = await this.native("lstat", undefined, path).catch(() => undefined);
    if (about?.kind === "directory") await this.add(path, target);
    else this.forget(path);
  }

  private forget(path: string): void {
    if (this.#roots.has(path)) return; // it may come again
    this.#stops.get(path)?.();
    this.#stops.delete(path);
  }

  private async changed(paths: string[] | undefined, target: WatchTarget): Promise<void> {
    if (this.#closed) return;
    if (paths === undefined) return this.tell({ overflow: true });
    const shown = target.recursive ? paths.filter((path) => !excluded(basename(path), target)) : paths;
    if (target.recursive) for (const path of shown) await this.folder(path, target);
    if (!this.#closed && shown.length > 0) this.tell({ paths: shown });
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }
}

function excluded(name: string, { exclude }: WatchTarget): boolean {
  return exclude !== undefined && ((exclude.hidden === true && name.startsWith(".")) || exclude.names?.includes(name) === true);
}

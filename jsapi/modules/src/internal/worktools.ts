/** What the tools for files and commands share. */

import type { Context } from "@earendil-works/chord";
import type { ToolExecutionApi } from "@earendil-works/pi-durable";
import type { ExecutionEnv, FileError, Result } from "@earendil-works/pi-durable/env";

/** Throws in a call that has nothing to work on. */
export function envOf(api: ToolExecutionApi<any>): ExecutionEnv {
  if (api.env) return api.env;
  throw new Error("this call has no files and no commands: the harness was opened without an environment");
}

const reasons: Partial<Record<string, string>> = {
  not_found: "it does not exist",
  is_directory: "it is a directory",
  not_directory: "a part of the path is not a directory",
  permission_denied: "permission denied",
};

/** The error of a tool that cannot work on a file. */
export function refusal(verb: string, path: string, why: string): Error {
  return new Error(`cannot ${verb} ${path}: ${why}`);
}

/** The value of a file operation; throws a refusal of the tool for one that failed. */
export function orRefuse<T>(verb: string, path: string, result: Result<T, FileError>): T {
  if (result.ok) return result.value;
  throw refusal(verb, path, reasons[result.error.code] ?? result.error.message);
}

/** A number with commas between thousands. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number with what it counts. */
export function counted(n: number, one: string): string {
  return n === 1 ? `1 ${one}` : `${grouped(n)} ${one}s`;
}

const writers = new Map<string, Promise<unknown>>();

/** Runs work once nobody else of this extension writes the file that a path leads to. */
export async function alone<T>(env: ExecutionEnv, path: string, context: Context, work: () => Promise<T>): Promise<T> {
  const canonical = await env.canonicalPath(path, context);
  const absolute = canonical.ok ? canonical : await env.absolutePath(path, context);
  const file = `${env.id}\n${absolute.ok ? absolute.value : path}`;
  const before = writers.get(file);
  const turn = (async () => {
    await before;
    context.abortSignal?.throwIfAborted();
    return work();
  })();
  const settled = turn.catch(() => {});
  writers.set(file, settled);
  try {
    return await turn;
  } finally {
    if (writers.get(file) === settled) writers.delete(file);
  }
}

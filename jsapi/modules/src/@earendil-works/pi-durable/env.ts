/** Results and errors of the execution environment that tools work in. */

/**
 * The environment of a conversation. Not yet: its members come with the durable
 * engine, and host.fs and host.exec do what it is for.
 */
export interface ExecutionEnv {
  readonly id: string;
  readonly cwd: string;
  readonly [member: string]: any;
}

/** A value, or the error that stands in its place. */
export type Result<T, E extends Error = Error> = { ok: true; value: T } | { ok: false; error: E };

export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

export function err<E extends Error>(error: E): { ok: false; error: E } {
  return { ok: false, error };
}

/** The value; throws the error of a failed result. */
export function getOrThrow<T, E extends Error>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw result.error;
}

/** The value, or undefined for a failed result. */
export function getOrUndefined<T, E extends Error>(result: Result<T, E>): T | undefined {
  return result.ok ? result.value : undefined;
}

/** An Error for anything that was thrown. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

export type EnvironmentErrorCode =
  | "aborted"
  | "not_found"
  | "permission_denied"
  | "not_directory"
  | "is_directory"
  | "invalid"
  | "not_supported"
  | "unknown";

/** A file operation that failed. */
export class FileError extends Error {
  readonly code: EnvironmentErrorCode;
  readonly path: string | undefined;

  constructor(code: EnvironmentErrorCode, message: string, path?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FileError";
    this.code = code;
    this.path = path;
  }
}

/** A command that could not be run. */
export class ExecutionError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ExecutionError";
    this.code = code;
  }
}

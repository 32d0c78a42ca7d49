/** The environment of a call, a section or a phase: files and commands as results. */

import { BACKGROUND_CONTEXT, type Context } from "@earendil-works/chord/context";
import {
  type BinaryReader,
  type DirReader,
  err,
  type ExecutionEnv,
  ExecutionError,
  type ExecutionErrorCode,
  FileError,
  type FileErrorCode,
  type FileInfo,
  LineScanner,
  ok,
  type Result,
  type ShellExecOptions,
  type ShellExecResult,
  StreamDecoder,
  type TextLineReader,
  toError,
} from "@earendil-works/pi-durable/env";
import { watchTargets } from "harness:bind/envwatch";
import { basename, dirname, join, resolve } from "node:path";

/** Operations of Go by name; the signal ends the wait. */
export interface NativeFiles {
  (operation: string, signal: AbortSignal | undefined, ...args: unknown[]): Promise<any>;
}

/** What Go gives of an environment. */
export interface NativeEnv {
  id: string;
  cwd: string;
  native: NativeFiles;
}

/** How much is read at a time. */
const pieceBytes = 256 << 10;

/** A plain object, so that a wrap may spread it. */
export function createEnv({ id, cwd, native }: NativeEnv): ExecutionEnv {
  const at = (path: string) => resolve(cwd, path);

  // Runs an operation on a path, and makes what it throws a FileError.
  async function attempt<T>(path: string, context: Context | undefined, run: (at: string, ask: Ask) => T | Promise<T>): Promise<Result<T, FileError>> {
    const signal = context?.abortSignal;
    const absolute = typeof path === "string" ? at(path) : String(path);
    if (signal?.aborted) return err(new FileError("aborted", "the operation was aborted", absolute));
    try {
      if (typeof path !== "string") throw new FileError("invalid", "the path is not a string", absolute);
      return ok(await run(absolute, (operation, ...args) => native(operation, signal, ...args)));
    } catch (error) {
      checkLive(error);
      return err(fileError(error, absolute, signal));
    }
  }

  // What is written goes into folders that are made when they are missing.
  const put = (operation: "write" | "append") => (path: string, content: string | Uint8Array, context?: Context) =>
    attempt(path, context, async (at, ask) => {
      try {
        await ask(operation, at, content);
      } catch (error) {
        if (codeOf(error) !== "not_found") throw error;
        await ask("mkdir", dirname(at), true);
        await ask(operation, at, content);
      }
    });

  async function openBinaryReader(path: string, options?: { noFollow?: boolean } | Context, context?: Context) {
    const given = context ?? (isContext(options) ? options : undefined);
    const noFollow = !isContext(options) && options?.noFollow === true;
    return attempt(path, given, async (at, ask) => binaryReader(at, await ask("open", at, noFollow)));
  }

  async function openTextLineReader(path: string, context?: Context): Promise<Result<TextLineReader, FileError>> {
    const opened = await openBinaryReader(path, context);
    return opened.ok ? ok(lineReader(opened.value)) : opened;
  }

  return {
    id,
    cwd,
    absolutePath: (path, context) => attempt(path, context, (at) => at),
    joinPath: async (parts) => ok(join(...parts)),
    readTextFile: (path, context) => attempt(path, context, async (at, ask) => new TextDecoder().decode(await ask("read", at))),
    openTextLineReader,
    async readTextLines(path, options, context) {
      const opened = await openTextLineReader(path, context);
      if (!opened.ok) return opened;
      const lines: string[] = [];
      try {
        while (lines.length < (options?.maxLines ?? Infinity)) {
          const line = await opened.value.readLine(context);
          if (!line.ok) return line;
          if (line.value === undefined) break;
          lines.push(line.value.text);
        }
      } finally {
        await opened.value.close(context);
      }
      return ok(lines);
    },
    readBinaryFile: (path, context) => attempt(path, context, (at, ask) => ask("read", at)),
    openBinaryReader,
    writeFile: put("write"),
    appendFile: put("append"),
    truncateFile: (path, size, context) =>
      attempt(path, context, (at, ask) => {
        if (!Number.isSafeInteger(size) || size < 0) throw new FileError("invalid", `a file cannot have ${size} bytes`, at);
        return ask("truncate", at, size);
      }),
    flushFile: (path, context) => attempt(path, context, (at, ask) => ask("flush", at)),
    renameFile: (from, to, context) => attempt(from, context, (at, ask) => ask("rename", at, resolve(cwd, to))),
    fileInfo: (path, context) => attempt(path, context, fileInfo),
    async listDir(path, context) {
      const reader = await openDirReader(path, context);
      if (!reader.ok) return reader;
      const all = await reader.value.next(Infinity, context);
      return all.ok ? ok(all.value.entries) : all;
    },
    openDirReader,
    canonicalPath: (path, context) => attempt(path, context, (at, ask) => ask("canonical", at)),
    async exists(path, context) {
      const there = await attempt(path, context, (at, ask) => ask("lstat", at));
      if (there.ok) return ok(true);
      return there.error.code === "not_found" || there.error.code === "not_directory" ? ok(false) : there;
    },
    createDir: (path, options, context) => attempt(path, context, (at, ask) => ask("mkdir", at, options?.recursive ?? true)),
    async remove(path, options, context) {
      const removed = await attempt(path, context, (at, ask) => ask("remove", at, options?.recursive === true));
      return !removed.ok && removed.error.code === "not_found" && options?.force ? ok(undefined) : removed;
    },
    createTempDir: (prefix, context) => attempt("/", context, (_, ask) => ask("tempDir", prefix ?? "tmp-")),
    createTempFile: (options, context) =>
      attempt("/", context, (_, ask) => ask("tempFile", options?.prefix ?? "tmp-", options?.suffix ?? "")),
    watch: (targets, onChange, context = BACKGROUND_CONTEXT) =>
      attempt("/", context, () => watchTargets(native, at, targets, onChange, context)),
    exec: (command, options, context) => exec(native, at, command, options ?? {}, context ?? BACKGROUND_CONTEXT),
    cleanup: async () => {
      await native("cleanup", undefined, "/");
    },
  };

  async function openDirReader(path: string, context?: Context): Promise<Result<DirReader, FileError>> {
    const listed = await attempt(path, context, (at, ask): Promise<string[]> => ask("list", at));
    return listed.ok ? ok(dirReader(at(path), listed.value)) : listed;
  }

  function dirReader(folder: string, names: string[]): DirReader {
    let at = 0;
    return {
      next: (most, context) =>
        attempt(folder, context, async (folder, ask) => {
          const entries: FileInfo[] = [];
          while (at < names.length && entries.length < most) {
            try {
              entries.push(await fileInfo(join(folder, names[at++]!), ask));
            } catch (error) {
              // One that is gone by now, or of another kind, is left out.
              const code = codeOf(error);
              if (code !== "not_found" && code !== "not_supported") throw error;
            }
          }
          return { entries, done: at === names.length };
        }),
      close: async () => {},
    };
  }
}

type Ask = (operation: string, ...args: unknown[]) => Promise<any>;

async function fileInfo(path: string, ask: Ask): Promise<FileInfo> {
  return described(path, await ask("lstat", path));
}

function described(path: string, { kind, size, mtimeMs }: { kind: string; size: number; mtimeMs: number }): FileInfo {
  if (kind === "file" || kind === "directory" || kind === "symlink") return { name: basename(path), path, kind, size, mtimeMs };
  throw new FileError("not_supported", "it is neither a file, nor a directory, nor a link", path);
}

function binaryReader(path: string, file: NativeFiles): BinaryReader {
  async function attempt<T>(context: Context | undefined, run: (ask: Ask) => Promise<T>): Promise<Result<T, FileError>> {
    const signal = context?.abortSignal;
    if (signal?.aborted) return err(new FileError("aborted", "the operation was aborted", path));
    try {
      return ok(await run((operation, ...args) => file(operation, signal, ...args)));
    } catch (error) {
      checkLive(error);
      return err(fileError(error, path, signal));
    }
  }
  return {
    info: (context) => attempt(context, async (ask) => described(path, await ask("info"))),
    read: (offset, length, context) =>
      attempt(context, async (ask) => {
        if (!(Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length) && length >= 0)) {
          throw new FileError("invalid", `${length} bytes from ${offset} on cannot be read`, path);
        }
        return ask("read", offset, length);
      }),
    scanLines: ({ startLine, endLine }, context) =>
      attempt(context, async (ask) => {
        let scanner: LineScanner;
        try {
          scanner = new LineScanner(startLine, endLine);
        } catch (error) {
          throw new FileError("invalid", toError(error).message, path, error);
        }
        for (let offset = 0; ; offset += pieceBytes) {
          const piece: Uint8Array = await ask("read", offset, pieceBytes);
          scanner.push(piece);
          if (piece.length < pieceBytes) return scanner.finish();
        }
      }),
    close: async () => {
      await file("close", undefined);
    },
  };
}

function lineReader(file: BinaryReader): TextLineReader {
  const decoder = new StreamDecoder();
  let offset = 0;
  let text = "";
  let ended = false;
  return {
    async readLine(context) {
      for (;;) {
        const end = text.indexOf("\n");
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return ok({ text: line, terminated: true });
        }
        if (ended) {
          const line = text;
          text = "";
          return ok(line === "" ? undefined : { text: line, terminated: false });
        }
        const piece = await file.read(offset, pieceBytes, context);
        if (!piece.ok) return piece;
        offset += piece.value.length;
        ended = piece.value.length < pieceBytes;
        text += decoder.decode(piece.value) + (ended ? decoder.decode() : "");
      }
    },
    close: (context) => file.close(context),
  };
}

async function exec(
  native: NativeFiles,
  at: (path: string) => string,
  command: string | readonly string[],
  options: ShellExecOptions,
  context: Context,
): Promise<Result<ShellExecResult, ExecutionError>> {
  const { onOutput, timeout } = options;
  if (context.abortSignal?.aborted) return err(new ExecutionError("aborted", "the command was aborted"));
  if (timeout !== undefined && !(timeout > 0)) return err(new ExecutionError("unknown", `a time limit of ${timeout} s: it must be above 0`));
  const asked = {
    command,
    cwd: at(options.cwd ?? "."),
    env: Object.entries(options.env ?? {}),
    onlyEnv: options.inheritEnv === false,
    timeout,
    spill: options.spill,
  };
  const told = onOutput && ((text: string, stream: "stdout" | "stderr") => onOutput(text, context, { stream }));
  try {
    const ended = await native("exec", context.abortSignal, JSON.stringify(asked), told);
    const { exitCode, timedOut, spillPath, failed, message } = ended;
    if (failed !== undefined) return err(new ExecutionError(failed, message, { spillPath }));
    if (timedOut) return err(new ExecutionError("timeout", `the command was ended after ${timeout} s`, { spillPath }));
    return ok({ exitCode, ...(spillPath !== undefined && { spillPath }) });
  } catch (error) {
    checkLive(error);
    const { name, message } = toError(error);
    let code: ExecutionErrorCode = name === "StartError" ? "spawn_error" : "unknown";
    if (context.abortSignal?.aborted) code = "aborted";
    return err(new ExecutionError(code, message, { cause: error }));
  }
}

// What is of no use any more throws, whatever it was to do.
function checkLive(error: unknown): void {
  if (error instanceof Error && error.name === "Settled") throw error;
}

function isContext(value: unknown): value is Context {
  return typeof value === "object" && value !== null && "abortSignal" in value;
}

const codes: Record<string, FileErrorCode> = {
  ENOENT: "not_found",
  EACCES: "permission_denied",
  EPERM: "permission_denied",
  EROFS: "permission_denied",
  ENOTDIR: "not_directory",
  EISDIR: "is_directory",
  EEXIST: "invalid",
  EINVAL: "invalid",
  ELOOP: "invalid",
  ENAMETOOLONG: "invalid",
  ENOTEMPTY: "invalid",
  ENOSYS: "not_supported",
  ENOTSUP: "not_supported",
  EOPNOTSUPP: "not_supported",
};

function codeOf(error: unknown): FileErrorCode {
  if (error instanceof FileError) return error.code;
  return codes[String((error as { code?: unknown } | null)?.code)] ?? "unknown";
}

function fileError(error: unknown, path: string, signal: AbortSignal | undefined): FileError {
  if (error instanceof FileError) return error;
  if (signal?.aborted) return new FileError("aborted", "the operation was aborted", path, error);
  return new FileError(codeOf(error), toError(error).message, path, error);
}

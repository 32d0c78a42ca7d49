/** The files and commands that tools work with, and what environments are made of. */
import type { Context } from "@earendil-works/chord";
/** A value, or the error that stands in its place. */
export type Result<T, E extends Error = Error> = {
    ok: true;
    value: T;
} | {
    ok: false;
    error: E;
};
export declare function ok<T>(value: T): {
    ok: true;
    value: T;
};
export declare function err<E extends Error>(error: E): {
    ok: false;
    error: E;
};
/** The value; throws the error of a failed result. */
export declare function getOrThrow<T, E extends Error>(result: Result<T, E>): T;
/** The value, or undefined for a failed result. */
export declare function getOrUndefined<T, E extends Error>(result: Result<T, E>): T | undefined;
/** An Error for anything that was thrown. */
export declare function toError(thrown: unknown): Error;
export type FileErrorCode = "aborted" | "not_found" | "permission_denied" | "not_directory" | "is_directory" | "invalid" | "not_supported" | "unknown";
/** A file operation that failed. */
export declare class FileError extends Error {
    readonly code: FileErrorCode;
    readonly path: string | undefined;
    constructor(code: FileErrorCode, message: string, path?: string, cause?: unknown);
    static [Symbol.hasInstance](value: unknown): boolean;
}
export type ExecutionErrorCode = "aborted" | "timeout" | "shell_unavailable" | "spawn_error" | "callback_error" | "unknown";
/** A command that could not be run, or not to its end. */
export declare class ExecutionError extends Error {
    readonly code: ExecutionErrorCode;
    /** The file with all of the output, when there was more than the thresholds of spill. */
    readonly spillPath?: string;
    constructor(code: ExecutionErrorCode, message: string, options?: {
        cause?: unknown;
        spillPath?: string | undefined;
    });
    static [Symbol.hasInstance](value: unknown): boolean;
}
export interface FileInfo {
    /** The last part of the path. */
    name: string;
    /** Absolute. */
    path: string;
    kind: "file" | "directory" | "symlink";
    /** Bytes. */
    size: number;
    /** Milliseconds since the Unix epoch. */
    mtimeMs: number;
}
/** A line of a text. The last one may not be terminated. */
export interface TextLine {
    text: string;
    terminated: boolean;
}
/** Lines of a file, one after another; undefined at the end. Lines end with a line feed. */
export interface TextLineReader {
    readLine(context?: Context): Promise<Result<TextLine | undefined, FileError>>;
    close(context?: Context): Promise<void>;
}
/** An open file: the one that was opened, also when its path means another by now. */
export interface BinaryReader {
    info(context?: Context): Promise<Result<FileInfo, FileError>>;
    /** Fewer bytes at the end of the file. */
    read(offset: number, length: number, context?: Context): Promise<Result<Uint8Array, FileError>>;
    /** Finds lines in one pass. Lines count from 0; the one at endLine is not included. */
    scanLines(range: {
        startLine: number;
        endLine?: number | undefined;
    }, context?: Context): Promise<Result<LineScan, FileError>>;
    close(context?: Context): Promise<void>;
}
/** Members of a directory, some at a time. */
export interface DirReader {
    next(maxEntries: number, context?: Context): Promise<Result<{
        entries: FileInfo[];
        done: boolean;
    }, FileError>>;
    close(context?: Context): Promise<void>;
}
export interface WatchTarget {
    path: string;
    /** Also what is in folders below, but for what exclude names. */
    recursive?: boolean;
    exclude?: {
        hidden?: boolean;
        names?: readonly string[];
    };
}
/** Paths that may have changed, that everything may have, or why no more is told. */
export type WatchChange = {
    paths: string[];
} | {
    overflow: true;
} | {
    error: FileError;
};
export interface FileWatcher {
    readonly mode: "native" | "polling";
    close(context?: Context): Promise<void>;
}
export interface ShellOutputInfo {
    stream: "stdout" | "stderr";
    /** What was left out in front of the text: bytes and line feeds of it, and whether it ends with one. */
    skipped?: {
        bytes: number;
        newlines: number;
        endsWithNewline: boolean;
    };
}
export interface ShellExecOptions {
    cwd?: string | undefined;
    env?: Record<string, string> | undefined;
    /** False gives the command env alone, and PATH. */
    inheritEnv?: boolean | undefined;
    /** Seconds. */
    timeout?: number | undefined;
    /** Whole characters, in order. A throw ends the command. */
    onOutput?: ((text: string, context: Context, info: ShellOutputInfo) => void | Promise<void>) | undefined;
    /** Keeps all of the output in a file, once there is more than this. */
    spill?: {
        afterBytes: number;
        afterLines: number;
    } | undefined;
    /** The end of the output that the caller keeps, and its pace: what cannot be part of it may be left out. */
    window?: {
        maxBytes: number;
        maxLines: number;
        minIntervalMs: number;
        bytesPerSecond: number;
    } | undefined;
}
export interface ShellExecResult {
    exitCode: number;
    spillPath?: string;
}
/** Files. Paths are absolute, or begin at cwd. */
export interface FileSystem {
    /** Environments of one id have the same files at the same paths. */
    readonly id: string;
    readonly cwd: string;
    absolutePath(path: string, context?: Context): Promise<Result<string, FileError>>;
    joinPath(parts: readonly string[], context?: Context): Promise<Result<string, FileError>>;
    readTextFile(path: string, context?: Context): Promise<Result<string, FileError>>;
    openTextLineReader(path: string, context?: Context): Promise<Result<TextLineReader, FileError>>;
    readTextLines(path: string, options?: {
        maxLines?: number;
    }, context?: Context): Promise<Result<string[], FileError>>;
    readBinaryFile(path: string, context?: Context): Promise<Result<Uint8Array, FileError>>;
    openBinaryReader(path: string, context?: Context): Promise<Result<BinaryReader, FileError>>;
    openBinaryReader(path: string, options?: {
        noFollow?: boolean;
    }, context?: Context): Promise<Result<BinaryReader, FileError>>;
    /** Makes or replaces a file, with the folders that it needs. */
    writeFile(path: string, content: string | Uint8Array, context?: Context): Promise<Result<void, FileError>>;
    appendFile(path: string, content: string | Uint8Array, context?: Context): Promise<Result<void, FileError>>;
    truncateFile(path: string, size: number, context?: Context): Promise<Result<void, FileError>>;
    /** Resolves once the file is on the disk. */
    flushFile(path: string, context?: Context): Promise<Result<void, FileError>>;
    renameFile(from: string, to: string, context?: Context): Promise<Result<void, FileError>>;
    /** Does not follow a symbolic link. */
    fileInfo(path: string, context?: Context): Promise<Result<FileInfo, FileError>>;
    listDir(path: string, context?: Context): Promise<Result<FileInfo[], FileError>>;
    openDirReader(path: string, context?: Context): Promise<Result<DirReader, FileError>>;
    /** All links followed. What does not exist has none. */
    canonicalPath(path: string, context?: Context): Promise<Result<string, FileError>>;
    exists(path: string, context?: Context): Promise<Result<boolean, FileError>>;
    /** Recursive, the default, makes folders above it too, and takes an existing one. */
    createDir(path: string, options?: {
        recursive?: boolean;
    }, context?: Context): Promise<Result<void, FileError>>;
    /** With force, nothing there is no error. */
    remove(path: string, options?: {
        recursive?: boolean;
        force?: boolean;
    }, context?: Context): Promise<Result<void, FileError>>;
    createTempDir(prefix?: string, context?: Context): Promise<Result<string, FileError>>;
    createTempFile(options?: {
        prefix?: string;
        suffix?: string;
    }, context?: Context): Promise<Result<string, FileError>>;
    /** Tells of changes until the watcher is closed, or the call or phase ends that the environment belongs to. */
    watch(targets: readonly WatchTarget[], onChange: (change: WatchChange, context: Context) => void, context?: Context): Promise<Result<FileWatcher, FileError>>;
    cleanup(context?: Context): Promise<void>;
}
export interface Shell {
    /** A string runs under the shell, an array without one. An exit code other than 0 is no error. */
    exec(command: string | readonly string[], options?: ShellExecOptions, context?: Context): Promise<Result<ShellExecResult, ExecutionError>>;
    /** Ends the commands that run. */
    cleanup(context?: Context): Promise<void>;
}
export interface ExecutionEnv extends FileSystem, Shell {
    cleanup(context?: Context): Promise<void>;
}
/** Whether bytes begin with the byte order mark of UTF-8. */
export declare function startsWithBom(bytes: Uint8Array): boolean;
/** A decoder for the bytes of a file from an offset on: only at 0 there can be a byte order mark to leave out. */
export declare function rangeDecoder(offset: number): StreamDecoder;
/** Decodes UTF-8 that comes in pieces; without bytes it gives what is left at the end. */
export declare class StreamDecoder {
    #private;
    /** A byte order mark at the beginning is left out, unless keepBom is true. */
    constructor(keepBom?: boolean);
    decode(bytes?: Uint8Array): string;
}
/** Where lines of a file are, in bytes, and how large their text is, in bytes of UTF-8. */
export interface LineScan {
    /** Line feeds of the whole file. */
    newlines: number;
    /** The range of the lines, without the line feed at their end. */
    start: number;
    end: number;
    firstLineEnd: number;
    lastLineStart: number;
    selectedBytes: number;
    firstLineBytes: number;
}
/** Finds lines in bytes that come in pieces. Lines count from 0; the one at endLine is not included. */
export declare class LineScanner {
    #private;
    constructor(startLine: number, endLine?: number);
    push(bytes: Uint8Array): void;
    finish(): LineScan;
}

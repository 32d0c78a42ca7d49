/** What node:fs and node:fs/promises share. */
import type { FileStat } from "harness";
import { Buffer, type BufferEncoding } from "node:buffer";
export type PathLike = string | URL | Uint8Array;
export type Encoding = BufferEncoding | null | undefined | {
    encoding?: BufferEncoding | null;
    flag?: string;
};
export type Data = string | ArrayBufferView;
/** What a path is. */
export declare class Stats {
    #private;
    readonly size: number;
    readonly mode: number;
    readonly mtimeMs: number;
    get mtime(): Date;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
}
/** A member of a directory. */
export declare class Dirent {
    #private;
    readonly name: string;
    readonly parentPath: string;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
}
/** The world path of what Node takes for a path. Relative paths start at `/`. */
export declare function worldPath(path: PathLike): string;
/** Bytes as what a reader asked for: text with an encoding, else a Buffer. */
export declare function decoded(bytes: Uint8Array<ArrayBuffer>, options: Encoding): string | Buffer;
/** Data as the host's file system takes it. */
export declare function encoded(data: Data, options: Encoding): string | Uint8Array;
/** Whether a writer asked for its data to go behind what is there. */
export declare function appends(options: Encoding): boolean;
/** Throws when the operation syscall is not for what is at path: unlink and rm take no directory, rmdir nothing else. */
export declare function checkRemovable(syscall: "unlink" | "rm" | "rmdir", path: string, stat: FileStat): void;
export declare function isNotFound(error: unknown): boolean;

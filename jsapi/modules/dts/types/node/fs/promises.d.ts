/** Files of the world. Errors have `code`, `path` and `syscall`. */
import { type Data, Dirent, type Encoding, type PathLike, Stats } from "harness:internal/files";
import type { Buffer, BufferEncoding } from "node:buffer";
export declare function readFile(path: PathLike, options: BufferEncoding | {
    encoding: BufferEncoding;
}): Promise<string>;
export declare function readFile(path: PathLike, options?: null | {
    encoding?: null;
}): Promise<Buffer>;
/** Replaces the file in one step; with flag "a" adds to it. */
export declare function writeFile(path: PathLike, data: Data, options?: Encoding): Promise<void>;
export declare function appendFile(path: PathLike, data: Data, options?: Encoding): Promise<void>;
export declare function copyFile(from: PathLike, to: PathLike): Promise<void>;
export declare function readdir(path: PathLike, options?: {
    withFileTypes?: false;
}): Promise<string[]>;
export declare function readdir(path: PathLike, options: {
    withFileTypes: true;
}): Promise<Dirent[]>;
export declare function stat(path: PathLike): Promise<Stats>;
export declare function lstat(path: PathLike): Promise<Stats>;
/** Rejects when there is nothing at path. */
export declare function access(path: PathLike): Promise<void>;
export declare function mkdir(path: PathLike, options?: {
    recursive?: boolean;
}): Promise<void>;
export declare function rename(from: PathLike, to: PathLike): Promise<void>;
/** Removes a file or a symbolic link. */
export declare function unlink(path: PathLike): Promise<void>;
/** Removes an empty directory. */
export declare function rmdir(path: PathLike): Promise<void>;
/** Removes what is at path. With force, nothing there is no error. */
export declare function rm(path: PathLike, options?: {
    recursive?: boolean;
    force?: boolean;
}): Promise<void>;
declare const _default: {
    access: typeof access;
    appendFile: typeof appendFile;
    copyFile: typeof copyFile;
    lstat: typeof lstat;
    mkdir: typeof mkdir;
    readFile: typeof readFile;
    readdir: typeof readdir;
    rename: typeof rename;
    rm: typeof rm;
    rmdir: typeof rmdir;
    stat: typeof stat;
    unlink: typeof unlink;
    writeFile: typeof writeFile;
};
export default _default;

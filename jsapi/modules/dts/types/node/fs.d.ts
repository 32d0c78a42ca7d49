/** Files of the world, read and written before a call returns; `promises` has the others. */
import { type Data, Dirent, type Encoding, type PathLike, Stats } from "harness:internal/files";
import type { Buffer, BufferEncoding } from "node:buffer";
import promises from "node:fs/promises";
export { Dirent, promises, Stats };
export declare function readFileSync(path: PathLike, options: BufferEncoding | {
    encoding: BufferEncoding;
}): string;
export declare function readFileSync(path: PathLike, options?: null | {
    encoding?: null;
}): Buffer;
/** Replaces the file in one step; with flag "a" adds to it. */
export declare function writeFileSync(path: PathLike, data: Data, options?: Encoding): void;
export declare function appendFileSync(path: PathLike, data: Data, options?: Encoding): void;
export declare function copyFileSync(from: PathLike, to: PathLike): void;
export declare function readdirSync(path: PathLike, options?: {
    withFileTypes?: false;
}): string[];
export declare function readdirSync(path: PathLike, options: {
    withFileTypes: true;
}): Dirent[];
export declare function statSync(path: PathLike): Stats;
export declare function statSync(path: PathLike, options: {
    throwIfNoEntry: false;
}): Stats | undefined;
export declare function lstatSync(path: PathLike): Stats;
export declare function existsSync(path: PathLike): boolean;
/** Throws when there is nothing at path. */
export declare function accessSync(path: PathLike): void;
export declare function mkdirSync(path: PathLike, options?: {
    recursive?: boolean;
}): void;
export declare function renameSync(from: PathLike, to: PathLike): void;
/** Removes a file or a symbolic link. */
export declare function unlinkSync(path: PathLike): void;
/** Removes an empty directory. */
export declare function rmdirSync(path: PathLike): void;
/** Removes what is at path. With force, nothing there is no error. */
export declare function rmSync(path: PathLike, options?: {
    recursive?: boolean;
    force?: boolean;
}): void;
declare const _default: {
    Dirent: typeof Dirent;
    Stats: typeof Stats;
    accessSync: typeof accessSync;
    appendFileSync: typeof appendFileSync;
    copyFileSync: typeof copyFileSync;
    existsSync: typeof existsSync;
    lstatSync: typeof lstatSync;
    mkdirSync: typeof mkdirSync;
    promises: {
        access: typeof import("node:fs/promises").access;
        appendFile: typeof import("node:fs/promises").appendFile;
        copyFile: typeof import("node:fs/promises").copyFile;
        lstat: typeof import("node:fs/promises").lstat;
        mkdir: typeof import("node:fs/promises").mkdir;
        readFile: typeof import("node:fs/promises").readFile;
        readdir: typeof import("node:fs/promises").readdir;
        rename: typeof import("node:fs/promises").rename;
        rm: typeof import("node:fs/promises").rm;
        rmdir: typeof import("node:fs/promises").rmdir;
        stat: typeof import("node:fs/promises").stat;
        unlink: typeof import("node:fs/promises").unlink;
        writeFile: typeof import("node:fs/promises").writeFile;
    };
    readFileSync: typeof readFileSync;
    readdirSync: typeof readdirSync;
    renameSync: typeof renameSync;
    rmSync: typeof rmSync;
    rmdirSync: typeof rmdirSync;
    statSync: typeof statSync;
    unlinkSync: typeof unlinkSync;
    writeFileSync: typeof writeFileSync;
};
export default _default;

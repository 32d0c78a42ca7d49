/** Paths of the world, which are POSIX paths. */
export declare const sep = "/";
export declare const delimiter = ":";
/** The parts of a path. */
export interface ParsedPath {
    root: string;
    dir: string;
    base: string;
    ext: string;
    name: string;
}
/** Joins the parts and cleans the result; `.` when nothing is left. */
export declare function join(...parts: string[]): string;
/** Cleans a path: no empty and no `.` segment, `..` taken as far as possible. */
export declare function normalize(path: string): string;
/** An absolute path: the parts from the last absolute one on, below `/`. */
export declare function resolve(...parts: string[]): string;
export declare function isAbsolute(path: string): boolean;
/** How to get from one path to another. */
export declare function relative(from: string, to: string): string;
export declare function dirname(path: string): string;
/** The last segment, without suffix when it ends with it and is longer. */
export declare function basename(path: string, suffix?: string): string;
/** The extension with its dot; names that start with their only dot have none. */
export declare function extname(path: string): string;
export declare function parse(path: string): ParsedPath;
export declare function format(parts: Partial<ParsedPath>): string;
export declare function toNamespacedPath(path: string): string;
/** This module; the world has no other kind of path. */
export declare const posix: {
    sep: string;
    delimiter: string;
    join: typeof join;
    normalize: typeof normalize;
    resolve: typeof resolve;
    isAbsolute: typeof isAbsolute;
    relative: typeof relative;
    dirname: typeof dirname;
    basename: typeof basename;
    extname: typeof extname;
    parse: typeof parse;
    format: typeof format;
    toNamespacedPath: typeof toNamespacedPath;
};
declare const _default: {
    sep: string;
    delimiter: string;
    join: typeof join;
    normalize: typeof normalize;
    resolve: typeof resolve;
    isAbsolute: typeof isAbsolute;
    relative: typeof relative;
    dirname: typeof dirname;
    basename: typeof basename;
    extname: typeof extname;
    parse: typeof parse;
    format: typeof format;
    toNamespacedPath: typeof toNamespacedPath;
    posix: {
        sep: string;
        delimiter: string;
        join: typeof join;
        normalize: typeof normalize;
        resolve: typeof resolve;
        isAbsolute: typeof isAbsolute;
        relative: typeof relative;
        dirname: typeof dirname;
        basename: typeof basename;
        extname: typeof extname;
        parse: typeof parse;
        format: typeof format;
        toNamespacedPath: typeof toNamespacedPath;
    };
};
export default _default;

/** URLs, and their way to and from world paths. */
declare const URL: {
    new (url: string | URL, base?: string | URL): URL;
    prototype: URL;
    canParse(url: string | URL, base?: string | URL): boolean;
    parse(url: string | URL, base?: string | URL): URL | null;
}, URLSearchParams: {
    new (init?: string | Iterable<readonly [string, string]> | Record<string, string>): URLSearchParams;
    prototype: URLSearchParams;
};
export { URL, URLSearchParams };
/** The world path of a `file:` URL. Throws a TypeError for any other URL. */
export declare function fileURLToPath(url: string | URL): string;
/** The `file:` URL of a path. */
export declare function pathToFileURL(path: string): URL;
declare const _default: {
    URL: {
        new (url: string | URL, base?: string | URL): URL;
        prototype: URL;
        canParse(url: string | URL, base?: string | URL): boolean;
        parse(url: string | URL, base?: string | URL): URL | null;
    };
    URLSearchParams: {
        new (init?: string | Iterable<readonly [string, string]> | Record<string, string>): URLSearchParams;
        prototype: URLSearchParams;
    };
    fileURLToPath: typeof fileURLToPath;
    pathToFileURL: typeof pathToFileURL;
};
export default _default;

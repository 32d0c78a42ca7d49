/** Text for people, promises from callbacks, and comparison. */
import { format, type InspectOptions } from "harness:internal/inspect";
export type { InspectOptions };
export { format };
declare const TextDecoder: {
    new (encoding?: string, options?: {
        fatal?: boolean;
        ignoreBOM?: boolean;
    }): TextDecoder;
    prototype: TextDecoder;
}, TextEncoder: {
    new (): TextEncoder;
    prototype: TextEncoder;
};
export { TextDecoder, TextEncoder };
/** A value as text for people. */
export declare const inspect: ((value: unknown, options?: InspectOptions) => string) & {
    readonly custom: symbol;
};
type Callback<T> = (error: unknown, value: T) => void;
interface Promisify {
    <Args extends unknown[], T>(original: (...args: [...Args, Callback<T>]) => void): (...args: Args) => Promise<T>;
    readonly custom: symbol;
}
/** A function that returns a promise, from one that takes a callback last. */
export declare const promisify: Promisify;
/** A function that takes a callback last, from one that returns a promise. */
export declare function callbackify<Args extends unknown[], T>(original: (...args: Args) => Promise<T>): (...args: [...Args, Callback<T | undefined>]) => void;
export declare function isDeepStrictEqual(left: unknown, right: unknown): boolean;
/** Text without the escape sequences that colour a terminal. */
export declare function stripVTControlCharacters(text: string): string;
/** What a value is, whatever made it. */
export declare const types: Readonly<{
    isDate: (value: unknown) => value is Date;
    isRegExp: (value: unknown) => value is RegExp;
    isMap: (value: unknown) => value is Map<unknown, unknown>;
    isSet: (value: unknown) => value is Set<unknown>;
    isPromise: (value: unknown) => value is Promise<unknown>;
    isNativeError: (value: unknown) => value is Error;
    isTypedArray: (value: unknown) => boolean;
    isUint8Array: (value: unknown) => value is Uint8Array;
    isAnyArrayBuffer: (value: unknown) => value is ArrayBuffer;
}>;
declare const _default: {
    TextDecoder: {
        new (encoding?: string, options?: {
            fatal?: boolean;
            ignoreBOM?: boolean;
        }): TextDecoder;
        prototype: TextDecoder;
    };
    TextEncoder: {
        new (): TextEncoder;
        prototype: TextEncoder;
    };
    callbackify: typeof callbackify;
    format: typeof format;
    inspect: ((value: unknown, options?: InspectOptions) => string) & {
        readonly custom: symbol;
    };
    isDeepStrictEqual: typeof isDeepStrictEqual;
    promisify: Promisify;
    stripVTControlCharacters: typeof stripVTControlCharacters;
    types: Readonly<{
        isDate: (value: unknown) => value is Date;
        isRegExp: (value: unknown) => value is RegExp;
        isMap: (value: unknown) => value is Map<unknown, unknown>;
        isSet: (value: unknown) => value is Set<unknown>;
        isPromise: (value: unknown) => value is Promise<unknown>;
        isNativeError: (value: unknown) => value is Error;
        isTypedArray: (value: unknown) => boolean;
        isUint8Array: (value: unknown) => value is Uint8Array;
        isAnyArrayBuffer: (value: unknown) => value is ArrayBuffer;
    }>;
};
export default _default;

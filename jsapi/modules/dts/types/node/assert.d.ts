/** Assertions, which throw an AssertionError. */
type ErrorPattern = RegExp | (new (...args: any[]) => Error) | Error | Record<string, unknown> | ((error: any) => boolean);
/** An assertion that did not hold. */
export declare class AssertionError extends Error {
    readonly name = "AssertionError";
    readonly code = "ERR_ASSERTION";
    readonly actual: unknown;
    readonly expected: unknown;
    readonly operator: string;
    readonly generatedMessage: boolean;
    constructor(options: {
        message?: string | undefined;
        actual?: unknown;
        expected?: unknown;
        operator?: string;
    });
}
export declare function ok(value: unknown, message?: string | Error): asserts value;
export declare function fail(message?: string | Error): never;
export declare function equal(actual: unknown, expected: unknown, message?: string | Error): void;
export declare function notEqual(actual: unknown, expected: unknown, message?: string | Error): void;
export declare function strictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
export declare function notStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
export declare function deepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
export declare function notDeepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
export declare function deepStrictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
export declare function notDeepStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
export declare function match(text: string, pattern: RegExp, message?: string | Error): void;
export declare function doesNotMatch(text: string, pattern: RegExp, message?: string | Error): void;
/** Throws value unless it is null or undefined. */
export declare function ifError(value: unknown): void;
export declare function throws(run: () => unknown, expected?: ErrorPattern | string, message?: string | Error): void;
export declare function doesNotThrow(run: () => unknown, message?: string | Error): void;
export declare function rejects(work: Promise<unknown> | (() => Promise<unknown>), expected?: ErrorPattern | string, message?: string | Error): Promise<void>;
export declare function doesNotReject(work: Promise<unknown> | (() => Promise<unknown>), message?: string | Error): Promise<void>;
declare const assertions: {
    AssertionError: typeof AssertionError;
    ok: typeof ok;
    fail: typeof fail;
    equal: typeof equal;
    notEqual: typeof notEqual;
    strictEqual: typeof strictEqual;
    notStrictEqual: typeof notStrictEqual;
    deepEqual: typeof deepEqual;
    notDeepEqual: typeof notDeepEqual;
    deepStrictEqual: typeof deepStrictEqual;
    notDeepStrictEqual: typeof notDeepStrictEqual;
    match: typeof match;
    doesNotMatch: typeof doesNotMatch;
    ifError: typeof ifError;
    throws: typeof throws;
    doesNotThrow: typeof doesNotThrow;
    rejects: typeof rejects;
    doesNotReject: typeof doesNotReject;
};
/** Assertions with the strict forms under the short names. */
export declare const strict: typeof assertions;
declare const assert: ((value: unknown, message?: string | Error) => asserts value) & typeof assertions & {
    strict: typeof strict;
};
export default assert;

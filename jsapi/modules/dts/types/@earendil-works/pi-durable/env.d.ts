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
export type EnvironmentErrorCode = "aborted" | "not_found" | "permission_denied" | "not_directory" | "is_directory" | "invalid" | "not_supported" | "unknown";
/** A file operation that failed. */
export declare class FileError extends Error {
    readonly code: EnvironmentErrorCode;
    readonly path: string | undefined;
    constructor(code: EnvironmentErrorCode, message: string, path?: string, options?: ErrorOptions);
}
/** A command that could not be run. */
export declare class ExecutionError extends Error {
    readonly code: string;
    constructor(code: string, message: string, options?: ErrorOptions);
}

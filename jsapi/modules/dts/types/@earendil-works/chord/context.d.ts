/**
 * Immutable contexts: an abort signal and values that travel with a call.
 *
 * One instance of this module serves an isolate, because the key of the signal
 * is private to it.
 */
/** Names a value that contexts carry. T is the value's type. */
export interface ContextKey<T> {
    readonly token: symbol;
    /** For the type checker only. */
    readonly type?: T;
}
/** What a call carries. A context never changes; the functions below derive new ones. */
export interface Context {
    /** Aborted when the work of this context is to stop. */
    readonly abortSignal: AbortSignal | undefined;
    /** The value under key, or undefined. */
    value<T>(key: ContextKey<T>): T | undefined;
    toString(): string;
}
/** The context of work that nothing bounds. */
export declare const BACKGROUND_CONTEXT: Context;
/** The context of code that does not get one yet. */
export declare const TODO_CONTEXT: Context;
/** Makes a key. Two keys are never equal, also with the same description. */
export declare function createContextKey<T>(description: string): ContextKey<T>;
/** A context that carries value under key, and all that parent carries. */
export declare function withContextValue<T>(key: ContextKey<T>, value: T, parent: Context): Context;
/** A context that ends with signal or with context, whichever aborts first. */
export declare function withAbortSignal(signal: AbortSignal, context: Context): Context;
/** A context with the values of context that does not end with it. */
export declare function withoutAbortSignal(context: Context): Context;
/** A context that ends with context or when cancel is called. */
export declare function withCancel(context: Context): {
    context: Context;
    cancel: (reason?: unknown) => void;
};
/**
 * Waits for promise no longer than context lives. Only the wait ends: what the
 * promise stands for goes on. Rejects with the signal's reason when that is an
 * Error, else with an AbortError.
 */
export declare function awaitWithContext<T>(promise: Promise<T>, context: Context): Promise<T>;

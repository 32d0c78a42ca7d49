/** Timers as promises. */
interface TimerOptions {
    /** Ends the wait with an AbortError whose cause is the signal's reason. */
    signal?: AbortSignal | undefined;
}
/** Resolves to value after ms milliseconds. */
export declare function setTimeout<T = void>(ms?: number, value?: T, options?: TimerOptions): Promise<T>;
/** Resolves to value after what waits already has run. */
export declare function setImmediate<T = void>(value?: T, options?: TimerOptions): Promise<T>;
/** Yields value every ms milliseconds until the loop is left or the signal aborts. */
export declare function setInterval<T = void>(ms?: number, value?: T, options?: TimerOptions): AsyncGenerator<T, void>;
export declare const scheduler: {
    wait(ms: number, options?: TimerOptions): Promise<void>;
    yield(): Promise<void>;
};
declare const _default: {
    setTimeout: typeof setTimeout;
    setImmediate: typeof setImmediate;
    setInterval: typeof setInterval;
    scheduler: {
        wait(ms: number, options?: TimerOptions): Promise<void>;
        yield(): Promise<void>;
    };
};
export default _default;

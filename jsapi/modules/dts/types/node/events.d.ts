/** Emitters: objects that call listeners by the name of an event. */
type EventName = string | symbol;
type Listener = (...args: any[]) => void;
/** Calls listeners in the order in which they were added. */
export declare class EventEmitter {
    #private;
    static defaultMaxListeners: number;
    static once: typeof once;
    static EventEmitter: typeof EventEmitter;
    on(name: EventName, listener: Listener): this;
    addListener(name: EventName, listener: Listener): this;
    once(name: EventName, listener: Listener): this;
    prependListener(name: EventName, listener: Listener): this;
    prependOnceListener(name: EventName, listener: Listener): this;
    /** Takes away the newest registration of listener. */
    off(name: EventName, listener: Listener): this;
    removeListener(name: EventName, listener: Listener): this;
    removeAllListeners(name?: EventName): this;
    /**
     * Calls the listeners of name and reports whether there was one. An `error`
     * that nobody listens to is thrown.
     */
    emit(name: EventName, ...args: unknown[]): boolean;
    listeners(name: EventName): Listener[];
    listenerCount(name: EventName, listener?: Listener): number;
    eventNames(): EventName[];
    /** Kept for programs that set it; there is no limit. */
    setMaxListeners(count: number): this;
    getMaxListeners(): number;
}
/**
 * The arguments of the next event called name. Rejects when the emitter emits
 * `error` first, or when signal aborts.
 */
export declare function once(emitter: Pick<EventEmitter, "once" | "off">, name: EventName, options?: {
    signal?: AbortSignal | undefined;
}): Promise<any[]>;
export default EventEmitter;

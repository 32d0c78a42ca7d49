/** The error by which Node's interfaces tell that a signal aborted. */
export declare function abortError(signal: AbortSignal): Error;

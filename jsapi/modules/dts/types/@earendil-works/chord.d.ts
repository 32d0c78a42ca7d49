/** Services that extensions offer each other. */
export type { Context, ContextKey } from "@earendil-works/chord/context";
/** A value that JSON can express. */
export type JsonValue = null | boolean | number | string | JsonValue[] | {
    [key: string]: JsonValue;
};
export type JsonObject = {
    [key: string]: JsonValue;
};
declare const serviceType: unique symbol;
/** Names a service of type T. */
export interface ServiceToken<T> {
    readonly id: string;
    readonly local: boolean;
    /** For the type checker only. */
    readonly [serviceType]?: T;
}
/**
 * Makes the token of a service. Tokens of one id are interchangeable, so each
 * side of a call may make its own. Throws a TypeError when id is empty or starts
 * with `$chord.`.
 */
export declare function defineService<T extends object>(id: string, options?: {
    local?: boolean;
}): ServiceToken<T>;
/** Whether value can be written as JSON and read back equal. */
export declare function isJsonValue(value: unknown): value is JsonValue;

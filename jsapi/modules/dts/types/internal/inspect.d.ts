/** Values as text for people, in the manner of Node. */
export interface InspectOptions {
    /** How deep objects are shown; null for all. Default 2. */
    depth?: number | null;
    /** Line width from which an object takes several lines. Default 80. */
    breakLength?: number;
    /** Default 100. */
    maxArrayLength?: number | null;
    /** Sorts members by name. */
    sorted?: boolean;
}
/** An object with a method of this name writes its own text. */
export declare const custom: unique symbol;
export declare function inspect(value: unknown, options?: InspectOptions): string;
/** Puts values into the places of template (%s %d %i %f %j %o %O %c %%), and the others behind it. */
export declare function format(template?: unknown, ...values: unknown[]): string;

/** Values held against schemas. */
import type { Static, TSchema } from "typebox";
/** What is wrong with a value, and where: a JSON Pointer. */
export interface ValueError {
    path: string;
    message: string;
}
/** A value that does not fit its schema. */
export declare class ParseError extends Error {
    readonly name = "ParseError";
    readonly errors: readonly ValueError[];
    constructor(errors: readonly ValueError[]);
}
export declare const Value: Readonly<{
    /** Whether a value fits as it is. */
    Check<S extends TSchema>(schema: S, value: unknown): value is Static<S>;
    /** What is wrong with a value; nothing when it fits. */
    Errors(schema: TSchema, value: unknown): ValueError[];
    /** The value, converted where that makes it fit; throws a ParseError when nothing does. */
    Parse<S extends TSchema>(schema: S, value: unknown): Static<S>;
    /** The value, converted where that makes it fit, else as it is. */
    Convert(schema: TSchema, value: unknown): unknown;
}>;
export default Value;

/** Values held against JSON Schema, by the host. */
/** How a value fits a schema. */
export interface Validated {
    /** It fits as it is. */
    fits: boolean;
    /** The value, converted where that makes it fit. */
    converted: unknown;
    /** What is wrong, also after that. */
    flaws: {
        path: string;
        message: string;
    }[];
}
export declare function validated(schema: object, value: unknown): Validated;
/** Arguments of a call, converted and valid; throws what a model is told otherwise. */
export declare function validatedArguments(tool: string, parameters: object, args: unknown): any;

/**
 * Builders for JSON Schema whose types say what a valid value looks like.
 *
 * Every builder returns a plain JSON Schema object (draft 2020-12): it can be
 * printed, stored and sent as it is. That a property is optional is kept in a
 * symbol, which JSON leaves out.
 */
declare const typeOf: unique symbol;
declare const optionalMark: unique symbol;
/** Keywords that every builder accepts beside its own; unknown ones are kept. */
export interface SchemaOptions {
    $id?: string;
    title?: string;
    description?: string;
    /** Tells readers of the schema. Arguments of tools do not get it; world settings do. */
    default?: unknown;
    examples?: readonly unknown[];
    deprecated?: boolean;
    [keyword: string]: unknown;
}
/** A JSON Schema of values of type T. T exists for the type checker only. */
export interface TSchema<T = unknown> extends SchemaOptions {
    readonly [typeOf]: T;
}
/** The type of the values that a schema accepts. */
export type Static<S> = S extends {
    readonly [typeOf]: infer T;
} ? T : unknown;
/** A schema that an object may leave out. */
export type TOptional<S extends TSchema> = S & {
    readonly [optionalMark]: true;
};
export interface StringOptions extends SchemaOptions {
    minLength?: number;
    maxLength?: number;
    pattern?: string;
    format?: string;
}
export interface NumberOptions extends SchemaOptions {
    minimum?: number;
    maximum?: number;
    exclusiveMinimum?: number;
    exclusiveMaximum?: number;
    multipleOf?: number;
}
export interface ArrayOptions extends SchemaOptions {
    minItems?: number;
    maxItems?: number;
    uniqueItems?: boolean;
}
export interface ObjectOptions extends SchemaOptions {
    additionalProperties?: boolean | TSchema;
    minProperties?: number;
    maxProperties?: number;
}
export type TProperties = Readonly<Record<string, TSchema>>;
type Flatten<T> = {
    [K in keyof T]: T[K];
} & {};
type OptionalKeys<P> = {
    [K in keyof P]: P[K] extends {
        readonly [optionalMark]: true;
    } ? K : never;
}[keyof P];
type StaticProperties<P> = Flatten<{
    -readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]>;
} & {
    -readonly [K in OptionalKeys<P>]?: Static<P[K]>;
}>;
type StaticTuple<T extends readonly TSchema[]> = {
    -readonly [I in keyof T]: Static<T[I]>;
};
type StaticIntersection<T extends readonly TSchema[]> = T extends readonly [
    infer Head,
    ...infer Rest extends readonly TSchema[]
] ? Static<Head> & StaticIntersection<Rest> : unknown;
type MakeOptional<P extends TProperties> = {
    [K in keyof P]: TOptional<P[K]>;
};
type MakeRequired<P extends TProperties> = {
    [K in keyof P]: P[K] extends TOptional<infer S> ? S : P[K];
};
export type TAny = TSchema<any>;
export type TUnknown = TSchema<unknown>;
export type TNever = TSchema<never>;
export type TNull = TSchema<null>;
export interface TBoolean extends TSchema<boolean> {
    type: "boolean";
}
export interface TString extends TSchema<string> {
    type: "string";
}
export interface TNumber extends TSchema<number> {
    type: "number";
}
export interface TInteger extends TSchema<number> {
    type: "integer";
}
export interface TLiteral<V extends string | number | boolean> extends TSchema<V> {
    const: V;
}
export interface TEnum<V> extends TSchema<V> {
    enum: V[];
}
export interface TArray<S extends TSchema> extends TSchema<Static<S>[]> {
    type: "array";
    items: S;
}
export interface TTuple<T extends readonly TSchema[]> extends TSchema<StaticTuple<T>> {
    type: "array";
    prefixItems: T;
}
export interface TUnion<T extends readonly TSchema[]> extends TSchema<Static<T[number]>> {
    anyOf: T;
}
export interface TIntersect<T extends readonly TSchema[]> extends TSchema<StaticIntersection<T>> {
    allOf: T;
}
export interface TRecord<K extends PropertyKey, S extends TSchema> extends TSchema<Record<K, Static<S>>> {
    type: "object";
}
export interface TObject<P extends TProperties = TProperties> extends TSchema<StaticProperties<P>> {
    type: "object";
    properties: P;
    required?: string[];
}
declare function object<P extends TProperties>(properties: P, options?: ObjectOptions): TObject<P>;
/** The builders. */
export declare const Type: Readonly<{
    Any: (options?: SchemaOptions) => TAny;
    Unknown: (options?: SchemaOptions) => TUnknown;
    Never: (options?: SchemaOptions) => TNever;
    Null: (options?: SchemaOptions) => TNull;
    Boolean: (options?: SchemaOptions) => TBoolean;
    String: (options?: StringOptions) => TString;
    Number: (options?: NumberOptions) => TNumber;
    Integer: (options?: NumberOptions) => TInteger;
    Literal: <const V extends string | number | boolean>(value: V, options?: SchemaOptions) => TLiteral<V>;
    /** One of the given values, or of the values of a TypeScript enum. */
    Enum: <const V extends string | number>(values: readonly V[] | Readonly<Record<string, V>>, options?: SchemaOptions) => TEnum<V>;
    Array: <S extends TSchema>(items: S, options?: ArrayOptions) => TArray<S>;
    Tuple: <const T extends readonly TSchema[]>(items: T, options?: SchemaOptions) => TTuple<T>;
    Union: <const T extends readonly TSchema[]>(choices: T, options?: SchemaOptions) => TUnion<T>;
    Intersect: <const T extends readonly TSchema[]>(parts: T, options?: SchemaOptions) => TIntersect<T>;
    Object: typeof object;
    /** An object used as a table. The key schema may be a union of literals. */
    Record: <K extends string, S extends TSchema>(key: TSchema<K>, value: S, options?: ObjectOptions) => TRecord<K, S>;
    /** A property that may be left out. */
    Optional: <S extends TSchema>(source: S) => TOptional<S>;
    Partial: <P extends TProperties>(source: TObject<P>) => TObject<MakeOptional<P>>;
    Required: <P extends TProperties>(source: TObject<P>) => TObject<MakeRequired<P>>;
    Pick: <P extends TProperties, const K extends keyof P & string>(source: TObject<P>, keys: readonly K[]) => TObject<Pick<P, K>>;
    Omit: <P extends TProperties, const K extends keyof P & string>(source: TObject<P>, keys: readonly K[]) => TObject<Omit<P, K>>;
    /** Any JSON Schema, with the type that its author states. */
    Unsafe: <T>(keywords: object) => TSchema<T>;
}>;
export default Type;

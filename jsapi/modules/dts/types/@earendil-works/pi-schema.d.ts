/** Builders for JSON Schema (draft 2020-12), in the short form that tools are written with. */
import type { Static, TSchema } from "typebox";
export type { Static };
/** A JSON Schema of values of type T. T exists for the type checker only. */
export type Schema<T = any> = TSchema<T>;
/** What every builder accepts: it describes a schema and does not change what it accepts. */
export interface Annotations<T = unknown> {
    readonly title?: string;
    readonly description?: string;
    readonly examples?: readonly T[];
    readonly deprecated?: boolean;
    readonly default?: T;
}
export interface LengthBounds {
    readonly minLength?: number;
    readonly maxLength?: number;
}
export interface NumberBounds<N = number> {
    readonly minimum?: N;
    readonly maximum?: N;
    readonly exclusiveMinimum?: N;
    readonly exclusiveMaximum?: N;
    readonly multipleOf?: N;
}
export interface ItemBounds {
    readonly minItems?: number;
    readonly maxItems?: number;
    readonly uniqueItems?: boolean;
}
type Primitive = string | number | boolean | null;
/** A property that obj() may leave out. */
export declare class Optional<S extends Schema = Schema> {
    readonly schema: S;
    constructor(schema: S);
}
export type Properties = Readonly<Record<string, Schema | Optional>>;
type Flatten<T> = {
    [K in keyof T]: T[K];
} & {};
export type StaticObject<P extends Properties> = Flatten<{
    -readonly [K in keyof P as P[K] extends Optional ? never : K]: Static<P[K]>;
} & {
    -readonly [K in keyof P as P[K] extends Optional ? K : never]?: P[K] extends Optional<infer S> ? Static<S> : never;
}>;
type StaticTuple<S extends readonly Schema[]> = {
    -readonly [I in keyof S]: Static<S[I]>;
};
export declare function str(options?: Annotations<string> & LengthBounds & {
    readonly pattern?: string;
    readonly format?: string;
}): Schema<string>;
export declare function num(options?: Annotations<number> & NumberBounds): Schema<number>;
export declare function int(options?: Annotations<number> & NumberBounds): Schema<number>;
/** For values that never pass through JSON. */
export declare function bigint(options?: Annotations<bigint> & NumberBounds<bigint>): Schema<bigint>;
/** For values that never pass through JSON. */
export declare function bytes(options?: Annotations<Uint8Array> & LengthBounds): Schema<Uint8Array>;
export declare function bool(options?: Annotations<boolean>): Schema<boolean>;
export declare function nul(options?: Annotations<null>): Schema<null>;
export declare function unknown(options?: Annotations): Schema<unknown>;
/** Exactly this value. */
export declare function lit<const V extends Primitive>(value: V, options?: Annotations<V>): Schema<V>;
/** One of these values. */
export declare function oneOf<const V extends readonly Primitive[]>(values: V, options?: Annotations<V[number]>): Schema<V[number]>;
/** Any of these schemas. */
export declare function union<const S extends readonly Schema[]>(schemas: S, options?: Annotations<Static<S[number]>>): Schema<Static<S[number]>>;
export declare function nullable<T>(source: Schema<T>, options?: Annotations<T | null>): Schema<T | null>;
export declare function arr<T>(items: Schema<T>, options?: Annotations<T[]> & ItemBounds): Schema<T[]>;
/** An array of exactly these items. */
export declare function tuple<const S extends readonly Schema[]>(items: S, options?: Annotations<StaticTuple<S>>): Schema<StaticTuple<S>>;
/** An object used as a table. */
export declare function map<T>(value: Schema<T>, options?: Annotations<Record<string, T>>): Schema<Record<string, T>>;
/** Marks a property of obj() that may be left out. */
export declare function opt<S extends Schema>(source: S): Optional<S>;
/** An object with these properties and, unless it is open, no others. */
export declare function obj<const P extends Properties>(properties: P, options?: Annotations<StaticObject<P>> & {
    readonly open?: boolean;
}): Schema<StaticObject<P>>;
/** A schema that contains itself: build gets a reference to what it returns. */
export declare function recursive<T>(id: string, build: (self: Schema<T>) => Schema<T>): Schema<T>;
/** Any JSON Schema, with the type that its author states. */
export declare function unsafe<T>(source?: object): Schema<T>;
/** Whether two values are the same JSON. The order of members does not matter. */
export declare function equal(left: unknown, right: unknown): boolean;

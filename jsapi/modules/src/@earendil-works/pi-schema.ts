/** Builders for JSON Schema (draft 2020-12), in the short form that tools are written with. */

import type { SchemaOptions, Static, TSchema } from "typebox";

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
export class Optional<S extends Schema = Schema> {
  readonly schema: S;

  constructor(schema: S) {
    this.schema = schema;
  }
}

export type Properties = Readonly<Record<string, Schema | Optional>>;

type Flatten<T> = { [K in keyof T]: T[K] } & {};
export type StaticObject<P extends Properties> = Flatten<
  { -readonly [K in keyof P as P[K] extends Optional ? never : K]: Static<P[K]> } & {
    -readonly [K in keyof P as P[K] extends Optional ? K : never]?: P[K] extends Optional<infer S> ? Static<S> : never;
  }
>;
type StaticTuple<S extends readonly Schema[]> = { -readonly [I in keyof S]: Static<S[I]> };

// The type of a schema has no run-time half, so what a builder made is given its
// type here, in one place.
function schema<T>(keywords: object, options?: object): Schema<T> {
  return { ...keywords, ...options } as unknown as Schema<T>;
}

export function str(
  options?: Annotations<string> & LengthBounds & { readonly pattern?: string; readonly format?: string },
): Schema<string> {
  return schema({ type: "string" }, options);
}

export function num(options?: Annotations<number> & NumberBounds): Schema<number> {
  return schema({ type: "number" }, options);
}

export function int(options?: Annotations<number> & NumberBounds): Schema<number> {
  return schema({ type: "integer" }, options);
}

/** For values that never pass through JSON. */
export function bigint(options?: Annotations<bigint> & NumberBounds<bigint>): Schema<bigint> {
  return schema({ type: "bigint" }, options);
}

/** For values that never pass through JSON. */
export function bytes(options?: Annotations<Uint8Array> & LengthBounds): Schema<Uint8Array> {
  return schema({ type: "bytes" }, options);
}

export function bool(options?: Annotations<boolean>): Schema<boolean> {
  return schema({ type: "boolean" }, options);
}

export function nul(options?: Annotations<null>): Schema<null> {
  return schema({ type: "null" }, options);
}

export function unknown(options?: Annotations): Schema<unknown> {
  return schema({}, options);
}

/** Exactly this value. */
export function lit<const V extends Primitive>(value: V, options?: Annotations<V>): Schema<V> {
  return schema({ const: value }, options);
}

/** One of these values. */
export function oneOf<const V extends readonly Primitive[]>(
  values: V,
  options?: Annotations<V[number]>,
): Schema<V[number]> {
  return schema({ enum: [...values] }, options);
}

/** Any of these schemas. */
export function union<const S extends readonly Schema[]>(
  schemas: S,
  options?: Annotations<Static<S[number]>>,
): Schema<Static<S[number]>> {
  return schema({ anyOf: [...schemas] }, options);
}

export function nullable<T>(source: Schema<T>, options?: Annotations<T | null>): Schema<T | null> {
  return schema({ anyOf: [source, { type: "null" }] }, options);
}

export function arr<T>(items: Schema<T>, options?: Annotations<T[]> & ItemBounds): Schema<T[]> {
  return schema({ type: "array", items }, options);
}

/** An array of exactly these items. */
export function tuple<const S extends readonly Schema[]>(
  items: S,
  options?: Annotations<StaticTuple<S>>,
): Schema<StaticTuple<S>> {
  return schema({ type: "array", prefixItems: [...items], items: false, minItems: items.length }, options);
}

/** An object used as a table. */
export function map<T>(value: Schema<T>, options?: Annotations<Record<string, T>>): Schema<Record<string, T>> {
  return schema({ type: "object", additionalProperties: value }, options);
}

/** Marks a property of obj() that may be left out. */
export function opt<S extends Schema>(source: S): Optional<S> {
  return new Optional(source);
}

/** An object with these properties and, unless it is open, no others. */
export function obj<const P extends Properties>(
  properties: P,
  options: Annotations<StaticObject<P>> & { readonly open?: boolean } = {},
): Schema<StaticObject<P>> {
  const { open, ...annotations } = options;
  const members = Object.entries(properties);
  const required = members.filter(([, member]) => !(member instanceof Optional)).map(([name]) => name);
  return schema(
    {
      type: "object",
      properties: Object.fromEntries(
        members.map(([name, member]) => [name, member instanceof Optional ? member.schema : member]),
      ),
      ...(required.length > 0 && { required }),
      ...(!open && { additionalProperties: false }),
    },
    annotations,
  );
}

/** A schema that contains itself: build gets a reference to what it returns. */
export function recursive<T>(id: string, build: (self: Schema<T>) => Schema<T>): Schema<T> {
  return schema(build(schema({ $ref: id })), { $id: id });
}

/** Any JSON Schema, with the type that its author states. */
export function unsafe<T>(source: object = {}): Schema<T> {
  return source as Schema<T> & SchemaOptions;
}

/** Whether two values are the same JSON. The order of members does not matter. */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equal(Reflect.get(left, key), Reflect.get(right, key)))
  );
}

/**
 * Builders for JSON Schema whose types say what a valid value looks like.
 *
 * Every builder returns a plain JSON Schema object (draft 2020-12): it can be
 * printed, stored and sent as it is. That a property is optional is kept in a
 * symbol, which JSON leaves out.
 */

declare const typeOf: unique symbol;
declare const optionalMark: unique symbol;

const optional = Symbol.for("typebox.optional");

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
export type Static<S> = S extends { readonly [typeOf]: infer T } ? T : unknown;

/** A schema that an object may leave out. */
export type TOptional<S extends TSchema> = S & { readonly [optionalMark]: true };

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

type Flatten<T> = { [K in keyof T]: T[K] } & {};
type OptionalKeys<P> = { [K in keyof P]: P[K] extends { readonly [optionalMark]: true } ? K : never }[keyof P];
type StaticProperties<P> = Flatten<
  { -readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & {
    -readonly [K in OptionalKeys<P>]?: Static<P[K]>;
  }
>;
type StaticTuple<T extends readonly TSchema[]> = { -readonly [I in keyof T]: Static<T[I]> };
type StaticIntersection<T extends readonly TSchema[]> = T extends readonly [
  infer Head,
  ...infer Rest extends readonly TSchema[],
]
  ? Static<Head> & StaticIntersection<Rest>
  : unknown;
type MakeOptional<P extends TProperties> = { [K in keyof P]: TOptional<P[K]> };
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

// The type of a schema has no run-time half, so what a builder made is given its
// type here, in one place.
function schema<S>(keywords: object, options?: SchemaOptions): S {
  return { ...keywords, ...options } as S;
}

function isOptional(candidate: object): boolean {
  return optional in candidate;
}

function withoutMark<S extends TSchema>(source: S): S {
  const copy = { ...source } as S & { [optional]?: boolean };
  delete copy[optional];
  return copy;
}

function markOptional<S extends TSchema>(source: S): TOptional<S> {
  return Object.defineProperty({ ...source }, optional, { value: true, enumerable: true }) as unknown as TOptional<S>;
}

function object<P extends TProperties>(properties: P, options?: ObjectOptions): TObject<P> {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key]!));
  return schema({ type: "object", properties, ...(required.length > 0 && { required }) }, options);
}

// Keywords of an object schema other than those that its properties decide.
function objectOptions(source: TObject): SchemaOptions {
  const { type, properties, required, ...options } = source;
  return options;
}

function select(source: TObject, keep: (key: string) => boolean): TProperties {
  return Object.fromEntries(Object.entries(source.properties).filter(([key]) => keep(key)));
}

function change(source: TObject, convert: (property: TSchema) => TSchema): TProperties {
  return Object.fromEntries(Object.entries(source.properties).map(([key, property]) => [key, convert(property)]));
}

/** The builders. */
export const Type = Object.freeze({
  Any: (options?: SchemaOptions): TAny => schema({}, options),
  Unknown: (options?: SchemaOptions): TUnknown => schema({}, options),
  Never: (options?: SchemaOptions): TNever => schema({ not: {} }, options),
  Null: (options?: SchemaOptions): TNull => schema({ type: "null" }, options),
  Boolean: (options?: SchemaOptions): TBoolean => schema({ type: "boolean" }, options),
  String: (options?: StringOptions): TString => schema({ type: "string" }, options),
  Number: (options?: NumberOptions): TNumber => schema({ type: "number" }, options),
  Integer: (options?: NumberOptions): TInteger => schema({ type: "integer" }, options),

  Literal: <const V extends string | number | boolean>(value: V, options?: SchemaOptions): TLiteral<V> =>
    schema({ type: typeof value, const: value }, options),

  /** One of the given values, or of the values of a TypeScript enum. */
  Enum: <const V extends string | number>(
    values: readonly V[] | Readonly<Record<string, V>>,
    options?: SchemaOptions,
  ): TEnum<V> => schema({ enum: enumValues(values) }, options),

  Array: <S extends TSchema>(items: S, options?: ArrayOptions): TArray<S> => schema({ type: "array", items }, options),

  Tuple: <const T extends readonly TSchema[]>(items: T, options?: SchemaOptions): TTuple<T> =>
    schema({ type: "array", prefixItems: items, items: false, minItems: items.length }, options),

  Union: <const T extends readonly TSchema[]>(choices: T, options?: SchemaOptions): TUnion<T> =>
    schema({ anyOf: choices }, options),

  Intersect: <const T extends readonly TSchema[]>(parts: T, options?: SchemaOptions): TIntersect<T> =>
    schema({ allOf: parts }, options),

  Object: object,

  /** An object used as a table. The key schema may be a union of literals. */
  Record: <K extends string, S extends TSchema>(
    key: TSchema<K>,
    value: S,
    options?: ObjectOptions,
  ): TRecord<K, S> => schema(record(key, value), options),

  /** A property that may be left out. */
  Optional: <S extends TSchema>(source: S): TOptional<S> => markOptional(source),

  Partial: <P extends TProperties>(source: TObject<P>): TObject<MakeOptional<P>> =>
    object(change(source, markOptional), objectOptions(source)) as unknown as TObject<MakeOptional<P>>,

  Required: <P extends TProperties>(source: TObject<P>): TObject<MakeRequired<P>> =>
    object(change(source, withoutMark), objectOptions(source)) as unknown as TObject<MakeRequired<P>>,

  Pick: <P extends TProperties, const K extends keyof P & string>(
    source: TObject<P>,
    keys: readonly K[],
  ): TObject<Pick<P, K>> =>
    object(select(source, (key) => keys.includes(key as K)), objectOptions(source)) as unknown as TObject<Pick<P, K>>,

  Omit: <P extends TProperties, const K extends keyof P & string>(
    source: TObject<P>,
    keys: readonly K[],
  ): TObject<Omit<P, K>> =>
    object(select(source, (key) => !keys.includes(key as K)), objectOptions(source)) as unknown as TObject<Omit<P, K>>,

  /** Any JSON Schema, with the type that its author states. */
  Unsafe: <T>(keywords: object): TSchema<T> => schema(keywords),
});

function enumValues<V extends string | number>(values: readonly V[] | Readonly<Record<string, V>>): V[] {
  if (Array.isArray(values)) return [...values];
  // A numeric TypeScript enum also maps its numbers back to their names.
  return Object.entries(values)
    .filter(([name]) => !/^-?\d/.test(name))
    .map(([, value]) => value);
}

function record(key: TSchema, value: TSchema): object {
  const names = literalNames(key);
  if (names !== undefined) {
    return { type: "object", properties: Object.fromEntries(names.map((name) => [name, value])), required: names };
  }
  const pattern = typeof key["pattern"] === "string" ? key["pattern"] : "^.*$";
  return { type: "object", patternProperties: { [pattern]: value } };
}

function literalNames(key: TSchema): string[] | undefined {
  if (Array.isArray(key["enum"])) return key["enum"].map(String);
  if ("const" in key) return [String(key["const"])];
  if (!Array.isArray(key["anyOf"])) return undefined;
  const names = key["anyOf"].map((choice: TSchema) => literalNames(choice));
  return names.every((list) => list !== undefined) ? names.flat() : undefined;
}

export default Type;

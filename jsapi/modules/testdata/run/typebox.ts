import { StringEnum, Type as PiType } from "@earendil-works/pi-ai";
import assert from "node:assert";
import Default, { Type } from "typebox";

const shapes = (cases: [schema: object, json: object][]): void => {
  for (const [schema, json] of cases) assert.deepStrictEqual(JSON.parse(JSON.stringify(schema)), json);
};

export default {
  "builders return JSON Schema"() {
    shapes([
      [Type.String({ minLength: 1, description: "d" }), { type: "string", minLength: 1, description: "d" }],
      [Type.Number({ minimum: 0 }), { type: "number", minimum: 0 }],
      [Type.Integer(), { type: "integer" }],
      [Type.Boolean({ default: true }), { type: "boolean", default: true }],
      [Type.Null(), { type: "null" }],
      [Type.Unknown(), {}],
      [Type.Any(), {}],
      [Type.Never(), { not: {} }],
      [Type.Literal("a"), { type: "string", const: "a" }],
      [Type.Enum(["a", "b"]), { enum: ["a", "b"] }],
      [Type.Enum({ Up: 0, Down: 1, 0: "Up" } as never), { enum: [0, 1] }],
      [Type.Array(Type.String(), { maxItems: 2 }), { type: "array", items: { type: "string" }, maxItems: 2 }],
      [Type.Tuple([Type.String(), Type.Null()]), { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], items: false, minItems: 2 }],
      [Type.Union([Type.String(), Type.Null()]), { anyOf: [{ type: "string" }, { type: "null" }] }],
      [Type.Intersect([Type.Object({}), Type.Object({})]), { allOf: [{ type: "object", properties: {} }, { type: "object", properties: {} }] }],
      [Type.Record(Type.String(), Type.Number()), { type: "object", patternProperties: { "^.*$": { type: "number" } } }],
      [
        Type.Record(Type.Union([Type.Literal("a"), Type.Literal("b")]), Type.Null()),
        { type: "object", properties: { a: { type: "null" }, b: { type: "null" } }, required: ["a", "b"] },
      ],
      [Type.Unsafe<string>({ type: "string", format: "x" }), { type: "string", format: "x" }],
      [StringEnum(["a", "b"], { description: "d" }), { type: "string", enum: ["a", "b"], description: "d" }],
    ]);
  },
  "required is what is not optional"() {
    shapes([
      [Type.Object({ a: Type.String(), b: Type.Optional(Type.Null()) }), { type: "object", properties: { a: { type: "string" }, b: { type: "null" } }, required: ["a"] }],
      [Type.Object({ a: Type.Optional(Type.Null()) }, { additionalProperties: false }), { type: "object", properties: { a: { type: "null" } }, additionalProperties: false }],
    ]);
    const string = Type.String();
    Type.Optional(string);
    shapes([[Type.Object({ string }), { type: "object", properties: { string: { type: "string" } }, required: ["string"] }]]);
  },
  "objects are derived from objects, with their keywords"() {
    const source = Type.Object({ a: Type.String(), b: Type.Optional(Type.Null()) }, { description: "d" });
    shapes([
      [Type.Partial(source), { type: "object", properties: { a: { type: "string" }, b: { type: "null" } }, description: "d" }],
      [Type.Required(source), { type: "object", properties: { a: { type: "string" }, b: { type: "null" } }, required: ["a", "b"], description: "d" }],
      [Type.Pick(source, ["b"]), { type: "object", properties: { b: { type: "null" } }, description: "d" }],
      [Type.Omit(source, ["b"]), { type: "object", properties: { a: { type: "string" } }, required: ["a"], description: "d" }],
    ]);
  },
  "one instance under all names"() {
    assert.strictEqual(Default, Type);
    assert.strictEqual(PiType, Type);
  },
} as Record<string, () => unknown>;

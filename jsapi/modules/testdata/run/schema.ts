import { arr, bool, bytes, equal, int, lit, map, nul, nullable, num, obj, oneOf, opt, recursive, str, tuple, union, unknown, unsafe } from "@earendil-works/pi-schema";
import assert from "node:assert";

export default {
  "builders return JSON Schema"() {
    for (const [schema, json] of [
      [str({ minLength: 1, description: "d" }), { type: "string", minLength: 1, description: "d" }],
      [num({ minimum: 0 }), { type: "number", minimum: 0 }],
      [int(), { type: "integer" }],
      [bool(), { type: "boolean" }],
      [nul(), { type: "null" }],
      [unknown(), {}],
      [bytes(), { type: "bytes" }],
      [lit(null), { const: null }],
      [oneOf(["a", 1]), { enum: ["a", 1] }],
      [union([str(), nul()]), { anyOf: [{ type: "string" }, { type: "null" }] }],
      [nullable(int()), { anyOf: [{ type: "integer" }, { type: "null" }] }],
      [arr(str(), { maxItems: 1 }), { type: "array", items: { type: "string" }, maxItems: 1 }],
      [tuple([str()]), { type: "array", prefixItems: [{ type: "string" }], items: false, minItems: 1 }],
      [map(num()), { type: "object", additionalProperties: { type: "number" } }],
      [obj({}), { type: "object", properties: {}, additionalProperties: false }],
      [
        obj({ a: str(), b: opt(int()) }, { description: "d" }),
        { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"], additionalProperties: false, description: "d" },
      ],
      [obj({ a: opt(str()) }, { open: true }), { type: "object", properties: { a: { type: "string" } } }],
      [
        recursive<unknown>("Tree", (tree) => obj({ children: arr(tree) })),
        { type: "object", properties: { children: { type: "array", items: { $ref: "Tree" } } }, required: ["children"], additionalProperties: false, $id: "Tree" },
      ],
      [unsafe({ type: "string" }), { type: "string" }],
    ] as [object, object][]) {
      assert.deepStrictEqual(schema, json);
    }
  },
  "equality of JSON"() {
    assert.ok(equal({ a: [1, null], b: "x" }, { b: "x", a: [1, null] }));
    for (const [left, right] of [[1, "1"], [[1], { 0: 1 }], [{ a: 1 }, { b: 1 }], [[1, 2], [2, 1]], [null, {}]]) {
      assert.ok(!equal(left, right));
    }
  },
} as Record<string, () => unknown>;

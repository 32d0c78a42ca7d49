import assert from "node:assert";
import util, { format, inspect, isDeepStrictEqual, promisify, types } from "node:util";

class Point {
  x = 1;
  #hidden = 2;
  get sum() { return this.x + this.#hidden; }
}

export default {
  "inspect shows values as Node does"() {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic.self = cyclic;
    for (const [value, text] of [
      [1, "1"], [-0, "-0"], [1n, "1n"], ["it's", '"it\'s"'], ["a\nb", "'a\\nb'"], [null, "null"], [undefined, "undefined"],
      [Symbol("s"), "Symbol(s)"], [[], "[]"], [{}, "{}"], [[1, [2, [3, [4]]]], "[ 1, [ 2, [ 3, [Array] ] ] ]"],
      [{ a: { b: { c: { d: 1 } } } }, "{ a: { b: { c: [Object] } } }"],
      [{ "a-b": 1, [Symbol("k")]: 2 }, "{ 'a-b': 1, [Symbol(k)]: 2 }"],
      [new Map([["a", { b: 1 }]]), "Map(1) { 'a' => { b: 1 } }"], [new Set([1, "x"]), "Set(2) { 1, 'x' }"],
      [new Point(), "Point { x: 1 }"], [Point, "[class Point]"], [function name() {}, "[Function: name]"], [() => {}, "[Function (anonymous)]"],
      [/a/g, "/a/g"], [new Date(0), "1970-01-01T00:00:00.000Z"], [new Uint8Array([1, 2]), "Uint8Array(2) [ 1, 2 ]"],
      [{ get a() { return 1; }, set b(_: number) {} }, "{ a: [Getter], b: [Setter] }"],
      [Object.create(null), "[Object: null prototype] {}"],
      [{ [inspect.custom]: () => "mine" }, "mine"],
    ] as [unknown, string][]) {
      assert.strictEqual(inspect(value), text);
    }
    assert.match(inspect(cyclic), /a: 1, self: \[Circular/);
    assert.match(inspect(new TypeError("bad", { cause: 1 })), /^TypeError: bad\n[^]*\[cause\]: 1/);
  },
  "inspect has options"() {
    assert.strictEqual(inspect({ a: { b: { c: { d: 1 } } } }, { depth: 0 }), "{ a: [Object] }");
    assert.strictEqual(inspect([1, [2, [3, [4]]]], { depth: null }), "[\n  1,\n  [ 2, [ 3, [ 4 ] ] ]\n]");
    assert.match(inspect(Array.from({ length: 120 }, () => 0)), /20 more items/);
    assert.strictEqual(inspect({ b: 1, a: 2 }, { sorted: true }), "{ a: 2, b: 1 }");
  },
  "long objects take several lines"() {
    const text = inspect({ first: "x".repeat(40), second: "y".repeat(40) });
    assert.strictEqual(inspect({ a: { b: { c: {} } } }), "{ a: { b: { c: {} } } }");
    assert.strictEqual(text, `{\n  first: '${"x".repeat(40)}',\n  second: '${"y".repeat(40)}'\n}`);
  },
  "format fills places"() {
    assert.strictEqual(format("%s is %d, %i, %f", "x", "42", "42.5", "1.5"), "x is 42, 42, 1.5");
    assert.strictEqual(format("%j %%", { a: 1 }), '{"a":1} %');
    assert.strictEqual(format("a", "b", { c: 1 }), "a b { c: 1 }");
    assert.strictEqual(format("%s"), "%s");
    assert.strictEqual(format("100%%"), "100%%");
    assert.strictEqual(format(1, "a"), "1 a");
    assert.strictEqual(format("%s", 5n), "5n");
  },
  async "promisify and callbackify turn calls around"() {
    const double = (n: number, done: (error: unknown, value: number) => void) => (n < 0 ? done(new Error("negative"), 0) : done(null, 2 * n));
    assert.strictEqual(await promisify(double)(4), 8);
    await assert.rejects(promisify(double)(-1), /negative/);
    const back = util.callbackify(async (n: number) => n + 1);
    assert.strictEqual(await new Promise((resolve) => back(1, (_error, value) => resolve(value))), 2);
  },
  "isDeepStrictEqual"() {
    assert.ok(isDeepStrictEqual({ a: [1, { b: new Set([1]) }] }, { a: [1, { b: new Set([1]) }] }));
    assert.ok(!isDeepStrictEqual([1], ["1"]));
    assert.ok(!isDeepStrictEqual({ a: undefined }, {}));
  },
  "types and text"() {
    assert.ok(types.isDate(new Date()) && types.isRegExp(/a/) && types.isPromise(Promise.resolve()));
    assert.ok(!types.isMap(new Set()) && types.isTypedArray(new Uint8Array()) && !types.isTypedArray(new DataView(new ArrayBuffer(1))));
    assert.strictEqual(util.stripVTControlCharacters("\u001b[31mred\u001b[0m"), "red");
    assert.strictEqual(new util.TextDecoder().decode(new util.TextEncoder().encode("é")), "é");
  },
} as Record<string, () => unknown>;

import assert, { AssertionError, strict } from "node:assert";

const fails = (run: () => void): AssertionError => {
  try {
    run();
  } catch (error) {
    if (error instanceof AssertionError) return error;
    throw error;
  }
  throw new Error("held");
};

export default {
  "what holds is quiet, what does not is an AssertionError"() {
    assert(1);
    assert.ok("x");
    assert.equal(1, "1");
    assert.equal(NaN, NaN);
    assert.notEqual(1, 2);
    assert.notStrictEqual(1, "1");
    assert.match("abc", /b/);
    assert.doesNotMatch("abc", /x/);
    assert.ifError(null);
    assert.doesNotThrow(() => {});
    for (const run of [
      () => assert(0), () => assert.ok(""), () => assert.equal(1, 2), () => assert.strictEqual(1, "1"),
      () => assert.notEqual(1, "1"), () => assert.match("a", /b/), () => assert.fail("no"),
      () => assert.throws(() => {}), () => assert.notDeepStrictEqual([1], [1]), () => strict.equal(1, "1"),
    ]) {
      assert.strictEqual(fails(run as () => void).code, "ERR_ASSERTION");
    }
  },
  "errors tell both sides and take a message"() {
    const error = fails(() => assert.strictEqual(1, 2));
    assert.strictEqual(error.actual, 1);
    assert.strictEqual(error.expected, 2);
    assert.strictEqual(error.generatedMessage, true);
    assert.match(fails(() => assert.strictEqual(1, 2, "why")).message, /^why/);
    assert.throws(() => assert.ok(false, new RangeError("own")), RangeError);
  },
  "deep equality"() {
    const cyclic = () => { const o: Record<string, unknown> = { n: 1 }; o.self = o; return o; };
    for (const [left, right] of [
      [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }], [new Map([[{ k: 1 }, 1]]), new Map([[{ k: 1 }, 1]])],
      [new Set([[1], [2]]), new Set([[2], [1]])], [new Date(5), new Date(5)], [/a/g, /a/g],
      [new Uint8Array([1, 2]), new Uint8Array([1, 2])], [NaN, NaN], [cyclic(), cyclic()], [new Error("x"), new Error("x")],
      [[undefined], [undefined]], [Object(1), Object(1)],
    ]) {
      assert.deepStrictEqual(left, right);
    }
    for (const [left, right] of [
      [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1, b: 1 }], [[1, 2], [2, 1]], [new Date(5), new Date(6)], [/a/g, /a/i], [0, -0],
      [new Set([1]), new Set([2])], [new Map([[1, 1]]), new Map([[1, 2]])], [new (class A {})(), {}], [[1], { 0: 1, length: 1 }],
      [new Error("x"), new Error("y")], [{ [Symbol.for("k")]: 1 }, {}], [new Uint8Array([1]), new Uint8Array([2])], [null, {}], [1, "1"],
    ]) {
      fails(() => assert.deepStrictEqual(left, right));
      assert.notDeepStrictEqual(left, right);
    }
    assert.deepEqual({ a: 1 }, { a: "1" });
    fails(() => assert.deepEqual({ a: 1 }, { a: 2 }));
  },
  async "throws and rejects check the error"() {
    const bad = () => { throw Object.assign(new TypeError("bad thing"), { code: "E" }); };
    assert.throws(bad);
    assert.throws(bad, TypeError);
    assert.throws(bad, /bad/);
    assert.throws(bad, { code: "E", message: /thing/ });
    assert.throws(bad, (error: Error) => error.message === "bad thing");
    fails(() => assert.throws(bad, /good/));
    fails(() => assert.throws(bad, { code: "F" }));
    fails(() => assert.throws(bad, () => false));
    fails(() => assert.throws(bad, RangeError));
    await assert.rejects(async () => bad(), TypeError);
    await assert.rejects(Promise.reject(new Error("x")), /x/);
    await assert.rejects(assert.rejects(Promise.resolve()), AssertionError);
    await assert.doesNotReject(Promise.resolve());
  },
} as Record<string, () => unknown>;

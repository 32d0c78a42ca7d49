import {
  awaitWithContext,
  BACKGROUND_CONTEXT,
  createContextKey,
  TODO_CONTEXT,
  withAbortSignal,
  withCancel,
  withContextValue,
  withoutAbortSignal,
} from "@earendil-works/chord/context";
import { defineService, isJsonValue } from "@earendil-works/chord";
import assert from "node:assert";

export default {
  "values are found through all contexts above"() {
    const [a, b] = [createContextKey<number>("a"), createContextKey<number>("a")];
    const context = withContextValue(b, 2, withContextValue(a, 1, BACKGROUND_CONTEXT));
    assert.strictEqual(context.value(a), 1);
    assert.strictEqual(context.value(b), 2);
    assert.strictEqual(withContextValue(a, 3, context).value(a), 3);
    assert.strictEqual(context.value(a), 1);
    assert.strictEqual(BACKGROUND_CONTEXT.value(a), undefined);
    assert.ok(Object.isFrozen(a));
  },
  "contexts tell what they are"() {
    assert.strictEqual(String(TODO_CONTEXT), "[Context TODO_CONTEXT]");
    const context = withAbortSignal(AbortSignal.abort(), withContextValue(createContextKey("x"), 1, BACKGROUND_CONTEXT));
    assert.strictEqual(String(context), "[Context BACKGROUND_CONTEXT].WithValue(x).WithValue(chord.abortSignal)");
  },
  "a signal is combined with the one above"() {
    const outer = withCancel(BACKGROUND_CONTEXT);
    const inner = withCancel(outer.context);
    assert.strictEqual(BACKGROUND_CONTEXT.abortSignal, undefined);
    const apart = withoutAbortSignal(inner.context);
    outer.cancel(new Error("outer"));
    assert.strictEqual(inner.context.abortSignal?.aborted, true);
    assert.strictEqual(inner.context.abortSignal?.reason.message, "outer");
    assert.strictEqual(apart.abortSignal, undefined);
    const second = withCancel(BACKGROUND_CONTEXT);
    const below = withCancel(second.context);
    below.cancel();
    assert.strictEqual(second.context.abortSignal?.aborted, false);
  },
  async "awaitWithContext ends only the wait"() {
    assert.strictEqual(await awaitWithContext(Promise.resolve(1), BACKGROUND_CONTEXT), 1);
    const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
    assert.strictEqual(await awaitWithContext(Promise.resolve(2), context), 2);
    await assert.rejects(awaitWithContext(Promise.reject(new Error("own")), context), /own/);
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = awaitWithContext(promise, context);
    cancel(new Error("reason"));
    await assert.rejects(waiting, /reason/);
    resolve("later");
    assert.strictEqual(await promise, "later");
    const other = withCancel(BACKGROUND_CONTEXT);
    other.cancel("no error");
    await assert.rejects(awaitWithContext(promise, other.context), { name: "AbortError" });
    await assert.rejects(awaitWithContext(Promise.reject(new Error("lost")), other.context), { name: "AbortError" });
  },
  "service tokens"() {
    const token = defineService("clock");
    assert.deepStrictEqual({ ...token }, { id: "clock", local: false });
    assert.ok(Object.isFrozen(token));
    assert.throws(() => defineService(""), TypeError);
    assert.throws(() => defineService("$chord.x"), TypeError);
  },
  "what is JSON"() {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    for (const value of [null, 1, "a", [1, { a: [] }], {}, Object.create(null)]) assert.ok(isJsonValue(value));
    for (const value of [undefined, NaN, 1n, () => 1, new Date(), [, 1], { a: undefined }, cyclic, { [Symbol()]: 1 }]) {
      assert.ok(!isJsonValue(value));
    }
  },
} as Record<string, () => unknown>;

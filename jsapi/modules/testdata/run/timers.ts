import assert from "node:assert";
import { scheduler, setImmediate, setInterval, setTimeout } from "node:timers/promises";

export default {
  async "timers resolve to their value"() {
    assert.strictEqual(await setTimeout(1, "a"), "a");
    assert.strictEqual(await setImmediate("b"), "b");
    await scheduler.wait(1);
    await scheduler.yield();
  },
  async "an interval is left by break"() {
    let count = 0;
    for await (const value of setInterval(1, "x")) {
      assert.strictEqual(value, "x");
      if (++count === 3) break;
    }
    assert.strictEqual(count, 3);
  },
  async "a signal ends the wait"() {
    const reason = new Error("why");
    await assert.rejects(setTimeout(60000, 0, { signal: AbortSignal.abort(reason) }), { name: "AbortError", cause: reason });
    const controller = new AbortController();
    const waiting = setTimeout(60000, 0, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(waiting, { code: "ABORT_ERR", cause: reason });
    await assert.rejects(setImmediate(0, { signal: AbortSignal.abort() }), { name: "AbortError" });
  },
} as Record<string, () => unknown>;

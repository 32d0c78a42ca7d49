import assert from "node:assert";
import EventEmitter, { once } from "node:events";

export default {
  "listeners run in order, with this"() {
    const emitter = new EventEmitter();
    const seen: unknown[] = [];
    emitter.on("x", function (this: unknown, a, b) { seen.push(this === emitter, a, b); });
    emitter.prependListener("x", () => seen.push("first"));
    assert.strictEqual(emitter.emit("x", 1, 2), true);
    assert.deepStrictEqual(seen, ["first", true, 1, 2]);
    assert.strictEqual(emitter.emit("y"), false);
  },
  "once listeners run once, also when they emit"() {
    const emitter = new EventEmitter();
    let count = 0;
    emitter.once("x", () => { count++; emitter.emit("x"); });
    emitter.emit("x");
    assert.strictEqual(count, 1);
    assert.strictEqual(emitter.listenerCount("x"), 0);
  },
  "off takes the newest registration"() {
    const emitter = new EventEmitter();
    const seen: string[] = [];
    const same = () => seen.push("same");
    emitter.on("x", same).on("x", () => seen.push("other")).on("x", same).off("x", same);
    emitter.emit("x");
    assert.deepStrictEqual(seen, ["same", "other"]);
  },
  "a listener may remove others while an event is emitted"() {
    const emitter = new EventEmitter();
    let count = 0;
    emitter.on("x", () => emitter.removeAllListeners("x"));
    emitter.on("x", () => count++);
    emitter.emit("x");
    emitter.emit("x");
    assert.strictEqual(count, 1);
  },
  "an error that nobody hears is thrown"() {
    const emitter = new EventEmitter();
    assert.throws(() => emitter.emit("error", new RangeError("why")), RangeError);
    assert.throws(() => emitter.emit("error", "text"), /text/);
    emitter.on("error", () => {});
    assert.strictEqual(emitter.emit("error", new Error()), true);
  },
  "newListener and removeListener are told"() {
    const emitter = new EventEmitter();
    const seen: unknown[] = [];
    emitter.on("newListener", (name) => seen.push(["new", name]));
    emitter.on("removeListener", (name) => seen.push(["gone", name]));
    const listener = () => {};
    emitter.on("x", listener);
    emitter.off("x", listener);
    assert.deepStrictEqual(seen, [["new", "removeListener"], ["new", "x"], ["gone", "x"]]);
  },
  async "once waits for an event, an error, or a signal"() {
    const emitter = new EventEmitter();
    const first = once(emitter, "x");
    emitter.emit("x", 1, 2);
    assert.deepStrictEqual(await first, [1, 2]);
    const failing = once(emitter, "x");
    emitter.emit("error", new Error("no"));
    await assert.rejects(failing, /no/);
    const controller = new AbortController();
    const stopped = once(emitter, "x", { signal: controller.signal });
    controller.abort();
    await assert.rejects(stopped, { name: "AbortError", code: "ABORT_ERR" });
    assert.deepStrictEqual(emitter.eventNames(), []);
  },
  "classes extend it"() {
    class Door extends EventEmitter {
      knock() { this.emit("knock"); }
    }
    let heard = false;
    const door = new Door();
    door.on("knock", () => { heard = true; });
    door.knock();
    assert.ok(heard && door instanceof EventEmitter);
  },
} as Record<string, () => unknown>;

import * as durable from "@earendil-works/pi-durable";
import { getOrThrow, getOrUndefined, err, ok, toError, FileError } from "@earendil-works/pi-durable/env";
import { defineCommand, defineRoutine, hookKinds } from "harness";
import assert from "node:assert";

const { defineDoc, defineDocFamily, defineEntry, defineExtension, defineTask, defineTool, hook, section, wrapSection, wrapTool } = durable;

export default {
  "definitions are given back as they are"() {
    const tool = { name: "t", description: "", parameters: {}, execute: () => ({}) };
    assert.strictEqual(defineTool(tool), tool);
    const extension = { name: "e", tools: [tool] };
    assert.strictEqual(defineExtension(extension), extension);
    const command = { name: "c", execute: () => {} };
    assert.strictEqual(defineCommand(command), command);
    const routine = { execute: () => {} };
    assert.strictEqual(defineRoutine(routine), routine);
  },
  "sections, hooks and wraps have their shapes"() {
    const render = () => "x";
    assert.deepStrictEqual(section("k", render), { key: "k", render });
    assert.deepStrictEqual(section("k", render, { tag: false }), { key: "k", render, tag: false });
    const beforeTool = () => undefined;
    assert.deepStrictEqual(hook(durable.ToolTask, { beforeTool }), { task: "pi.tool", handlers: { beforeTool } });
    assert.deepStrictEqual(hook(hookKinds.toolCall, beforeTool), { kind: "tool_call", handler: beforeTool });
    const wrap = (inner: never) => inner;
    assert.deepStrictEqual(wrapTool("t", wrap), { tool: "t", wrap });
    assert.deepStrictEqual(wrapTool({ name: "t" }, wrap), { tool: "t", wrap });
    assert.deepStrictEqual(wrapSection("s", wrap), { section: "s", wrap });
  },
  "tokens carry their definition"() {
    const task = { name: "t", version: 1, initial: () => ({ phase: "a" }), phases: {}, abort: () => {} };
    assert.strictEqual(defineTask(task).definition, task);
    const doc = { kind: "d", version: 1, scope: "session" as const, initial: () => ({}) };
    assert.strictEqual(defineDoc(doc).definition, doc);
    assert.deepStrictEqual(defineDocFamily(doc).definition, { ...doc, family: true });
    const entry = defineEntry("mine");
    assert.ok(entry.is({ id: 1, conversationId: 1, kind: "mine" }) && !entry.is({ id: 1, conversationId: 1, kind: "other" }));
    assert.deepStrictEqual(
      [durable.GenerationTask, durable.ToolTask, durable.CompactionTask].map((token) => token.definition.name),
      ["pi.generation", "pi.tool", "pi.compaction"],
    );
    assert.strictEqual(durable.AssistantEntry.kind, "pi.assistant");
    assert.strictEqual(durable.AgentDoc.definition.kind, "pi.agent");
    assert.strictEqual(durable.ROOT_CONVERSATION_ID, 1);
    assert.strictEqual(durable.DEFAULT_COMPACTION_POLICY.reserveTokens, 16384);
    assert.strictEqual(durable.DEFAULT_RETRY_POLICY.baseDelayMs, 2000);
  },
  async "what needs the engine says so"() {
    const unavailable = { name: "NotAvailable", message: /arrives with the durable engine/ };
    assert.throws(() => new durable.MemoryStorage(), unavailable);
    await assert.rejects(durable.createSession(), unavailable);
    await assert.rejects(durable.Harness.open(), unavailable);
  },
  "a registry validates what is installed, and changes nothing otherwise"() {
    const registry = durable.createRegistry();
    let changes = 0;
    const stop = registry.subscribe(() => changes++);
    const tool = (name: string): any => ({ name, description: "", parameters: {}, execute() {} });
    registry.install({ name: "a", tools: [tool("x")] });
    registry.install({ name: "b", tools: [tool("x")], sections: [durable.section("facts", () => "")] });
    registry.install({ name: "a", tools: [tool("y")] });
    for (const wrong of [
      { name: "c", tools: [tool("x"), tool("x")] },
      { name: "c", sections: [durable.section("instructions", () => "")] },
      { name: "c", sections: [durable.section("Bad Key", () => "")] },
      { name: "c", tasks: [{ definition: { name: "pi.tool" } }] },
    ]) {
      assert.throws(() => registry.install(wrong as never), { name: "TypeError" });
    }
    const before = registry.snapshot();
    registry.uninstall("a");
    stop();
    registry.uninstall("b");
    assert.deepStrictEqual(before.installed().map((extension) => extension.name), ["a", "b"]);
    assert.deepStrictEqual(before.tools().map(({ tool: { name } }) => name), ["y", "x"]);
    assert.strictEqual(registry.snapshot().installed().length, 0);
    assert.strictEqual(changes, 4);
  },
  "error classes have their names"() {
    const error = new durable.ConversationBusy("busy", { cause: 1 });
    assert.ok(error instanceof Error && error instanceof durable.ConversationBusy);
    assert.strictEqual(String(error), "ConversationBusy: busy");
    assert.strictEqual(error.cause, 1);
  },
  "results of the environment"() {
    assert.strictEqual(getOrThrow(ok(1)), 1);
    const failure = err(new FileError("not_found", "gone", "/a"));
    assert.throws(() => getOrThrow(failure), { code: "not_found", path: "/a", name: "FileError" });
    assert.strictEqual(getOrUndefined(failure), undefined);
    assert.strictEqual(toError("x").message, "x");
  },
} as Record<string, () => unknown>;

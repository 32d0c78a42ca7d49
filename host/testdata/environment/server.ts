/** What environments promise, by rule: the tool check runs one. Each call begins in an empty folder of its own. */

import { createContextKey, withAbortSignal, withContextValue } from "@earendil-works/chord/context";
import { defineTool, type Context, type ToolExecutionApi } from "@earendil-works/pi-durable";
import { type ExecutionEnv, ExecutionError, FileError, getOrThrow, type Result } from "@earendil-works/pi-durable/env";
import * as assert from "node:assert";

type Check = (env: ExecutionEnv, folder: string, context: Context, api: ToolExecutionApi) => Promise<void>;

function failed(result: Result<unknown>, code: string): void {
  assert.ok(!result.ok, `it did not fail with ${code}`);
  assert.ok(result.error instanceof FileError || result.error instanceof ExecutionError);
  assert.strictEqual((result.error as FileError).code, code, result.error.message);
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const checks: Record<string, Check> = {
  async "paths begin at the folder of the environment"(env, folder, context) {
    assert.strictEqual(env.id, "world");
    assert.strictEqual(env.cwd, "/");
    assert.strictEqual(getOrThrow(await env.absolutePath("a/../b", context)), "/b");
    assert.strictEqual(getOrThrow(await env.absolutePath("/a/./b", context)), "/a/b");
    assert.strictEqual(getOrThrow(await env.joinPath(["a", "..", "b", "c"], context)), "b/c");
    getOrThrow(await env.writeFile(`${folder.slice(1)}/f`, "x", context));
    assert.strictEqual(getOrThrow(await env.readTextFile(`${folder}/f`, context)), "x");
  },

  async "files are written, appended, cut, flushed and read"(env, folder, context) {
    const file = `${folder}/new/deep/file`;
    getOrThrow(await env.writeFile(file, "one", context));
    getOrThrow(await env.appendFile(file, new Uint8Array([0x0a, 0xc3, 0xa9]), context));
    assert.strictEqual(getOrThrow(await env.readTextFile(file, context)), "one\né");
    assert.deepStrictEqual([...getOrThrow(await env.readBinaryFile(file, context))], [0x6f, 0x6e, 0x65, 0x0a, 0xc3, 0xa9]);
    getOrThrow(await env.truncateFile(file, 2, context));
    getOrThrow(await env.flushFile(file, context));
    assert.strictEqual(getOrThrow(await env.readTextFile(file, context)), "on");
    getOrThrow(await env.appendFile(`${folder}/other/file`, "made", context));
    assert.strictEqual(getOrThrow(await env.readTextFile(`${folder}/other/file`, context)), "made");
  },

  async "what fails has a code and the path"(env, folder, context) {
    getOrThrow(await env.writeFile(`${folder}/f`, "x", context));
    failed(await env.readTextFile(`${folder}/none`, context), "not_found");
    failed(await env.readTextFile(folder, context), "is_directory");
    failed(await env.readTextFile(`${folder}/f/x`, context), "not_directory");
    failed(await env.writeFile("/proc/f", "x", context), "permission_denied");
    failed(await env.truncateFile(`${folder}/f`, -1, context), "invalid");
    failed(await env.openBinaryReader(`${folder}/none`, context), "not_found");
    failed(await env.canonicalPath(`${folder}/none`, context), "not_found");
    failed(await env.remove(`${folder}/none`, {}, context), "not_found");
    failed(await env.createDir(`${folder}/f`, { recursive: false }, context), "invalid");
    failed(await env.readTextFile(7 as never, context), "invalid");
    const result = await env.fileInfo(`${folder}/none`, context);
    assert.ok(!result.ok && result.error.path === `${folder}/none`);
  },

  async "folders are made, listed in pages, renamed and removed"(env, folder, context) {
    getOrThrow(await env.createDir(`${folder}/a/b`, undefined, context));
    for (const name of ["2", "1", "3"]) getOrThrow(await env.writeFile(`${folder}/a/${name}`, name, context));
    const listed = getOrThrow(await env.listDir(`${folder}/a`, context));
    assert.deepStrictEqual(listed.map(({ name, kind, size }) => [name, kind, kind === "file" ? size : 0]),
      [["1", "file", 1], ["2", "file", 1], ["3", "file", 1], ["b", "directory", 0]]);
    assert.strictEqual(listed[0]!.path, `${folder}/a/1`);
    const pages = getOrThrow(await env.openDirReader(`${folder}/a`, context));
    assert.deepStrictEqual(getOrThrow(await pages.next(3, context)).entries.map(({ name }) => name), ["1", "2", "3"]);
    const last = getOrThrow(await pages.next(3, context));
    assert.deepStrictEqual([last.entries.map(({ name }) => name), last.done], [["b"], true]);
    await pages.close(context);
    getOrThrow(await env.renameFile(`${folder}/a`, `${folder}/c`, context));
    assert.strictEqual(getOrThrow(await env.exists(`${folder}/a`, context)), false);
    assert.strictEqual(getOrThrow(await env.exists(`${folder}/c/1/x`, context)), false);
    failed(await env.remove(`${folder}/c`, {}, context), "invalid");
    getOrThrow(await env.remove(`${folder}/c`, { recursive: true }, context));
    getOrThrow(await env.remove(`${folder}/c`, { force: true }, context));
    assert.strictEqual(getOrThrow(await env.exists(`${folder}/c`, context)), false);
  },

  async "links are described, and have a canonical path"(env, folder, context) {
    getOrThrow(await env.writeFile(`${folder}/f`, "x", context));
    getOrThrow(await env.exec(["ln", "-s", `${folder}/f`, `${folder}/link`], {}, context));
    assert.strictEqual(getOrThrow(await env.fileInfo(`${folder}/link`, context)).kind, "symlink");
    assert.strictEqual(getOrThrow(await env.canonicalPath(`${folder}/link`, context)), `${folder}/f`);
    failed(await env.openBinaryReader(`${folder}/link`, { noFollow: true }, context), "invalid");
    await getOrThrow(await env.openBinaryReader(`${folder}/link`, {}, context)).close(context);
  },

  async "an open file is read at any place, and its lines found"(env, folder, context) {
    const file = `${folder}/f`;
    getOrThrow(await env.writeFile(file, "\ufeffone\ntwo\nthree", context));
    const reader = getOrThrow(await env.openBinaryReader(file, context));
    getOrThrow(await env.renameFile(file, `${folder}/g`, context));
    assert.strictEqual(getOrThrow(await reader.info(context)).size, 16);
    assert.strictEqual(text(getOrThrow(await reader.read(7, 3, context))), "two");
    assert.strictEqual(text(getOrThrow(await reader.read(11, 99, context))), "three");
    assert.strictEqual(getOrThrow(await reader.read(99, 1, context)).length, 0);
    failed(await reader.read(-1, 1, context), "invalid");
    assert.deepStrictEqual(getOrThrow(await reader.scanLines({ startLine: 0, endLine: 2 }, context)), {
      newlines: 2, start: 0, end: 10, firstLineEnd: 6, lastLineStart: 7, selectedBytes: 7, firstLineBytes: 3,
    });
    failed(await reader.scanLines({ startLine: 2, endLine: 1 }, context), "invalid");
    await reader.close(context);
    await reader.close(context);
  },

  async "lines are read one after another"(env, folder, context) {
    const file = `${folder}/f`;
    getOrThrow(await env.writeFile(file, "one\r\ntwo\n\nlast", context));
    const reader = getOrThrow(await env.openTextLineReader(file, context));
    const lines = [];
    for (;;) {
      const line = getOrThrow(await reader.readLine(context));
      if (line === undefined) break;
      lines.push(line);
    }
    await reader.close(context);
    assert.deepStrictEqual(lines, [
      { text: "one\r", terminated: true }, { text: "two", terminated: true }, { text: "", terminated: true }, { text: "last", terminated: false },
    ]);
    assert.deepStrictEqual(getOrThrow(await env.readTextLines(file, { maxLines: 2 }, context)), ["one\r", "two"]);
    assert.strictEqual(getOrThrow(await env.readTextLines(file, undefined, context)).length, 4);
    getOrThrow(await env.writeFile(file, "é".repeat(300_000) + "\n" + "x".repeat(10), context));
    assert.deepStrictEqual(getOrThrow(await env.readTextLines(file, {}, context)).map((line) => line.length), [300_000, 10]);
  },

  async "temporary names were free"(env, _folder, context) {
    const [one, two] = [await env.createTempFile({ prefix: "a-", suffix: ".txt" }, context), await env.createTempFile(undefined, context)];
    assert.match(getOrThrow(one), /^\/tmp\/a-\w+\.txt$/);
    assert.strictEqual(getOrThrow(await env.readTextFile(getOrThrow(two), context)), "");
    const dir = getOrThrow(await env.createTempDir("b-", context));
    assert.strictEqual(getOrThrow(await env.fileInfo(dir, context)).kind, "directory");
  },

  async "a command tells its output and its code"(env, folder, context) {
    const marked = withContextValue(key, "here", context);
    const told: unknown[] = [];
    const ended = await env.exec("echo out; echo err >&2; pwd; exit 3", {
      cwd: folder,
      onOutput: (text, context, { stream }) => void told.push([text, context.value(key), stream]),
    }, marked);
    assert.deepStrictEqual(getOrThrow(ended), { exitCode: 3 });
    const out = told.filter((each: any) => each[2] === "stdout").map((each: any) => each[0]).join("");
    assert.strictEqual(out, `out\n${folder}\n`);
    assert.ok(told.every((each: any) => each[1] === "here"));
    assert.deepStrictEqual(getOrThrow(await env.exec(["sh", "-c", "exit $0", "4"], undefined, context)), { exitCode: 4 });
  },

  async "a command has the environment that it is given"(env, _folder, context) {
    const said = async (options: object) => {
      let all = "";
      getOrThrow(await env.exec("echo $GIVEN:$HOME", { ...options, onOutput: (text) => void (all += text) }, context));
      return all.trim();
    };
    assert.match(await said({ env: { GIVEN: "1" } }), /^1:\/\w/);
    assert.strictEqual(await said({ env: { GIVEN: "1" }, inheritEnv: false }), "1:");
  },

  async "a command that does not come to its end says why"(env, _folder, context) {
    failed(await env.exec("sleep 100", { timeout: 0.2 }, context), "timeout");
    failed(await env.exec("true", { timeout: 0 }, context), "unknown");
    failed(await env.exec(["no-such-program"], {}, context), "spawn_error");
    failed(await env.exec("true", { cwd: "/none" }, context), "spawn_error");
    failed(await env.exec("echo x; sleep 100", { onOutput: () => { throw new Error("enough"); } }, context), "callback_error");
    const abort = new AbortController();
    const aborted = env.exec("echo x; sleep 100", { onOutput: () => abort.abort() }, withAbortSignal(abort.signal, context));
    failed(await aborted, "aborted");
    failed(await env.exec("true", {}, withAbortSignal(abort.signal, context)), "aborted");
    failed(await env.readTextFile("/f", withAbortSignal(abort.signal, context)), "aborted");
  },

  async "all of a long output is in a file"(env, _folder, context) {
    const spill = { afterBytes: 10, afterLines: 100 };
    assert.deepStrictEqual(getOrThrow(await env.exec("echo 12345678", { spill }, context)), { exitCode: 0 });
    const { spillPath } = getOrThrow(await env.exec("echo 1234567890; echo more", { spill }, context));
    assert.strictEqual(getOrThrow(await env.readTextFile(spillPath!, context)), "1234567890\nmore\n");
    const ended = await env.exec("echo 1234567890; sleep 100", { spill, timeout: 0.5 }, context);
    assert.ok(!ended.ok && ended.error.code === "timeout");
    assert.strictEqual(getOrThrow(await env.readTextFile(ended.error.spillPath!, context)), "1234567890\n");
  },

  async "changes are told, also in folders that are made"(env, folder, context) {
    getOrThrow(await env.createDir(`${folder}/a/b`, undefined, context));
    const seen = new Set<string>();
    let wake = () => {};
    const watcher = getOrThrow(await env.watch([{ path: folder, recursive: true, exclude: { hidden: true } }], (change) => {
      if ("paths" in change) change.paths.forEach((path) => seen.add(path));
      wake();
    }, context));
    assert.strictEqual(watcher.mode, "native");
    const told = async (path: string) => {
      while (!seen.has(path)) await new Promise<void>((resolve) => (wake = resolve));
    };
    getOrThrow(await env.writeFile(`${folder}/a/b/f`, "x", context));
    await told(`${folder}/a/b/f`);
    getOrThrow(await env.createDir(`${folder}/a/c`, undefined, context));
    await told(`${folder}/a/c`);
    getOrThrow(await env.writeFile(`${folder}/.hidden`, "x", context));
    getOrThrow(await env.writeFile(`${folder}/a/c/g`, "x", context));
    await told(`${folder}/a/c/g`);
    assert.ok(!seen.has(`${folder}/.hidden`));
    await watcher.close(context);
    seen.clear();
    getOrThrow(await env.writeFile(`${folder}/a/b/f`, "y", context));
    assert.strictEqual(seen.size, 0);
  },

  async "cleanup ends what runs"(env, _folder, context) {
    const ended = env.exec("echo x; sleep 100", { onOutput: () => env.cleanup(context) }, context);
    assert.ok(!(await ended).ok);
  },

  async "an environment can be spread, and is of no use after its call"(env, folder, context, api) {
    if (kept) {
      await assert.rejects(kept.readTextFile("/f", context), { name: "Settled" });
      return;
    }
    kept = { ...env, readBinaryFile: async () => ({ ok: true, value: new Uint8Array([folder.length]) }) };
    assert.strictEqual((await { ...api, env: kept }.env.readBinaryFile("f", context)).ok, true);
    await env.openBinaryReader("/proc/extensions", context); // which nobody closes
  },
};

let kept: ExecutionEnv | undefined;
const key = createContextKey<string>("key");

export default {
  name: "environment",
  tools: [
    defineTool({
      name: "checks",
      description: "Names what can be checked.",
      parameters: { type: "object" },
      execute: async () => Object.keys(checks).join("\n"),
    } as never),
    defineTool({
      name: "check",
      description: "Checks one rule.",
      parameters: { type: "object", properties: { rule: { type: "string" }, folder: { type: "string" } }, required: ["rule", "folder"] },
      async execute({ rule, folder }: { rule: string; folder: string }, api, context) {
        await checks[rule]!(api.env!, folder, context, api);
        return { content: "kept" };
      },
    }),
  ],
};

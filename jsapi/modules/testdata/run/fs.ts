import assert from "node:assert";
import { Buffer } from "node:buffer";
import fs from "node:fs";
import * as files from "node:fs/promises";

export default {
  async "promises: write, read, append, copy"() {
    await files.mkdir("/p/q", { recursive: true });
    await files.writeFile("/p/a", "text é");
    assert.strictEqual(await files.readFile("/p/a", "utf8"), "text é");
    assert.strictEqual(await files.readFile("/p/a", { encoding: "utf8" }), "text é");
    assert.ok(Buffer.isBuffer(await files.readFile("/p/a")));
    await files.writeFile("/p/a", new Uint8Array([65]));
    await files.appendFile("/p/a", "B");
    await files.writeFile("/p/a", "43", { encoding: "hex", flag: "a" });
    assert.strictEqual(await files.readFile(new URL("file:///p/a"), "latin1"), "ABC");
    await files.copyFile("/p/a", "/p/b");
    assert.deepStrictEqual(await files.readdir("/p"), ["a", "b", "q"]);
    const entries = await files.readdir("/p", { withFileTypes: true });
    assert.deepStrictEqual(entries.map((entry) => [entry.name, entry.isDirectory()]), [["a", false], ["b", false], ["q", true]]);
  },
  async "promises: stat, rename, remove"() {
    await files.mkdir("/s");
    await files.writeFile("/s/a", "123");
    const stat = await files.stat("/s/a");
    assert.ok(stat.isFile() && !stat.isDirectory() && stat.size === 3 && stat.mtime instanceof Date);
    await files.rename("/s/a", "/s/b");
    await assert.rejects(files.access("/s/a"), { code: "ENOENT" });
    await assert.rejects(files.stat("/s/a"), { code: "ENOENT", path: "/s/a", syscall: "stat" });
    await assert.rejects(files.unlink("/s"), { code: "EISDIR" });
    await assert.rejects(files.rmdir("/s/b"), { code: "ENOTDIR" });
    await assert.rejects(files.rmdir("/s"), { code: "ENOTEMPTY" });
    await assert.rejects(files.rm("/s"));
    await files.rm("/s/none", { force: true });
    await files.rm("/s", { recursive: true });
    await assert.rejects(files.rm("/s", { recursive: true }), { code: "ENOENT" });
  },
  "sync: the same"() {
    fs.mkdirSync("/y");
    fs.writeFileSync("/y/a", "x");
    fs.appendFileSync("/y/a", Buffer.from("y"));
    assert.strictEqual(fs.readFileSync("/y/a", "utf8"), "xy");
    assert.ok(fs.existsSync("/y/a") && !fs.existsSync("/y/b"));
    assert.strictEqual(fs.statSync("/y/b", { throwIfNoEntry: false }), undefined);
    assert.throws(() => fs.readFileSync("/y/b"), { code: "ENOENT", path: "/y/b" });
    assert.throws(() => fs.mkdirSync("/y"), { code: "EEXIST" });
    fs.renameSync("/y/a", "/y/c");
    fs.copyFileSync("/y/c", "/y/d");
    assert.deepStrictEqual(fs.readdirSync("/y"), ["c", "d"]);
    fs.unlinkSync("/y/c");
    fs.rmSync("/y/c", { force: true });
    fs.rmSync("/y", { recursive: true });
    assert.ok(!fs.existsSync("/y"));
  },
  "relative paths start at the root; an unknown flag is refused"() {
    fs.writeFileSync("rel", "x");
    assert.strictEqual(fs.readFileSync("/rel", "utf8"), "x");
    assert.throws(() => fs.writeFileSync("/rel", "x", { flag: "r+" }), TypeError);
  },
} as Record<string, () => unknown>;

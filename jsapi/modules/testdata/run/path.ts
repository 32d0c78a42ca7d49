import assert from "node:assert";
import path from "node:path";

export default {
  "join cleans"() {
    assert.strictEqual(path.join("/a", "..", "b", "./c/"), "/b/c/");
    assert.strictEqual(path.join("a", "..", ".."), "..");
    assert.strictEqual(path.join(), ".");
    assert.strictEqual(path.join("", ""), ".");
  },
  "normalize keeps the trailing slash"() {
    for (const [from, to] of [["", "."], ["/", "/"], ["//a//b", "/a/b"], ["./", "./"], ["a/../", "./"], ["/..", "/"], ["../a/..", ".."], ["a/./b/", "a/b/"]]) {
      assert.strictEqual(path.normalize(from!), to, from);
    }
  },
  "resolve starts at the last absolute part"() {
    assert.strictEqual(path.resolve("/a", "b", "/c", "../d"), "/d");
    assert.strictEqual(path.resolve("/a/", "b//c/"), "/a/b/c");
  },
  "relative"() {
    assert.strictEqual(path.relative("/a/b/c", "/a/d"), "../../d");
    assert.strictEqual(path.relative("/a", "/a"), "");
    assert.strictEqual(path.relative("/", "/a/b"), "a/b");
    assert.strictEqual(path.relative("/ab", "/abc"), "../abc");
  },
  "dirname, basename, extname"() {
    for (const [whole, dir, base, ext] of [
      ["/a/b.ts", "/a", "b.ts", ".ts"],
      ["/a/", "/", "a", ""],
      ["a", ".", "a", ""],
      ["/", "/", "", ""],
      ["", ".", "", ""],
      ["/.bashrc", "/", ".bashrc", ""],
      ["a/b.tar.gz/", "a", "b.tar.gz", ".gz"],
      ["x.", ".", "x.", "."],
      ["..", ".", "..", ""],
      ["/a//b", "/a/", "b", ""],
    ]) {
      assert.strictEqual(path.dirname(whole!), dir, `dirname ${whole}`);
      assert.strictEqual(path.basename(whole!), base, `basename ${whole}`);
      assert.strictEqual(path.extname(whole!), ext, `extname ${whole}`);
    }
    assert.strictEqual(path.basename("a/b.ts", ".ts"), "b");
    assert.strictEqual(path.basename("a/.ts", ".ts"), ".ts");
    assert.strictEqual(path.basename(".ts", ".ts"), "");
  },
  "parse and format are inverse"() {
    assert.deepStrictEqual(path.parse("/home/a.b.c"), { root: "/", dir: "/home", base: "a.b.c", ext: ".c", name: "a.b" });
    assert.deepStrictEqual(path.parse("./x"), { root: "", dir: ".", base: "x", ext: "", name: "x" });
    assert.deepStrictEqual(path.parse("/"), { root: "/", dir: "/", base: "", ext: "", name: "" });
    assert.deepStrictEqual(path.parse("x.y"), { root: "", dir: "", base: "x.y", ext: ".y", name: "x" });
    for (const whole of ["/home/a.b", "/a", "a/b/c.d", "x"]) assert.strictEqual(path.format(path.parse(whole)), whole);
    assert.strictEqual(path.format({ dir: "/a", name: "b", ext: "c" }), "/a/b.c");
  },
  "what is no string is refused"() {
    assert.throws(() => path.join(1 as never), { code: "ERR_INVALID_ARG_TYPE", name: "TypeError" });
    assert.throws(() => path.dirname(undefined as never), TypeError);
  },
} as Record<string, () => unknown>;

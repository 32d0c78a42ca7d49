import assert from "node:assert";
import { fileURLToPath, pathToFileURL, URL, URLSearchParams } from "node:url";

export default {
  "paths and file URLs are inverse"() {
    for (const path of ["/a/b", "/with space", "/p%c", "/q?x#y", "/ünï", "/dir/", "/back\\slash"]) {
      assert.strictEqual(fileURLToPath(pathToFileURL(path)), path);
    }
    assert.strictEqual(pathToFileURL("/a b").href, "file:///a%20b");
    assert.strictEqual(fileURLToPath("file:///a%20b"), "/a b");
  },
  "what is no path is refused"() {
    assert.throws(() => fileURLToPath("https://x/a"), { code: "ERR_INVALID_URL_SCHEME" });
    assert.throws(() => fileURLToPath("file:///a%2Fb"), { code: "ERR_INVALID_FILE_URL_PATH" });
    assert.throws(() => fileURLToPath("file://host/a"), { code: "ERR_INVALID_FILE_URL_HOST" });
  },
  "the classes are the global ones"() {
    assert.strictEqual(URL, globalThis.URL);
    assert.strictEqual(new URLSearchParams("a=1").get("a"), "1");
  },
} as Record<string, () => unknown>;

import assert from "node:assert";
import { createHash, createHmac, randomBytes, randomInt, randomUUID, timingSafeEqual } from "node:crypto";

export default {
  "digests of known texts"() {
    assert.strictEqual(createHash("md5").update("abc").digest("hex"), "900150983cd24fb0d6963f7d28e17f72");
    assert.strictEqual(createHash("sha1").update("abc").digest("hex"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert.strictEqual(
      createHash("SHA256").update("a").update(new Uint8Array([98, 99])).digest("hex"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    assert.strictEqual(createHash("sha256").digest("base64"), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    assert.strictEqual(createHash("sha384").update("abc").digest().length, 48);
    assert.strictEqual(createHash("sha512").update("abc").digest("hex").slice(0, 16), "ddaf35a193617aba");
  },
  "RFC 4231 test case 2, and a key longer than a block"() {
    assert.strictEqual(
      createHmac("sha256", "Jefe").update("what do ya want for nothing?").digest("hex"),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    assert.strictEqual(
      createHmac("sha256", new Uint8Array(131).fill(0xaa)).update("Test Using Larger Than Block-Size Key - Hash Key First").digest("hex"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    );
  },
  "a digest is made once, a copy goes on"() {
    const hash = createHash("sha1").update("a");
    const copy = hash.copy().update("b");
    hash.digest();
    assert.throws(() => hash.update("x"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    assert.strictEqual(copy.digest("hex"), createHash("sha1").update("ab").digest("hex"));
  },
  "bytes are taken when update is called"() {
    const bytes = new Uint8Array([1]);
    const hash = createHash("md5").update(bytes);
    bytes[0] = 2;
    assert.strictEqual(hash.digest("hex"), createHash("md5").update(new Uint8Array([1])).digest("hex"));
  },
  "an unknown digest is refused"() {
    assert.throws(() => createHash("sha3"));
  },
  "random values"() {
    assert.match(randomUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.strictEqual(randomBytes(70000).length, 70000);
    assert.notDeepStrictEqual(randomBytes(16), randomBytes(16));
    for (let i = 0; i < 100; i++) {
      const n = randomInt(3, 6);
      assert.ok(n >= 3 && n < 6);
    }
    assert.throws(() => randomInt(1, 1), RangeError);
  },
  "timingSafeEqual"() {
    assert.ok(timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 2])));
    assert.ok(!timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 3])));
    assert.throws(() => timingSafeEqual(new Uint8Array(1), new Uint8Array(2)));
  },
} as Record<string, () => unknown>;

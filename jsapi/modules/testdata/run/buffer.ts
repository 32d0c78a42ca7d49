import assert from "node:assert";
import { Buffer } from "node:buffer";

export default {
  "text goes in and out in every encoding"() {
    for (const [encoding, text, hex] of [
      ["utf8", "é€😀", "c3a9e282acf09f9880"], ["latin1", "éa", "e961"], ["ascii", "abc", "616263"], ["hex", "00ff7f", "00ff7f"],
      ["base64", "AP9/", "00ff7f"], ["base64", "YQ==", "61"], ["base64url", "-_8", "fbff"], ["utf16le", "é€", "e900ac20"],
    ] as const) {
      const buffer = Buffer.from(text, encoding);
      assert.strictEqual(buffer.toString("hex"), hex, `${encoding} ${text}`);
      assert.strictEqual(buffer.toString(encoding), text);
      assert.strictEqual(Buffer.byteLength(text, encoding), buffer.length);
    }
  },
  "odd input is taken as Node takes it"() {
    assert.strictEqual(Buffer.from("0g11", "hex").length, 0);
    assert.strictEqual(Buffer.from("abc", "hex").toString("hex"), "ab");
    assert.strictEqual(Buffer.from("Y Q", "base64").toString(), "a");
    assert.strictEqual(Buffer.from("-_8", "base64").toString("hex"), "fbff");
    assert.strictEqual(Buffer.from([0xff, 0xfe]).toString(), "\ufffd\ufffd");
    assert.strictEqual(Buffer.from("\ufeffa").toString(), "\ufeffa");
    assert.throws(() => Buffer.from("a", "x" as never), { code: "ERR_UNKNOWN_ENCODING" });
    assert.throws(() => Buffer.alloc(-1), RangeError);
    assert.throws(() => Buffer.from(5 as never), TypeError);
  },
  "it is a Uint8Array whose parts are Buffers that share bytes"() {
    const buffer = Buffer.from("hello");
    assert.ok(buffer instanceof Uint8Array && Buffer.isBuffer(buffer) && !Buffer.isBuffer(new Uint8Array(1)));
    const part = buffer.slice(1, 3);
    assert.ok(Buffer.isBuffer(part) && Buffer.isBuffer(buffer.subarray(1)));
    part[0] = 97;
    assert.strictEqual(buffer.toString(), "hallo");
    const source = new Uint8Array([1, 2]);
    const copied = Buffer.from(source);
    source[0] = 9;
    assert.strictEqual(copied[0], 1);
    assert.strictEqual(Buffer.from(source.buffer)[0], 9);
    assert.strictEqual(`${Buffer.from("x")}`, "x");
  },
  "alloc, concat, fill"() {
    assert.strictEqual(Buffer.alloc(3, "ab").toString(), "aba");
    assert.deepStrictEqual([...Buffer.alloc(2)], [0, 0]);
    assert.deepStrictEqual([...Buffer.alloc(2, 257)], [1, 1]);
    const parts = [Buffer.from("ab"), Buffer.from("cd")];
    assert.strictEqual(Buffer.concat(parts).toString(), "abcd");
    assert.strictEqual(Buffer.concat(parts, 3).toString(), "abc");
    assert.strictEqual(Buffer.concat(parts, 5).toString("hex"), "6162636400");
  },
  "equals, compare, indexOf, includes"() {
    const buffer = Buffer.from("hello world");
    assert.ok(buffer.equals(Buffer.from("hello world")) && !buffer.equals(Buffer.from("hello")));
    assert.strictEqual(Buffer.compare(Buffer.from("a"), Buffer.from("b")), -1);
    assert.strictEqual(Buffer.compare(Buffer.from("ab"), Buffer.from("a")), 1);
    assert.strictEqual(buffer.indexOf("world"), 6);
    assert.strictEqual(buffer.indexOf("o", 5), 7);
    assert.strictEqual(buffer.indexOf(111), 4);
    assert.strictEqual(buffer.indexOf("z"), -1);
    assert.ok(buffer.includes("lo w"));
  },
  "write stops at the end, copy too"() {
    const buffer = Buffer.alloc(4);
    assert.strictEqual(buffer.write("abc", 2), 2);
    assert.strictEqual(buffer.toString("hex"), "00006162");
    assert.strictEqual(Buffer.alloc(2).write("€"), 0);
    const target = Buffer.alloc(2);
    assert.strictEqual(Buffer.from("xyz").copy(target, 1), 1);
    assert.strictEqual(target.toString("hex"), "0078");
  },
  "numbers"() {
    const buffer = Buffer.alloc(8);
    assert.strictEqual(buffer.writeUInt32BE(0xdeadbeef, 0), 4);
    assert.strictEqual(buffer.readUInt32BE(0), 0xdeadbeef);
    assert.strictEqual(buffer.readUInt32LE(0), 0xefbeadde);
    assert.strictEqual(buffer.readInt16BE(0), -8531);
    assert.strictEqual(buffer.readUIntBE(0, 3), 0xdeadbe);
    assert.strictEqual(buffer.readUIntLE(0, 3), 0xbeadde);
    buffer.writeBigUInt64LE(2n ** 63n + 1n);
    assert.strictEqual(buffer.readBigUInt64LE(), 2n ** 63n + 1n);
    buffer.writeDoubleBE(0.1);
    assert.strictEqual(buffer.readDoubleBE(), 0.1);
    assert.throws(() => buffer.readUInt32LE(6), RangeError);
    assert.throws(() => buffer.readUIntBE(0, 9), RangeError);
  },
  "JSON keeps the bytes"() {
    assert.strictEqual(JSON.stringify(Buffer.from("a")), '{"type":"Buffer","data":[97]}');
    assert.strictEqual(Buffer.from(JSON.parse('{"type":"Buffer","data":[97]}')).toString(), "a");
  },
} as Record<string, () => unknown>;

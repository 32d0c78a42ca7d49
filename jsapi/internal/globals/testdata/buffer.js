// Buffer.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
Buffer.from("héllo").toString() === "héllo" && Buffer.from("héllo").length === 6 && Buffer.from("x") instanceof Uint8Array && Buffer.isBuffer(Buffer.from("x")) && !Buffer.isBuffer(new Uint8Array(1))
Buffer.from("aGk=", "base64").toString() === "hi" && Buffer.from("hi").toString("base64") === "aGk=" && Buffer.from("_-8", "base64url").toString("hex") === "ffef" && Buffer.from([255, 239]).toString("base64url") === "_-8"
Buffer.from("6869", "hex").toString() === "hi" && Buffer.from("68zz", "hex").length === 1 && Buffer.from([104, 105]).toString("hex") === "6869"
Buffer.from("é", "latin1").join() === "233" && Buffer.from([233]).toString("latin1") === "é" && Buffer.from("aé", "utf16le").join() === "97,0,233,0" && Buffer.from([97, 0]).toString("ucs2") === "a" && Buffer.from([0xe1]).toString("ascii") === "a"
Buffer.from([1, 2, 256 + 3]).join() === "1,2,3" && Buffer.from(new Uint8Array([1, 2])).join() === "1,2" && Buffer.from(new Uint16Array([258])).join() === "2"
(() => { const a = new ArrayBuffer(4); const b = Buffer.from(a, 1, 2); b[0] = 7; return b.length === 2 && new Uint8Array(a)[1] === 7; })()
(() => { const u = new Uint8Array([1]); const b = Buffer.from(u); u[0] = 9; return b[0] === 1; })()
Buffer.alloc(3).join() === "0,0,0" && Buffer.alloc(4, "ab").toString() === "abab" && Buffer.alloc(3, 1).join() === "1,1,1" && Buffer.allocUnsafe(2).length === 2
Buffer.concat([Buffer.from("a"), new Uint8Array([98])]).toString() === "ab" && Buffer.concat([Buffer.from("abc")], 2).toString() === "ab" && Buffer.concat([]).length === 0
Buffer.byteLength("é€") === 5 && Buffer.byteLength("aGk=", "base64") === 2 && Buffer.byteLength(new ArrayBuffer(3)) === 3
Buffer.compare(Buffer.from("a"), Buffer.from("b")) === -1 && Buffer.from("a").equals(Buffer.from("a")) && !Buffer.from("a").equals(Buffer.from("b")) && Buffer.from("b").compare(Buffer.from("a")) === 1
(() => { const b = Buffer.from("hello"); const s = b.slice(1, 3); s[0] = 69; return Buffer.isBuffer(s) && b.toString() === "hEllo" && b.subarray(-2).toString() === "lo"; })()
(() => { const b = Buffer.alloc(12); b.writeUInt8(255); b.writeUInt16LE(513, 1); b.writeUInt32BE(16909060, 3); b.writeInt32LE(-2, 7); return b.readUInt8() === 255 && b.readUInt16LE(1) === 513 && b.readUInt32BE(3) === 16909060 && b.readInt32LE(7) === -2 && b[3] === 1; })()
(() => { const b = Buffer.alloc(16); b.writeDoubleBE(1.5); b.writeFloatLE(0.5, 8); b.writeBigUInt64LE(5n, 8); return b.readDoubleBE() === 1.5 && b.readBigUInt64LE(8) === 5n && b.readBigInt64LE(8) === 5n; })()
(() => { const b = Buffer.alloc(6); b.writeUIntBE(0x123456789a, 0, 5); return b.readUIntBE(0, 5) === 0x123456789a && b.readIntBE(0, 1) === 0x12 && (b.writeIntLE(-5, 0, 3), b.readIntLE(0, 3) === -5) && b.readUint8(0) === 251; })()
thrown(() => Buffer.alloc(2).readUInt32LE(0)).code === "ERR_OUT_OF_RANGE" && thrown(() => Buffer.alloc(2).writeUInt8(256)) instanceof RangeError && thrown(() => Buffer.from(5)).code === "ERR_INVALID_ARG_TYPE" && thrown(() => Buffer.from("x", "nope")).code === "ERR_UNKNOWN_ENCODING"
thrown(() => Buffer.alloc(-1)).code === "ERR_OUT_OF_RANGE" && thrown(() => Buffer.alloc("1")).code === "ERR_INVALID_ARG_TYPE" && thrown(() => Buffer.from(null)) instanceof TypeError
Buffer.from("hello hello").indexOf("hello", 1) === 6 && Buffer.from("hello").includes("ll") && Buffer.from("hello").indexOf(108) === 2 && Buffer.from("hello").lastIndexOf("l") === 3 && Buffer.from("hello").indexOf("z") === -1 && Buffer.from("hello").indexOf(Buffer.from("lo"), -3) === 3
(() => { const b = Buffer.alloc(4); return b.write("a€€") === 4 && b.toString() === "a€" && b.write("zz", 2) === 2 && b.write("6869", "hex") === 2 && b.toString("utf8", 0, 2) === "hi"; })()
JSON.stringify(Buffer.from("hi")) === '{"type":"Buffer","data":[104,105]}' && Buffer.from(JSON.parse(JSON.stringify(Buffer.from("hi")))).toString() === "hi"
(() => { const a = Buffer.from("abc"), b = Buffer.alloc(2); return a.copy(b, 0, 1) === 2 && b.toString() === "bc"; })()
Buffer.from([1, 2, 3, 4]).swap16().join() === "2,1,4,3" && Buffer.from("x").fill("ab").toString() === "a" && Buffer.isEncoding("UTF-8") && !Buffer.isEncoding("x")
[...Buffer.from("ab").entries()].join("|") === "0,97|1,98" && Buffer.from("ab").map((x) => x + 1) instanceof Buffer && Buffer.from("abc", "utf8").at(-1) === 99
Buffer.from(new String("s")).toString() === "s" && `${Buffer.from("t")}` === "t" && Buffer.from("a") + "b" === "ab"
Buffer.from(new Set([1, 2])).join() === "1,2" && Buffer.from({ length: 1, 0: 5 }).join() === "5"

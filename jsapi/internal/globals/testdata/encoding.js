// TextEncoder, TextDecoder, atob, btoa, crypto, performance, Blob, File.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
!globalThis.rejected = async (f) => { try { await f(); } catch (e) { return e; } };
!globalThis.hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("");
new TextEncoder().encoding === "utf-8" && new TextEncoder().encode("é€😀").join() === "195,169,226,130,172,240,159,152,128"
new TextEncoder().encode().length === 0 && new TextEncoder().encode("x") instanceof Uint8Array
new TextEncoder().encode("\ud800").join() === "239,191,189"
(() => { const b = new Uint8Array(4); const r = new TextEncoder().encodeInto("a€€", b); return r.read === 2 && r.written === 4 && b.join() === "97,226,130,172"; })()
(() => { const b = new Uint8Array(4); const r = new TextEncoder().encodeInto("😀", b); return r.read === 2 && r.written === 4; })()
new TextDecoder().decode(new Uint8Array([195, 169])) === "é" && new TextDecoder().decode() === ""
new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])) === "A" && new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])) === "\ufeffA"
new TextDecoder().decode(new Uint8Array([0xff, 65])) === "\ufffdA" && new TextDecoder().decode(new Uint8Array([0xe2, 0x82])) === "\ufffd"
new TextDecoder().decode(new Uint8Array([0xf0, 0x9f, 0x41])) === "\ufffdA" && new TextDecoder().decode(new Uint8Array([0xed, 0xa0, 0x80])) === "\ufffd\ufffd\ufffd"
thrown(() => new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff]))) instanceof TypeError
(() => { const d = new TextDecoder(); return d.decode(new Uint8Array([0xe2]), { stream: true }) + d.decode(new Uint8Array([0x82]), { stream: true }) + d.decode(new Uint8Array([0xac])) === "€"; })()
(() => { const d = new TextDecoder(); d.decode(new Uint8Array([0xe2]), { stream: true }); return d.decode() === "\ufffd"; })()
(() => { const d = new TextDecoder(); return d.decode(new Uint8Array([0xef]), { stream: true }) + d.decode(new Uint8Array([0xbb, 0xbf, 65]), { stream: true }) + d.decode(new Uint8Array([0xef, 0xbb, 0xbf])) === "A\ufeff"; })()
new TextDecoder("utf-16le").decode(new Uint8Array([0x41, 0, 0x3d, 0xd8, 0, 0xde])) === "A😀" && new TextDecoder("utf-16be").decode(new Uint8Array([0, 0x41])) === "A"
(() => { const d = new TextDecoder("utf-16le"); return d.decode(new Uint8Array([0x3d, 0xd8, 0]), { stream: true }) + d.decode(new Uint8Array([0xde])) === "😀"; })()
new TextDecoder("utf-16le").decode(new Uint8Array([0, 0xd8, 0x41, 0])) === "\ufffdA" && thrown(() => new TextDecoder("utf-16le", { fatal: true }).decode(new Uint8Array([1]))) instanceof TypeError
new TextDecoder("latin1").decode(new Uint8Array([0xe9, 0x80, 0x81])) === "é€\x81" && new TextDecoder("latin1").encoding === "windows-1252"
new TextDecoder(" UTF8 ").encoding === "utf-8" && thrown(() => new TextDecoder("nope")) instanceof RangeError
new TextDecoder().decode(new Uint8Array([65, 66, 67]).buffer) === "ABC" && new TextDecoder().decode(new DataView(new Uint8Array([65, 66, 67]).buffer, 1)) === "BC" && new TextDecoder().decode(new Uint16Array([0x4241])) === "AB"
thrown(() => new TextDecoder().decode("x")) instanceof TypeError && thrown(() => new TextDecoder().decode({ buffer: new ArrayBuffer(1), byteOffset: 9, byteLength: 9 })) instanceof TypeError
btoa("héllo") === "aOlsbG8=" && atob("aOlsbG8=") === "héllo" && atob(" a G k = ") === "hi" && atob("aGk") === "hi"
thrown(() => btoa("€")).name === "InvalidCharacterError" && thrown(() => atob("a")).code === 5 && thrown(() => atob("a*==")).name === "InvalidCharacterError" && thrown(() => atob("aGk==")).name === "InvalidCharacterError"
thrown(() => atob()) instanceof TypeError && btoa(undefined) === "dW5kZWZpbmVk" && btoa("") === ""
(() => { const s = String.fromCharCode(...Array(256).keys()); return atob(btoa(s)) === s; })()
/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()) && crypto.randomUUID() !== crypto.randomUUID()
(() => { const a = new Uint8Array(32); return crypto.getRandomValues(a) === a && a.some((x) => x !== 0); })()
(() => { const b = new Uint32Array(4); const s = b.subarray(1, 3); crypto.getRandomValues(s); return b[0] === 0 && b[3] === 0 && b[1] !== 0; })()
thrown(() => crypto.getRandomValues(new Float32Array(1))).name === "TypeMismatchError" && thrown(() => crypto.getRandomValues(new Uint8Array(65537))).name === "QuotaExceededError" && thrown(() => crypto.getRandomValues([])).name === "TypeMismatchError"
(async () => hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"))) === "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")()
(async () => hex(await crypto.subtle.digest({ name: "sha-1" }, new ArrayBuffer(0))) === "da39a3ee5e6b4b0d3255bfef95601890afd80709")()
(async () => (await crypto.subtle.digest("SHA-384", new Uint8Array(1))).byteLength === 48 && (await crypto.subtle.digest("SHA-512", new Uint8Array(1))).byteLength === 64)()
(async () => (await rejected(() => crypto.subtle.digest("MD5", new Uint8Array(1)))).name === "NotSupportedError" && (await rejected(() => crypto.subtle.digest("SHA-1", "x"))) instanceof TypeError)()
typeof performance.now() === "number" && performance.timeOrigin > 1e12 && Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 2
(() => { performance.mark("a", { startTime: 1 }); performance.mark("b", { startTime: 4 }); const m = performance.measure("m", "a", "b"); return m.duration === 3 && m.startTime === 1 && performance.getEntriesByName("m").length === 1; })()
(() => { performance.clearMarks(); performance.clearMeasures(); return performance.getEntries().length === 0; })()
thrown(() => performance.measure("x", "nope")).name === "SyntaxError"
(async () => { const b = new Blob(["a", new Uint8Array([98]), new Blob(["c"]), new Uint8Array([100]).buffer], { type: "Text/Plain" }); return b.size === 4 && b.type === "text/plain" && await b.text() === "abcd"; })()
(async () => { const b = new Blob(["abcdef"]).slice(1, -1, "x/y"); return b.size === 4 && b.type === "x/y" && await b.text() === "bcde"; })()
(async () => (await new Blob(["hé"]).arrayBuffer()).byteLength === 3 && (await new Blob(["hé"]).bytes()) instanceof Uint8Array)()
(async () => { let n = 0; const it = new Blob([new Uint8Array(200000)]).stream()[Symbol.asyncIterator](); for (let s = await it.next(); !s.done; s = await it.next()) n += s.value.length; return n === 200000; })()
(() => { const f = new File(["x"], "n", { type: "a/b", lastModified: 5 }); return f.name === "n" && f.lastModified === 5 && f instanceof Blob && f.size === 1; })()
thrown(() => new Blob("x")) instanceof TypeError && thrown(() => new File([])) instanceof TypeError && new Blob().size === 0

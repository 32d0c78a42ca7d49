// fetch, Request, Response, Headers, FormData over a server of this machine.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
!globalThis.rejected = async (f) => { try { await f(); } catch (e) { return e; } };
(async () => { const r = await fetch(server + "/json"); return r.ok && r.status === 200 && r.statusText === "OK" && r.url === server + "/json" && r.headers.get("Content-Type") === "application/json"; })()
(async () => (await (await fetch(server + "/json")).json()).a[2].b === "é")()
(async () => (await (await fetch(new URL(server + "/json"))).text()).includes("é"))()
(async () => { const r = await fetch(server + "/echo", { method: "POST", body: "hé" }); return await r.text() === "hé" && r.headers.get("x-method") === "POST" && r.headers.get("x-type") === "text/plain;charset=UTF-8" && r.headers.get("x-length") === "3"; })()
(async () => { const r = await fetch(server + "/echo", { method: "PUT", body: new Uint8Array([1, 2, 255]), headers: { "X-Custom": "c" } }); const b = await r.bytes(); return b.join() === "1,2,255" && r.headers.get("x-custom") === "c"; })()
(async () => { const r = await fetch(server + "/echo", { method: "POST", body: new URLSearchParams({ a: "b c" }) }); return await r.text() === "a=b+c" && r.headers.get("x-type").startsWith("application/x-www-form-urlencoded"); })()
(async () => { const r = await fetch(server + "/echo", { method: "POST", body: new Blob(["x"], { type: "a/b" }) }); return await r.text() === "x" && r.headers.get("x-type") === "a/b"; })()
(async () => { const r = await fetch(server + "/echo", { method: "POST", body: { n: 0, [Symbol.asyncIterator]() { return this; }, async next() { return this.n++ < 2 ? { value: "c", done: false } : { value: undefined, done: true }; } } }); return await r.text() === "cc"; })()
(async () => { const f = new FormData(); f.append("a", "1"); f.append("f", new File(["data"], "n.txt", { type: "text/x" })); const r = await fetch(server + "/echo", { method: "POST", body: f }); const g = await new Response(await r.arrayBuffer(), { headers: { "content-type": r.headers.get("x-type") } }).formData(); return g.get("a") === "1" && g.get("f").name === "n.txt" && await g.get("f").text() === "data" && g.get("f").type === "text/x"; })()
(async () => { const r = await fetch(server + "/status/404"); return !r.ok && r.status === 404 && r.statusText === "Not Found" && await r.text() === ""; })()
(async () => { const r = await fetch(server + "/status/204"); return r.status === 204 && r.body === null; })()
(async () => { const r = await fetch(server + "/redirect"); return r.redirected && r.url === server + "/json"; })()
(async () => { const r = await fetch(server + "/redirect", { redirect: "manual" }); return r.status === 302 && r.headers.get("location") === "/json" && !r.redirected; })()
(async () => { const e = await rejected(() => fetch(server + "/redirect", { redirect: "error" })); return e instanceof TypeError && e.message.startsWith("fetch failed") && e.cause.message.includes("redirect"); })()
(async () => { const e = await rejected(() => fetch(server + "/loop")); return e instanceof TypeError && e.cause.message.includes("20 redirects"); })()
(async () => { const e = await rejected(() => fetch("http://127.0.0.1:1/")); return e instanceof TypeError && e.cause.code === "ECONNREFUSED"; })()
(async () => (await rejected(() => fetch("nope"))) instanceof TypeError && (await rejected(() => fetch("ftp://x/"))) instanceof TypeError)()
(async () => (await rejected(() => fetch("http://u:p@x/"))).message.includes("Authorization"))()
(async () => { let text = ""; const r = await fetch(server + "/chunks"); const d = new TextDecoder(); const it = r.body[Symbol.asyncIterator](); for (let s = await it.next(); !s.done; s = await it.next()) text += d.decode(s.value, { stream: true }); return text.split("\n").length === 6 && r.bodyUsed; })()
(async () => { const r = await fetch(server + "/chunks"); const reader = r.body.getReader(); const first = await reader.read(); await reader.cancel(); return first.value instanceof Uint8Array && !first.done && (await reader.read()).done; })()
(async () => { const r = await fetch(server + "/large"); return (await r.arrayBuffer()).byteLength === 1 << 20; })()
(async () => { const r = await fetch(server + "/json"); await r.text(); const e = await rejected(() => r.text()); return e instanceof TypeError && r.bodyUsed; })()
(async () => { const r = await fetch(server + "/chunks"); const c = r.clone(); const a = await r.text(), b = await c.text(); return a === b && a.length > 10; })()
(async () => { const r = await fetch(server + "/chunks"); const c = r.clone(); const [a, b] = await Promise.all([r.text(), c.text()]); return a === b; })()
(async () => { const c = new AbortController(); const p = fetch(server + "/hang", { signal: c.signal }); const r = await p; const reading = rejected(() => r.text()); c.abort(); return (await reading).name === "AbortError"; })()
(async () => { const e = await rejected(() => fetch(server + "/json", { signal: AbortSignal.abort("why") })); return e === "why"; })()
(async () => { const c = new AbortController(); const p = rejected(() => fetch(server + "/hang", { signal: c.signal })); c.abort(new Error("mine")); return (await p).message === "mine"; })()
(async () => await (await fetch("data:text/plain;base64,aGk=")).text() === "hi" && await (await fetch("data:,a%20b")).text() === "a b")()
(async () => { const r = await fetch(new Request(server + "/echo", { method: "POST", body: "rq" })); return await r.text() === "rq"; })()
(async () => { const q = new Request(server + "/echo", { method: "POST", body: "rq" }); const c = q.clone(); return await (await fetch(q)).text() === "rq" && await (await fetch(c)).text() === "rq"; })()
(async () => { const q = new Request("http://a/", { method: "post", body: "x" }); return q.method === "POST" && q.url === "http://a/" && await q.text() === "x" && q.signal instanceof AbortSignal; })()
thrown(() => new Request("http://a/", { body: "x" })) instanceof TypeError && thrown(() => new Request("http://a/", { method: "TRACE" })) instanceof TypeError && thrown(() => new Request("x")) instanceof TypeError
new Request(new Request("http://a/", { headers: { a: "1" } }), { method: "PUT" }).headers.get("a") === "1"
new Headers({ A: "1", b: " 2 " }).get("a") === "1" && new Headers([["B", " 2\t"]]).get("b") === "2"
(() => { const h = new Headers(); h.append("X", "1"); h.append("x", "2"); return h.get("X") === "1, 2" && h.has("x") && (h.delete("x"), !h.has("x")); })()
[...new Headers({ b: "1", A: "2" })].join("|") === "a,2|b,1" && [...new Headers({ b: 1 }).keys()].join() === "b"
(() => { const h = new Headers([["set-cookie", "a=1"], ["set-cookie", "b=2"]]); return h.getSetCookie().join() === "a=1,b=2" && [...h].length === 2; })()
thrown(() => new Headers({ "a b": "1" })) instanceof TypeError && thrown(() => new Headers({ a: "x\ny" })) instanceof TypeError && thrown(() => new Headers([["a"]])) instanceof TypeError
(async () => { const r = Response.json({ a: 1 }, { status: 201 }); return r.status === 201 && r.headers.get("content-type") === "application/json" && (await r.json()).a === 1; })()
Response.redirect("http://a/", 307).headers.get("location") === "http://a/" && Response.error().type === "error" && Response.error().status === 0
thrown(() => new Response("x", { status: 204 })) instanceof TypeError && thrown(() => new Response("", { status: 99 })) instanceof RangeError
(async () => { const b = await new Response("abc", { headers: { "content-type": "a/b" } }).blob(); return b.type === "a/b" && b.size === 3; })()
(async () => { const e = await rejected(() => new Response("{x").json()); return e instanceof SyntaxError; })()
new Response().body === null && new Response("x").body[Symbol.asyncIterator] !== undefined && Object.prototype.toString.call(new Response("").body) === "[object ReadableStream]"
(async () => { const f = new FormData(); f.append("a", "1"); f.append("a", "2"); f.set("a", "3"); f.append("b", new Blob(["x"])); return f.getAll("a").join() === "3" && f.get("b").name === "blob" && [...f.keys()].join() === "a,b"; })()
(async () => { const f = await new Response(new URLSearchParams("x=1&y=2")).formData(); return f.get("y") === "2"; })()
(async () => (await rejected(() => new Response("x").formData())) instanceof TypeError)()

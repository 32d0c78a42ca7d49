// AbortController, AbortSignal, events, DOMException.
new AbortController().signal.aborted === false
(() => { const c = new AbortController(); c.abort(); return c.signal.aborted && c.signal.reason.name === "AbortError" && c.signal.reason.code === 20; })()
(() => { const c = new AbortController(); c.abort("why"); c.abort("again"); return c.signal.reason === "why"; })()
(() => { const c = new AbortController(); let n = 0; c.signal.addEventListener("abort", () => n++); c.abort(); c.abort(); return n === 1; })()
(() => { const c = new AbortController(); const got = []; c.signal.onabort = (e) => got.push(e.type, e.target === c.signal); c.abort(); return got.join() === "abort,true"; })()
(() => { const c = new AbortController(); let n = 0; c.signal.onabort = () => n++; c.signal.onabort = null; c.abort(); return n === 0 && c.signal.onabort === null; })()
(() => { const s = AbortSignal.abort(5); try { s.throwIfAborted(); } catch (e) { return e === 5; } })()
new AbortController().signal.throwIfAborted() === undefined
(() => { try { new AbortSignal(); } catch (e) { return e instanceof TypeError; } })()
(() => { const a = new AbortController(), b = new AbortController(); const s = AbortSignal.any([a.signal, b.signal]); const before = s.aborted; b.abort("b"); return !before && s.aborted && s.reason === "b"; })()
AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason === 1
AbortSignal.any([]).aborted === false
(() => { const a = new AbortController(); const s = AbortSignal.any([AbortSignal.any([a.signal])]); let seen; a.signal.addEventListener("abort", () => { seen = s.aborted; }); a.abort(); return seen === true; })()
(() => { try { AbortSignal.any([1]); } catch (e) { return e instanceof TypeError; } })()
(async () => { const s = AbortSignal.timeout(10); await new Promise((r) => setTimeout(r, 9)); const before = s.aborted; await new Promise((r) => setTimeout(r, 2)); return !before && s.aborted && s.reason.name === "TimeoutError" && s.reason instanceof DOMException; })()
(() => { try { AbortSignal.timeout(-1); } catch (e) { return e instanceof TypeError; } })()
Object.prototype.toString.call(new AbortController().signal) === "[object AbortSignal]"
new AbortController().signal instanceof EventTarget
new Event("x").type === "x" && new Event("x", { cancelable: true }).cancelable
(() => { const t = new EventTarget(); t.addEventListener("x", (e) => e.preventDefault()); return t.dispatchEvent(new Event("x")) === true && t.dispatchEvent(new Event("x", { cancelable: true })) === false; })()
(() => { const t = new EventTarget(); const got = []; const f = () => got.push("f"); t.addEventListener("x", f); t.addEventListener("x", f); t.dispatchEvent(new Event("x")); t.removeEventListener("x", f); t.dispatchEvent(new Event("x")); return got.length === 1; })()
(() => { const t = new EventTarget(); let n = 0; t.addEventListener("x", () => n++, { once: true }); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return n === 1; })()
(() => { const t = new EventTarget(); let n = 0; t.addEventListener("x", { handleEvent() { n++; } }); t.dispatchEvent(new Event("x")); return n === 1; })()
(() => { const t = new EventTarget(), c = new AbortController(); let n = 0; t.addEventListener("x", () => n++, { signal: c.signal }); c.abort(); t.dispatchEvent(new Event("x")); return n === 0; })()
(() => { const t = new EventTarget(); let n = 0; t.addEventListener("x", (e) => e.stopImmediatePropagation()); t.addEventListener("x", () => n++); t.dispatchEvent(new Event("x")); return n === 0; })()
(() => { const t = new EventTarget(); const got = []; t.addEventListener("x", () => { t.addEventListener("x", () => got.push("late")); }); t.dispatchEvent(new Event("x")); return got.length === 0; })()
(() => { const t = new EventTarget(); const got = []; const late = () => got.push("late"); t.addEventListener("x", () => t.removeEventListener("x", late)); t.addEventListener("x", late); t.dispatchEvent(new Event("x")); return got.length === 0; })()
(() => { class T extends EventTarget { go() { return this.dispatchEvent(new CustomEvent("go", { detail: 5 })); } } const t = new T(); let d; t.addEventListener("go", (e) => { d = e.detail; }); t.go(); return d === 5; })()
(() => { const t = new EventTarget(); let e2; t.addEventListener("x", (e) => { e2 = e; }); const e = new Event("x"); t.dispatchEvent(e); return e2 === e && e.target === t && e.currentTarget === null; })()
(() => { const t = new EventTarget(); try { t.dispatchEvent({ type: "x" }); } catch (e) { return e instanceof TypeError; } })()
(() => { const t = new EventTarget(); let name; const e = new Event("x"); t.addEventListener("x", () => { try { t.dispatchEvent(e); } catch (err) { name = err.name; } }); t.dispatchEvent(e); return name === "InvalidStateError"; })()
(() => { const e = new DOMException("m", "NotFoundError"); return e instanceof Error && e instanceof DOMException && e.message === "m" && e.name === "NotFoundError" && e.code === 8; })()
String(new DOMException("m", "AbortError")) === "AbortError: m" && new DOMException("m").name === "Error" && new DOMException("x", "Nope").code === 0
DOMException.ABORT_ERR === 20 && DOMException.DATA_CLONE_ERR === 25 && DOMException.INVALID_STATE_ERR === 11
new DOMException("m", { name: "X", cause: 3 }).cause === 3
typeof new DOMException("m", "AbortError").stack === "string"

// Timers and microtasks.
!globalThis.log = []; globalThis.sleep = (ms) => new Promise((r) => setTimeout(r, ms));
typeof setTimeout === "function" && setTimeout.name === "setTimeout"
Object.getOwnPropertyDescriptor(globalThis, "setTimeout").enumerable === false
(async () => { const got = []; for (let i = 0; i < 20; i++) setTimeout(() => got.push(i), 1); await sleep(5); return got.join() === [...Array(20).keys()].join(); })()
(async () => { const got = []; setTimeout(() => got.push(2), 20); setTimeout(() => got.push(1), 10); await sleep(30); return got.join() === "1,2"; })()
(async () => { let got; setTimeout((...args) => { got = args; }, 1, "a", 2); await sleep(2); return got.join() === "a,2"; })()
(async () => { let n = 0; const t = setInterval(() => { if (++n === 3) clearInterval(t); }, 10); await sleep(100); return n === 3; })()
(async () => { let hit = false; const t = setTimeout(() => { hit = true; }, 1); clearTimeout(t); await sleep(5); return !hit; })()
(async () => { let hit = false; const t = setTimeout(() => { hit = true; }, 1); clearTimeout(+t); await sleep(5); return !hit; })()
(async () => { let hit = false; const t = setTimeout(() => { hit = true; }, 1); clearInterval(`${t}`); await sleep(5); return !hit; })()
(async () => { let hit = 0; const t = setInterval(() => { hit++; }, 1); clearTimeout(t); await sleep(5); return hit === 0; })()
[undefined, null, 0, -1, 123, NaN, "x", {}, [], () => {}, true].every((x) => { clearTimeout(x); clearInterval(x); clearImmediate(x); return true; })
(() => { const t = setTimeout(() => {}, 1); clearTimeout(t); clearTimeout(t); return true; })()
(() => { const t = setTimeout(() => {}, 5); const ok = t.hasRef() && t.unref() === t && !t.hasRef() && t.ref().hasRef(); clearTimeout(t); return ok; })()
(async () => { let at; const start = performance.now(); const t = setTimeout(() => { at = performance.now() - start; }, 10); await sleep(5); t.refresh(); await sleep(20); return at === 15; })()
(async () => { let self; const t = setTimeout(function () { self = this; }, 1); await sleep(2); return self === t; })()
(async () => { let n = 0; const t = setTimeout(() => { n++; clearTimeout(t); if (n === 1) t.refresh(); }, 1); await sleep(10); return n === 2; })()
typeof +setTimeout(() => {}, 1) === "number"
(async () => { const got = []; setTimeout(() => got.push("t"), 0); setImmediate(() => got.push("i")); queueMicrotask(() => got.push("m")); await sleep(2); return got.join() === "m,i,t"; })()
(async () => { let hit = false; clearImmediate(setImmediate(() => { hit = true; })); await sleep(2); return !hit; })()
(async () => { let got; setImmediate((a) => { got = a; }, 7); await sleep(1); return got === 7; })()
(() => { try { setTimeout("x=1"); } catch (e) { return e instanceof TypeError && e.code === "ERR_INVALID_ARG_TYPE"; } })()
(() => { try { queueMicrotask(1); } catch (e) { return e instanceof TypeError; } })()
(async () => { const got = []; queueMicrotask(() => { got.push(1); queueMicrotask(() => got.push(3)); }); queueMicrotask(() => got.push(2)); await sleep(1); return got.join() === "1,2,3"; })()
(async () => { const start = performance.now(); await new Promise((r) => setTimeout(r, -5)); return performance.now() - start === 1; })()
(async () => { const start = performance.now(); await new Promise((r) => setTimeout(r, 2 ** 40)); return performance.now() - start === 1; })()
(async () => { const start = performance.now(); await new Promise((r) => setTimeout(r, "25")); return performance.now() - start === 25; })()

// URL and URLSearchParams.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
new URL("http://a.b/c?d=1#e").href === "http://a.b/c?d=1#e"
new URL("../x/./y", "http://a.b/c/d/e").href === "http://a.b/c/x/y"
new URL("//h/p", "https://a").href === "https://h/p"
new URL("HTTP://EXAMPLE.com:80/%7Efoo/../a b").href === "http://example.com/a%20b"
new URL("https://user:pa%20ss@host:8443/p").username === "user" && new URL("https://user:pa%20ss@host:8443/p").password === "pa%20ss"
(() => { const u = new URL("https://h:8443/p?q#f"); return [u.protocol, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, u.origin].join(" ") === "https: h:8443 h 8443 /p ?q #f https://h:8443"; })()
new URL("https://münchen.de/ä").href === "https://xn--mnchen-3ya.de/%C3%A4"
new URL("http://0x7f.1/").hostname === "127.0.0.1" && new URL("http://[::1]:3000/").host === "[::1]:3000" && new URL("http://[2001:db8:0:0:0:0:0:1]/").hostname === "[2001:db8::1]"
new URL("file:///C:/a/../b").pathname === "/C:/b" && new URL("file:///x").origin === "null"
new URL("mailto:a@b").pathname === "a@b" && new URL("data:text/plain,hi").protocol === "data:"
new URL("http:\\\\a\\b").href === "http://a/b"
new URL("  http://a/\n ").href === "http://a/"
new URL("http://a/?q=a b\"<>'").search === "?q=a%20b%22%3C%3E%27"
thrown(() => new URL("nope")) instanceof TypeError && thrown(() => new URL("nope")).code === "ERR_INVALID_URL"
thrown(() => new URL("http://")) instanceof TypeError && thrown(() => new URL("http://a b/")) instanceof TypeError && thrown(() => new URL("http://a:99999/")) instanceof TypeError
thrown(() => new URL()) instanceof TypeError
URL.canParse("http://x") && !URL.canParse("x") && URL.canParse("x", "http://y") && URL.parse("x") === null && URL.parse("http://x").href === "http://x/"
JSON.stringify({ u: new URL("http://x") }) === '{"u":"http://x/"}' && `${new URL("http://x")}` === "http://x/"
(() => { const u = new URL("http://a/"); u.pathname = "/b c"; u.hash = "h"; u.search = "x=1"; u.port = "81"; u.protocol = "https"; u.host = "q:9"; return u.href === "https://q:9/b%20c?x=1#h"; })()
(() => { const u = new URL("http://a/"); u.port = "80"; u.username = "me"; u.password = "p@"; return u.href === "http://me:p%40@a/"; })()
(() => { const u = new URL("http://a/?x=1#y"); u.search = ""; u.hash = ""; return u.href === "http://a/"; })()
(() => { const u = new URL("http://a/"); const e = thrown(() => { u.href = "bad"; }); return e instanceof TypeError && u.href === "http://a/"; })()
(() => { const u = new URL("http://a/?b=1"); u.searchParams.append("c", "d e"); u.searchParams.set("b", "é"); return u.href === "http://a/?b=%C3%A9&c=d+e"; })()
(() => { const u = new URL("http://a/?b=1"); const p = u.searchParams; u.search = "?z=9"; return p === u.searchParams && p.get("z") === "9" && !p.has("b"); })()
(() => { const u = new URL("http://a/?b=1"); u.searchParams.delete("b"); return u.href === "http://a/"; })()
(() => { const u = new URL("http://a/?b=1"); const p = u.searchParams; u.href = "http://c/?d=2"; return p.get("d") === "2"; })()
new URLSearchParams("?a=1&b=2&a=3").getAll("a").join() === "1,3"
new URLSearchParams({ a: "1", b: "x y" }).toString() === "a=1&b=x+y"
new URLSearchParams([["a", "1"], ["a", "2"]]).toString() === "a=1&a=2"
new URLSearchParams(new URLSearchParams("q=%26")).get("q") === "&" && new URLSearchParams(new Map([["m", 1]])).get("m") === "1"
new URLSearchParams("a=b=c&&d&=e&%zz").toString() === "a=b%3Dc&d=&=e&%25zz="
new URLSearchParams("a+b=c+d%2B").get("a b") === "c d+"
new URLSearchParams("x=%ff").get("x") === "\ufffd"
new URLSearchParams("a=1").get("b") === null && new URLSearchParams("a=1&b=2").size === 2
[...new URLSearchParams("b=1&a=2")].join("|") === "b,1|a,2" && [...new URLSearchParams("b=1&a=2").keys()].join() === "b,a" && [...new URLSearchParams("b=1&a=2").values()].join() === "1,2"
(() => { const p = new URLSearchParams("c=1&a=2&b=3&a=1"); p.sort(); return p.toString() === "a=2&a=1&b=3&c=1"; })()
(() => { const p = new URLSearchParams("a=1&a=2"); return p.has("a", "2") && !p.has("a", "3") && (p.delete("a", "1"), p.toString() === "a=2"); })()
(() => { const got = []; new URLSearchParams("a=1&b=2").forEach((v, k) => got.push(k + v)); return got.join() === "a1,b2"; })()
thrown(() => new URLSearchParams([["a"]])) instanceof TypeError && thrown(() => new URLSearchParams([1])) instanceof TypeError
new URLSearchParams("a=\u{1F600}~*'()").toString() === "a=%F0%9F%98%80%7E*%27%28%29"
Object.prototype.toString.call(new URL("http://x")) === "[object URL]" && Object.prototype.toString.call(new URLSearchParams()) === "[object URLSearchParams]"
new URL("http://a/?x=%41").search === "?x=%41" && new URL("http://a/%2e%2E/b").pathname === "/b"
new URL("blob:https://a.b/c").origin === "https://a.b"
new URL("?q", "http://a/b/c").href === "http://a/b/c?q" && new URL("#f", "http://a/b?c").href === "http://a/b?c#f" && new URL("", "http://a/b?c#d").href === "http://a/b?c"

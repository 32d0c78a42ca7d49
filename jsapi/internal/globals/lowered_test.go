package globals

import (
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// TestLoweredSyntax runs what esbuild makes of syntax that the engine lacks
// over these globals: its helpers must find the symbols they look for.
func TestLoweredSyntax(t *testing.T) {
	const source = `
		const log: unknown[] = [];
		async function* numbers(n: number) { for (let i = 0; i < n; i++) yield i; }
		class Resource {
			constructor(readonly name: string) {}
			[Symbol.dispose]() { log.push("closed " + this.name); }
		}
		class Later { async [Symbol.asyncDispose]() { await null; log.push("closed later"); } }
		async function main(server: string) {
			for await (const n of numbers(3)) log.push(n);
			for await (const n of [Promise.resolve("p")]) log.push(n);
			{ using a = new Resource("a"); using b = new Resource("b"); log.push("using " + a.name + b.name); }
			{ await using later = new Later(); log.push("awaiting"); }
			let size = 0;
			for await (const chunk of (await fetch(server + "/large")).body!) size += chunk.length;
			log.push(size);
			for await (const chunk of (await fetch(server + "/chunks")).body!) { log.push(chunk.length > 0); break; }
			try { using one = { [Symbol.dispose]() { throw new Error("1"); } }; throw new Error("2"); }
			catch (e: any) { log.push(e instanceof SuppressedError, e.error.message + e.suppressed.message); }
			log.push((await Array.fromAsync(numbers(2))).length);
			return JSON.stringify(log);
		}
		globalThis.main = main;`
	result := api.Transform(source, api.TransformOptions{
		Loader:    api.LoaderTS,
		Target:    api.ES2022,
		Format:    api.FormatCommonJS,
		Supported: map[string]bool{"async-generator": false, "for-await": false, "using": false},
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors)
	}
	l := newLoop(t)
	l.rt.Set("server", newServer(t))
	if _, err := l.run("lowered.js", "{"+string(result.Code)+"\n}"); err != nil {
		t.Fatal(err)
	}
	got := settledText(t, l, `main(server)`)
	const want = `[0,1,2,"p","using ab","closed b","closed a","awaiting","closed later",1048576,true,true,"12",2]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

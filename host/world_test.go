package host

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// statements makes a world with one tool for each statement.
func statements(t *testing.T, bodies map[string]string) *testHost {
	t.Helper()
	var tools []string
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		tools = append(tools, tool(name, bodies[name]))
	}
	return newWorld(t, files{server("a"): extensionOf("a", "", tools...)}).open(inMemory)
}

// failing is a statement's error with what an author is promised of it.
func failing(statement string) string {
	return `try { ` + statement + `; return "no error"; } catch (e: any) { return [e.code, e.syscall !== undefined, e.path, e instanceof Error].join(" "); }`
}

func TestFileErrorsHaveCodePathAndSyscall(t *testing.T) {
	want := map[string][2]string{
		"missing":        {`await host.fs.read("/tmp/none")`, "ENOENT true /tmp/none true"},
		"exists":         {`await host.fs.mkdir("/tmp/d")`, "EEXIST true /tmp/d true"},
		"not_a_folder":   {`await host.fs.read("/tmp/f/x")`, "ENOTDIR true /tmp/f/x true"},
		"a_folder":       {`await host.fs.read("/tmp/d")`, "EISDIR true /tmp/d true"},
		"not_empty":      {`await host.fs.remove("/tmp/d")`, "ENOTEMPTY true /tmp/d true"},
		"nul":            {`await host.fs.stat("/tmp/a\u0000b")`, "EINVAL true"},
		"read_only":      {`await host.fs.write("/proc/extensions", "x")`, "EROFS true /proc/extensions true"},
		"snapshot":       {`await host.fs.write("/run/sausage/extensions/" + host.generation + "/extensions/a/server.ts", "x")`, "EROFS true"},
		"wrong_argument": {`await (host.fs as any).read(5)`, " false  true"},
		"fifo":           {`await host.fs.read("/tmp/fifo")`, "EINVAL true /tmp/fifo true"},
		"rename":         {`await host.fs.rename("/tmp/none", "/tmp/other")`, "ENOENT true /tmp/none true"},
	}
	bodies := map[string]string{
		"setup": `await host.fs.mkdir("/tmp/d/e", { recursive: true }); await host.fs.write("/tmp/f", "x"); await host.exec("mkfifo /tmp/fifo || mkfifo tmp/fifo", { cwd: "/" }); return "";`,
	}
	for name, each := range want {
		bodies[name] = failing(each[0])
	}
	h := statements(t, bodies)
	h.call("setup")
	for name, each := range want {
		t.Run(name, func(t *testing.T) {
			if got := h.call(name); !strings.HasPrefix(got, each[1]) {
				t.Errorf("got %q, want %q", got, each[1])
			}
		})
	}
}

func TestFileOperations(t *testing.T) {
	h := statements(t, map[string]string{"all": `
		const { fs } = host, lines: unknown[] = [];
		await fs.mkdir("/tmp/a/b", { recursive: true });
		await fs.write("/tmp/a/z", "text"); await fs.append("/tmp/a/z", "+"); lines.push(await fs.read("/tmp/a/z"));
		await fs.write("/tmp/a/bytes", new Uint8Array([0, 255, 7])); lines.push([...await fs.readBytes("/tmp/a/bytes")].join());
		lines.push((await fs.list("/tmp/a")).map((e: any) => e.name + ":" + e.kind).join());
		const stat = await fs.stat("/tmp/a/z"); lines.push([stat.kind, stat.size, stat.mtimeMs > 0].join());
		await host.exec(["ln", "-s", "z", "/tmp/a/link"], { cwd: "/tmp/a" });
		lines.push((await fs.lstat("/tmp/a/link")).kind, (await fs.stat("/tmp/a/link")).kind);
		await fs.rename("/tmp/a/z", "/tmp/a/y"); lines.push(await fs.read("/tmp/a/y"));
		await fs.remove("/tmp/a", { recursive: true }); lines.push((await fs.stat("/tmp/a").catch((e: any) => e)).code);
		return lines.join("\n");`})
	same(t, h.call("all"), strings.Join([]string{
		"text+", "0,255,7", "b:directory,bytes:file,z:file", "file,5,true", "symlink", "file", "text+", "ENOENT"}, "\n"))
}

func TestAWatchTellsWhatChangedUntilItIsClosed(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `
		await host.fs.mkdir("/tmp/same/same", { recursive: true });
		const seen: string[] = [];
		const watches = [host.fs.watch("/tmp/same", (change: any) => { seen.push(change.kind + " " + change.path); }),
			host.fs.watch("/tmp/file", (change: any) => { seen.push(change.kind + " " + change.path); })];
	`, tool("seen", `return seen.join(",");`), tool("close", `watches.forEach((w: any) => w.close()); return "";`))})
	h := w.open(inMemory)
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(w.path(name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("tmp/file")
	h.eventually("seen", "/tmp/file")
	write("tmp/same/x")
	h.eventually("seen", "/tmp/same/x")
	if err := os.Remove(w.path("tmp/same/same")); err != nil {
		t.Fatal(err)
	}
	h.eventually("seen", "/tmp/same/same")
	h.call("close")
	before := h.call("seen")
	write("tmp/same/y")
	write("tmp/other")
	if after := h.call("seen"); after != before {
		t.Errorf("seen after the watch was closed: %s", strings.TrimPrefix(after, before))
	}
}

func TestCommandsAndTheirOptions(t *testing.T) {
	bodies := map[string][2]string{
		"shell":         {`const r = await host.exec("echo out; echo err >&2; exit 3"); return JSON.stringify(r);`, `{"code":3,"stdout":"out\n","stderr":"err\n"}`},
		"argv":          {`return (await host.exec(["printf", "%s|", "a b", "$HOME"])).stdout;`, "a b|$HOME|"},
		"cwd":           {`await host.fs.mkdir("/tmp/dir"); return (await host.exec("pwd", { cwd: "/tmp/dir" })).stdout;`, "/tmp/dir\n"},
		"env_record":    {`return (await host.exec("echo $A$B", { env: { A: "1", B: "2" } })).stdout;`, "12\n"},
		"env_pairs":     {`return (await host.exec("echo $A", { env: [["A", "x"], ["A", "y"]] })).stdout;`, "y\n"},
		"made_env":      {`return (await host.exec("echo $HOME $GIT_DIR $SECRET")).stdout;`, "/home\n"},
		"stdin":         {`return (await host.exec("cat", { stdin: "given" })).stdout;`, "given"},
		"stdin_bytes":   {`return (await host.exec(["wc", "-c"], { stdin: new Uint8Array(5) })).stdout.trim();`, "5"},
		"timeout":       {`const r = await host.exec("sleep 100", { timeout: 0.1 }); return [r.timedOut, r.code !== 0].join();`, "true,true"},
		"signal":        {`const c = new AbortController(); const p = host.exec("sleep 100", { signal: c.signal }); c.abort(); return await p.then(() => "ended", (e: Error) => e.name);`, "AbortError"},
		"killed":        {`const r = await host.exec("kill -9 $$"); return [r.code, r.signal].join();`, "137,SIGKILL"},
		"onOutput":      {`const seen: string[] = []; await host.exec("printf 'ä'; sleep 0.05; echo e >&2", { onOutput: (text: string, stream: string) => { seen.push(stream + "=" + text); } }); return seen.join();`, "stdout=ä,stderr=e\n"},
		"maxBytes":      {`const r = await host.exec("yes | head -c 5000", { maxBytes: 100 }); return String(r.stdout.length < 400 && r.stdout.length > 90);`, "true"},
		"conversations": {`try { await host.exec("true", { conversations: [999] }); return "it ran"; } catch (error: any) { return error.name; }`, "NotFound"},
		"no_program":    {caught(`await host.exec(["no-such-program"])`), "StartError: "},
		"empty":         {caught(`await host.exec("")`), "TypeError: exec: the command is empty"},
		"bad_timeout":   {caught(`await host.exec("true", { timeout: -1 })`), "RangeError: exec: timeout must be"},
		"bad_env":       {caught(`await host.exec("true", { env: { "A=B": "x" } })`), "TypeError: exec: env must be"},
		"bad_onOutput":  {caught(`await host.exec("true", { onOutput: "x" as any })`), "TypeError: exec: onOutput"},
		"bad_cwd":       {caught(`await host.exec("true", { cwd: 5 as any })`), "TypeError: exec: cwd must be a string"},
		"git":           {`return await host.git("/src/sausage", "rev-parse", "--abbrev-ref", "HEAD");`, "main"},
		"git_error":     {`try { await host.git("/src/sausage", "rev-parse", "--verify", "nope"); return "no error"; } catch (e: any) { return JSON.stringify([e.name, e.message, e.code, e.args]); }`, `["GitError","fatal: Needed a single revision",128,["rev-parse","--verify","nope"]]`},
		"git_argument":  {caught(`await host.git("/src/sausage", 5 as any)`), "TypeError: git: args must be an array of strings"},
		"git_nowhere":   {caught(`await host.git("/none", "status")`), ""},
	}
	t.Setenv("SECRET", "shown")
	t.Setenv("GIT_DIR", "/nowhere")
	tools := map[string]string{}
	for name, each := range bodies {
		tools[name] = each[0]
	}
	if err := os.Unsetenv("GIT_DIR"); err != nil { // the fixture's git is not the world's
		t.Fatal(err)
	}
	h := statements(t, tools)
	t.Setenv("GIT_DIR", "/nowhere")
	for name, each := range bodies {
		t.Run(name, func(t *testing.T) {
			if got := h.call(name); !strings.HasPrefix(strings.ReplaceAll(got, "/home  \n", "/home\n"), each[1]) {
				t.Errorf("got %q, want %q", got, each[1])
			}
		})
	}
	contains(t, h.call("no_program"), "no-such-program")
	contains(t, h.call("git_nowhere"), "/none")
}

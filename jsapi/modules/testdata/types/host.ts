// What the types of the host let through, and what they refuse.
import { defineCommand, defineRoutine, defineService, type ExtensionFactory, type Host } from "harness";
import { Type } from "typebox";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<T extends true>(): T | undefined {
  return undefined;
}

interface Clock {
  zone: string;
  now(): string;
  later(ms: number): Promise<number>;
}
const Clock = defineService<Clock>("clock");

const factory: ExtensionFactory = async (host) => {
  await members(host);
  return { name: "test", commands: [defineCommand({ name: "hi", execute: () => "hi" })], routine };
};
export default factory;

const routine = defineRoutine({ execute: ({ id, payload }) => console.log(id, payload) });

async function members(host: Host): Promise<void> {
  host.implement(Clock, { zone: "UTC", now: () => "", later: async (ms) => ms });
  // @ts-expect-error a method is missing
  host.implement(Clock, { zone: "UTC", now: () => "" });

  const clock = host.need(Clock);
  expectType<Equal<ReturnType<typeof clock.now>, Promise<string>>>();
  expectType<Equal<ReturnType<typeof clock.later>, Promise<number>>>();
  // @ts-expect-error only methods can be called from afar
  clock.zone;
  // @ts-expect-error there may be no provider
  host.want(Clock).now();
  // A service by its name alone has any method, and any result.
  const loose: string = await host.need("anything").whatever(1, 2);
  const named = host.need<Clock>("clock");
  expectType<Equal<ReturnType<typeof named.now>, Promise<string>>>();
  // @ts-expect-error there may be no provider
  host.want("anything").whatever();
  console.log(loose, await host.want("anything")?.whatever());

  const settings = host.settings(Type.Object({ n: Type.Integer({ default: 1 }), list: Type.Array(Type.String()) }));
  expectType<Equal<typeof settings.n, number>>();
  // @ts-expect-error settings are frozen
  settings.n = 2;
  // @ts-expect-error deeply
  settings.list.push("x");

  const text: string = await host.fs.read("/a");
  const bytes: Uint8Array = await host.fs.readBytes("/a");
  await host.fs.write("/a", bytes);
  await host.fs.append("/a", text);
  for (const { name, kind } of await host.fs.list("/")) console.log(name, kind === "symlink");
  const { size, mtimeMs } = await host.fs.stat("/a");
  console.log(size + mtimeMs);
  // @ts-expect-error a number is no content
  await host.fs.write("/a", 1);
  using watch = host.fs.watch("/a", ({ kind }) => console.log(kind === "create"));
  watch.close();

  const { code, stdout } = await host.exec(["ls", "-l"], { env: [["A", "b"]], timeout: 1, onOutput: (t, s) => t + s });
  console.log(code.toFixed(), stdout);
  await host.exec("ls | wc", { env: { A: "b" }, signal: AbortSignal.timeout(10), stdin: "x", maxBytes: 1 });
  // @ts-expect-error misspelt
  await host.exec("ls", { timeuot: 1 });
  const sha: string = await host.git("/src/sausage", "rev-parse", "HEAD");

  const kept = host.resource("n", () => ({ n: 1 }), ({ n }) => console.log(n));
  expectType<Equal<typeof kept, { n: number }>>();
  const later = host.resource("later", async () => sha, (value) => value.length as never);
  expectType<Equal<typeof later, Promise<string>>>();
  host.notice(`${host.name} ${host.generation}`);
}

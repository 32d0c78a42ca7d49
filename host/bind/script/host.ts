/** The Host object that a factory gets, over what Go supplies. */

import type { ExecOptions, FileSystem, Host, OutputStream, Watch } from "harness";
import { named, notAvailable } from "harness:bind/errors";
import { createEventLog, emit, react } from "harness:bind/events";
import { createHarness } from "harness:bind/harness";
import { models } from "harness:internal/models";
import type { Native, NativeCommand } from "harness:bind/native";
import { createRegistryFace } from "harness:bind/registry";
import { ask } from "harness:bind/remote";
import { resource } from "harness:bind/resources";

export function createHost(native: Native): Host {
  return Object.freeze(new ExtensionHost(native)) as unknown as Host;
}

/** What hosts keep of a conversation: its title, its channel, anything. */
const metadata = Object.freeze({
  definition: Object.freeze({
    kind: "harness.metadata", version: 1, scope: "conversation", history: "latest", fork: "current",
    initial: () => ({}),
  }),
});

// A member is made when it is first read: an extension uses a few of many. What is
// made does not depend on this, so that a factory may take members apart.
class Lazy {
  readonly #made: Record<string, unknown> = {};

  protected once<T>(member: string, make: () => T): T {
    return (this.#made[member] ??= make()) as T;
  }
}

class ExtensionHost extends Lazy {
  readonly name: string;
  readonly generation: string;
  readonly #native: Native;

  constructor(native: Native) {
    super();
    this.#native = native;
    this.name = native("name");
    this.generation = native("generation");
  }

  get fs() {
    return this.once("fs", () => Object.freeze(new Files(this.#native)));
  }

  get exec() {
    return this.once("exec", () => {
      const exec = this.#native("exec");
      return async (command: string | readonly string[], options: ExecOptions = {}) =>
        exec(checkedCommand(command, options));
    });
  }

  get git() {
    return this.once("git", () => {
      const git = this.#native("git");
      return async (cwd: string, ...args: string[]) => git(cwd, args);
    });
  }

  get settings() {
    return this.once("settings", () => {
      const settings = this.#native("settings");
      return (schema?: object) => deepFreeze(settings(schema === undefined ? undefined : JSON.stringify(schema)));
    });
  }

  get implement() {
    return this.once("implement", () => (api: unknown, value: unknown) => implement(this.#native, api, value));
  }

  get need() {
    return this.once("need", () => (api: unknown) => {
      const id = serviceId("need", api);
      this.#native("need")(id);
      return remote(this.#native, id);
    });
  }

  get want() {
    return this.once("want", () => (api: unknown) => {
      const id = serviceId("want", api);
      return this.#native("provided")(id) ? remote(this.#native, id) : undefined;
    });
  }

  get onOpen() {
    return this.once("onOpen", () => (callback: () => unknown) =>
      this.#native("onOpen")(checkedCallback("onOpen", callback)));
  }

  get onClose() {
    return this.once("onClose", () => (callback: () => unknown) =>
      this.#native("onClose")(checkedCallback("onClose", callback)));
  }

  get resource() {
    return this.once("resource", () => (key: string, create: any, dispose?: any) =>
      resource(this.#native, key, create, dispose));
  }

  get notice() {
    return this.once("notice", () => (message: unknown) => this.#native("notice")(String(message)));
  }

  get harness() {
    return this.once("harness", () => {
      let harness: object | undefined;
      return () => {
        const engine = this.#native("engine")(); // which fails once the generation has closed
        return (harness ??= createHarness(engine, createRegistryFace(this.#native)));
      };
    });
  }

  get storage() {
    return this.once("storage", () => Object.freeze({
      scanSubmissions: async (query: object, limit: number, cursor?: object) =>
        ask(this.#native("engine")(), "scanSubmissions", { query, limit, cursor }),
    }));
  }

  get metadata() {
    return metadata;
  }

  get emit() {
    return this.once("emit", () => (type: string, payload: unknown, tx?: unknown, about?: { conversationId?: number }) =>
      emit(() => this.#native("engine")(), type, payload, tx, about));
  }

  get react() {
    return this.once("react", () => (name: string, filter: any, handler: any) => react(this.#native, name, filter, handler));
  }

  get eventLog() {
    return this.once("eventLog", () => createEventLog(() => this.#native("engine")()));
  }

  // What arrives with other parts of the harness.

  get models() {
    return () => models;
  }
  get routines(): never {
    return notAvailable("routines", "routines");
  }
  get capability() {
    return () => notAvailable("capability", "capabilities");
  }
}

class Files extends Lazy {
  readonly #native: Native;

  constructor(native: Native) {
    super();
    this.#native = native;
  }

  get read(): FileSystem["read"] {
    return this.once("read", () => asynchronous(this.#native("fs.read")));
  }
  get readBytes(): FileSystem["readBytes"] {
    return this.once("readBytes", () => asynchronous(this.#native("fs.readBytes")));
  }
  get write(): FileSystem["write"] {
    return this.once("write", () => asynchronous(this.#native("fs.write")));
  }
  get append(): FileSystem["append"] {
    return this.once("append", () => asynchronous(this.#native("fs.append")));
  }
  get list(): FileSystem["list"] {
    return this.once("list", () => asynchronous(this.#native("fs.list")));
  }
  get stat(): FileSystem["stat"] {
    return this.once("stat", () => asynchronous(this.#native("fs.stat")));
  }
  get lstat(): FileSystem["lstat"] {
    return this.once("lstat", () => asynchronous(this.#native("fs.lstat")));
  }
  get rename(): FileSystem["rename"] {
    return this.once("rename", () => asynchronous(this.#native("fs.rename")));
  }
  get mkdir(): FileSystem["mkdir"] {
    return this.once("mkdir", () => {
      const mkdir = this.#native("fs.mkdir");
      return async (path, options) => mkdir(path, options?.recursive === true);
    });
  }
  get remove(): FileSystem["remove"] {
    return this.once("remove", () => {
      const remove = this.#native("fs.remove");
      return async (path, options) => remove(path, options?.recursive === true);
    });
  }
  get watch(): FileSystem["watch"] {
    return this.once("watch", () => {
      const watch = this.#native("fs.watch");
      return (path, callback): Watch => {
        const close = watch(path, checkedCallback("fs.watch", callback));
        return { close, [Symbol.dispose]: close };
      };
    });
  }
}

// A wrong argument rejects; it does not throw.
function asynchronous<Args extends unknown[], T>(native: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  return async (...args) => native(...args);
}

function checkedCallback<F extends (...args: any[]) => unknown>(member: string, callback: F): F {
  if (typeof callback !== "function") throw new TypeError(`${member}: the callback must be a function`);
  return callback;
}

function checkedCommand(command: string | readonly string[], options: ExecOptions): NativeCommand {
  if (typeof command !== "string" && !(Array.isArray(command) && command.every((word) => typeof word === "string"))) {
    throw new TypeError("exec: the command must be a string or an array of strings");
  }
  if (command.length === 0) throw new TypeError("exec: the command is empty");
  const { timeout, maxBytes, onOutput } = options;
  for (const [key, value] of Object.entries({ timeout, maxBytes })) {
    if (value !== undefined && !(typeof value === "number" && value > 0)) {
      throw new RangeError(`exec: ${key} must be a number above 0`);
    }
  }
  if (onOutput !== undefined) checkedCallback("exec: onOutput", onOutput);
  return {
    command,
    cwd: options.cwd,
    env: environment(options.env),
    timeout,
    stdin: options.stdin,
    maxBytes,
    conversations: [...(options.conversations ?? [])],
    signal: options.signal,
    onOutput: onOutput && ((text: string, stream: OutputStream) => onOutput(text, stream)),
  };
}

function environment(env: ExecOptions["env"]): [string, string][] {
  if (env === undefined) return [];
  const pairs: readonly (readonly [string, string])[] = Array.isArray(env) ? env : Object.entries(env);
  return pairs.map(([name, value]) => {
    if (typeof name !== "string" || name === "" || name.includes("=") || typeof value !== "string") {
      throw new TypeError("exec: env must be pairs or a record of strings, and no name may be empty or contain =");
    }
    return [name, value];
  });
}

function serviceId(member: string, api: unknown): string {
  const id = typeof api === "object" && api !== null ? (api as { id?: unknown }).id : api;
  if (typeof id === "string" && id !== "") return id;
  throw new TypeError(`${member}: the service must be a non-empty string or a token of defineService`);
}

// A function of the isolate answers for the value, so that a service may be an
// instance of any class: only arguments and results cross.
function implement(native: Native, api: unknown, value: unknown): void {
  const id = serviceId("implement", api);
  if (typeof value !== "object" || value === null) throw new TypeError(`implement ${id}: the value must be an object`);
  native("implement")(id, (method, args) => {
    const member: unknown = method in Object.prototype ? undefined : Reflect.get(value, method);
    if (typeof member !== "function") throw named("NotAMethod", `service ${id} has no method ${method}`);
    return Reflect.apply(member, value, args);
  });
}

// Each call finds the provider anew, also through a method taken from the proxy
// earlier. A proxy is no promise and has no JSON form; as a text it names the service.
function remote(native: Native, id: string): object {
  const call = native("call");
  return new Proxy(Object.freeze({}), {
    get(_, member) {
      if (member === Symbol.toPrimitive) return () => `[service ${id}]`;
      if (typeof member === "symbol" || member === "then" || member === "toJSON") return undefined;
      return async (...args: unknown[]) => call(id, member, args);
    },
  });
}

function deepFreeze<T>(value: T): any {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

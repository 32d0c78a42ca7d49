/** The Host object that a factory gets, over what Go supplies. */

import type { ExecOptions, Host, OutputStream, Watch } from "harness";
import { named, notAvailable } from "harness:bind/errors";
import type { NativeHost } from "harness:bind/native";
import { resource } from "harness:bind/resources";

const engine = "the durable engine";

export function createHost(native: NativeHost): Host {
  const host = {
    name: native.name,
    generation: native.generation,
    fs: files(native),
    exec: async (command: string | readonly string[], options: ExecOptions = {}) =>
      native.exec(checkedCommand(command, options)),
    git: async (cwd: string, ...args: string[]) => native.git(cwd, args),
    settings: (schema?: object) =>
      deepFreeze(native.settings(schema === undefined ? undefined : JSON.stringify(schema))),
    implement: (api: unknown, value: unknown) => implement(native, api, value),
    need: (api: unknown) => {
      const id = serviceId("need", api);
      native.need(id);
      return remote(native, id);
    },
    want: (api: unknown) => {
      const id = serviceId("want", api);
      return native.provided(id) ? remote(native, id) : undefined;
    },
    onOpen: (callback: () => unknown) => native.onOpen(checkedCallback("onOpen", callback)),
    onClose: (callback: () => unknown) => native.onClose(checkedCallback("onClose", callback)),
    resource: (key: string, create: any, dispose?: any) => resource(native, key, create, dispose),
    notice: (message: unknown) => native.notice(String(message)),

    harness: () => notAvailable("harness()", engine),
    models: () => notAvailable("models()", "the models"),
    get storage(): never {
      return notAvailable("storage", engine);
    },
    get metadata(): never {
      return notAvailable("metadata", engine);
    },
    emit: async () => notAvailable("emit", engine),
    react: () => notAvailable("react", engine),
    get eventLog(): never {
      return notAvailable("eventLog", engine);
    },
    get routines(): never {
      return notAvailable("routines", "routines");
    },
    capability: () => notAvailable("capability", "capabilities"),
  };
  return Object.freeze(host) as unknown as Host;
}

function files(native: NativeHost): Host["fs"] {
  const { fs } = native;
  return Object.freeze({
    read: async (path: string) => fs.read(path),
    readBytes: async (path: string) => fs.readBytes(path),
    write: async (path: string, data: string | Uint8Array) => fs.write(path, data),
    append: async (path: string, data: string | Uint8Array) => fs.append(path, data),
    list: async (path: string) => fs.list(path),
    stat: async (path: string) => fs.stat(path),
    lstat: async (path: string) => fs.lstat(path),
    mkdir: async (path: string, options?: { recursive?: boolean }) => fs.mkdir(path, options?.recursive === true),
    remove: async (path: string, options?: { recursive?: boolean }) => fs.remove(path, options?.recursive === true),
    rename: async (from: string, to: string) => fs.rename(from, to),
    watch: (path: string, callback: (change: any) => unknown): Watch => {
      const close = fs.watch(path, checkedCallback("fs.watch", callback));
      return { close, [Symbol.dispose]: close };
    },
  });
}

function checkedCallback<F extends (...args: any[]) => unknown>(member: string, callback: F): F {
  if (typeof callback !== "function") throw new TypeError(`${member}: the callback must be a function`);
  return callback;
}

function checkedCommand(command: string | readonly string[], options: ExecOptions): Parameters<NativeHost["exec"]>[0] {
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
  return {
    command,
    cwd: options.cwd,
    env: environment(options.env),
    timeout,
    stdin: options.stdin,
    maxBytes,
    signal: options.signal,
    onOutput: onOutput && ((text: string, stream: OutputStream) => void checkedCallback("exec: onOutput", onOutput)(text, stream)),
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
function implement(native: NativeHost, api: unknown, value: unknown): void {
  const id = serviceId("implement", api);
  if (typeof value !== "object" || value === null) throw new TypeError(`implement ${id}: the value must be an object`);
  native.implement(id, (method, args) => {
    const member: unknown = method in Object.prototype ? undefined : Reflect.get(value, method);
    if (typeof member !== "function") throw named("NotAMethod", `service ${id} has no method ${method}`);
    return Reflect.apply(member, value, args);
  });
}

// Each call finds the provider anew, also through a method taken from the proxy
// earlier. A proxy is no promise and has no JSON form.
function remote(native: NativeHost, id: string): object {
  return new Proxy(Object.freeze({}), {
    get(_, member) {
      if (typeof member === "symbol" || member === "then" || member === "toJSON") return undefined;
      return async (...args: unknown[]) => native.call(id, member, args);
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

/** Reads what a module exports into a description that Go understands. */

import type { Context } from "@earendil-works/chord/context";
import { runTool } from "harness:bind/call";
import { hookRunner } from "harness:bind/hooks";
import { createHost } from "harness:bind/host";
import type { Native } from "harness:bind/native";
import { runSection } from "harness:bind/sections";
import { strictText } from "harness:bind/strict";
import { runPhase } from "harness:bind/tasks";
import { toolInside, sectionInside } from "harness:bind/wraps";

export { disposeResource } from "harness:bind/resources";

interface Problem {
  message: string;
  hint?: string;
}

type Members = Record<string, unknown>;

// How much of a problem's message goes to Go, which cuts it to what is shown.
const longest = 16384;

/** What Go reads of an extension: plain data as JSON, and functions by their path in the declaration. */
export interface Description {
  text: string;
  paths: string[];
  calls: Function[];
}

/** Calls the factory, if the default export is one, and describes the extension. */
export async function stage(exports: Members, native: Native): Promise<Description> {
  const reader = new Reader();
  const order = reader.order(exports);
  if (!("default" in exports)) {
    reader.problem("there is no default export", "export default an extension, or a function that takes the host and returns one");
    return reader.describe({ order });
  }
  let extension: unknown = exports["default"];
  if (typeof extension === "function") extension = await extension(createHost(native));
  native("seal")();
  if (typeof extension !== "object" || extension === null) {
    reader.problem(`the default export must be an extension object or a function that returns one, not ${kindOf(extension)}`);
    return reader.describe({ order });
  }
  return reader.describe({ order, ...reader.extension(extension as Members) });
}

/** Describes an extension that running code installs. */
export function describeExtension(extension: unknown): Description {
  if (typeof extension !== "object" || extension === null) throw new TypeError(`install: the extension must be an object, not ${kindOf(extension)}`);
  const reader = new Reader();
  return reader.describe({ order: 0, ...reader.extension(extension as Members) });
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}

// What the host knows of a tool; all else is for those who write prompts.
const toolMembers = new Set([
  "name", "description", "parameters", "execute", "prepareArguments", "replay", "executionMode", "timeout", "callers",
  "outputLimits", "structuredOutput", "constrainedSampling",
]);

/** Describes what a wrap made of a tool or a section; it must be whole. */
function remade(what: string, made: unknown, describe: (reader: Reader, made: Members) => Members): Description {
  if (typeof made !== "object" || made === null) throw new TypeError(`the wrap of ${what} must return one, not ${kindOf(made)}`);
  const reader = new Reader();
  const described = describe(reader, made as Members);
  return reader.whole(described);
}

class Reader {
  private readonly problems: Problem[] = [];
  private unreadable = ""; // the member whose getter threw last
  private readonly paths: string[] = [];
  private readonly calls: Function[] = [];

  describe(data: Members): Description {
    return { text: JSON.stringify({ ...data, problems: this.problems }), paths: this.paths, calls: this.calls };
  }

  /** describe, of what must not have a problem. */
  whole(data: Members): Description {
    const [first] = this.problems;
    if (first !== undefined) throw new TypeError(first.message);
    return this.describe(data);
  }

  problem(message: string, hint?: string): void {
    if (this.unreadable !== "" && message.startsWith(this.unreadable)) return; // what it is not, nobody knows
    message = message.slice(0, longest);
    this.problems.push(hint === undefined ? { message } : { message, hint });
  }

  order(exports: Members): number {
    const order = this.read(exports, "order", "the export ");
    if (order === undefined) return 0;
    if (typeof order === "number" && Number.isFinite(order)) return order;
    this.problem("the export order must be a finite number");
    return 0;
  }

  // A getter may throw; that is a problem of the declaration, not of the reader.
  private read(from: Members, key: string, prefix = ""): unknown {
    try {
      return from[key];
    } catch (error) {
      this.problem(`reading ${prefix}${key} threw: ${error instanceof Error ? error.message : String(error)}`);
      this.unreadable = prefix + key;
      return undefined;
    }
  }

  private string(from: Members, key: string, path: string, optional = false): string {
    const value = this.read(from, key, `${path}.`);
    if (typeof value === "string") return value;
    if (!(optional && value === undefined)) this.problem(`${path}.${key} must be a string, not ${kindOf(value)}`);
    return "";
  }

  private list(from: Members, key: string): Members[] {
    const value = this.read(from, key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.problem(`${key} must be an array, not ${kindOf(value)}`);
      return [];
    }
    return value.filter((item: unknown, index): item is Members => {
      if (typeof item === "object" && item !== null) return true;
      this.problem(`${key}[${index}] must be an object, not ${kindOf(item)}`);
      return false;
    });
  }

  private strings(from: Members, key: string, path: string): string[] | undefined {
    const value = this.read(from, key, `${path}.`);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    this.problem(`${path}.${key} must be an array of strings`);
    return undefined;
  }

  // Notes a function of the declaration; call is how Go calls it.
  private callable(from: Members, key: string, path: string, call: (call: Function) => Function, optional = false): boolean {
    const value = this.read(from, key, `${path}.`);
    if (typeof value === "function") {
      this.paths.push(path === "" ? key : `${path}.${key}`);
      this.calls.push(call(value));
      return true;
    }
    if (!(optional && value === undefined)) this.problem(`${path}.${key} must be a function, not ${kindOf(value)}`);
    return false;
  }

  extension(extension: Members): Members {
    return {
      name: this.string(extension, "name", "extension"),
      manifest: this.manifest(extension),
      scopes: this.strings(extension, "scopes", "extension"),
      tools: this.list(extension, "tools").map((tool, index) => this.tool(tool, `tools[${index}]`)),
      sections: this.list(extension, "sections").map((section, index) => this.section(section, `sections[${index}]`)),
      hooks: this.list(extension, "hooks").flatMap((hook, index) => this.hook(hook, `hooks[${index}]`)),
      wraps: this.list(extension, "wraps").map((wrap, index) => this.wrap(wrap, `wraps[${index}]`)),
      tasks: this.list(extension, "tasks").map((task, index) => this.task(task, `tasks[${index}]`)),
      commands: this.list(extension, "commands").map((command, index) => this.command(command, `commands[${index}]`)),
      routine: this.routine(extension),
      capabilities: this.capabilities(extension),
      instantiates: this.optional(extension, "instantiate"),
      shuts: this.optional(extension, "shutdown"),
    };
  }

  private optional(extension: Members, key: string): boolean {
    return this.callable(extension, key, "extension", (call) => () => Reflect.apply(call, extension, []), true);
  }

  private manifest(extension: Members): Members | undefined {
    const manifest = this.read(extension, "manifest");
    if (manifest === undefined) return undefined;
    if (typeof manifest !== "object" || manifest === null) {
      this.problem(`manifest must be an object, not ${kindOf(manifest)}`);
      return undefined;
    }
    const members = manifest as Members;
    const settings = this.read(members, "settings", "manifest.");
    this.string(members, "version", "manifest", true);
    return {
      apiVersion: this.version(members),
      hooks: this.strings(members, "hooks", "manifest"),
      provides: this.strings(members, "provides", "manifest"),
      requires: this.strings(members, "requires", "manifest"),
      requests: this.strings(members, "requests", "manifest"),
      settings: settings === undefined ? undefined : this.json(settings, "manifest.settings"),
    };
  }

  // Which versions there are, the registry knows.
  private version(manifest: Members): number | undefined {
    const version = this.read(manifest, "apiVersion", "manifest.");
    if (version === undefined || Number.isSafeInteger(version)) return version as number | undefined;
    this.problem("manifest.apiVersion must be an integer");
    return undefined;
  }

  private json(value: unknown, path: string): string | undefined {
    try {
      return JSON.stringify(value);
    } catch (error) {
      this.problem(`${path} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  tool(tool: Members, path: string): Members {
    this.callable(tool, "execute", path, () => (args: unknown, call: any, context: Context) =>
      runTool(tool as any, args, call, context));
    const timeout = this.read(tool, "timeout", `${path}.`);
    if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
      this.problem(`${path}.timeout must be a number of seconds above 0`);
    }
    return {
      name: this.string(tool, "name", path),
      description: this.string(tool, "description", path),
      parameters: this.json(this.read(tool, "parameters", `${path}.`) ?? {}, `${path}.parameters`),
      replay: this.choice(tool, "replay", path, ["safe", "unsafe"]),
      executionMode: this.choice(tool, "executionMode", path, ["parallel", "sequential"]),
      timeout: typeof timeout === "number" ? timeout : undefined,
      prepares: this.callable(tool, "prepareArguments", path, (call) => (args: unknown) => Reflect.apply(call, tool, [args]), true),
      callers: this.strings(tool, "callers", path),
      outputLimits: this.data(tool, "outputLimits", path),
      structuredOutput: this.data(tool, "structuredOutput", path),
      constrainedSampling: this.data(tool, "constrainedSampling", path),
      metadata: this.metadata(tool, path),
    };
  }

  // A member that is JSON, or left out.
  private data(from: Members, key: string, path: string): unknown {
    const value = this.read(from, key, `${path}.`);
    if (value === undefined) return undefined;
    const text = this.json(value, `${path}.${key}`);
    return text === undefined ? undefined : JSON.parse(text);
  }

  private metadata(tool: Members, path: string): Members | undefined {
    const own: Members = {};
    for (const key of Object.keys(tool)) {
      if (toolMembers.has(key)) continue;
      const value = this.read(tool, key, `${path}.`);
      if (value === undefined || typeof value === "function") continue;
      try {
        own[key] = JSON.parse(JSON.stringify(value));
      } catch {
        // It is the author's own, and nobody else is told of it.
      }
    }
    return Object.keys(own).length === 0 ? undefined : own;
  }

  private choice(from: Members, key: string, path: string, choices: readonly string[]): string | undefined {
    const value = this.read(from, key, `${path}.`);
    if (value === undefined) return undefined;
    if (typeof value === "string" && choices.includes(value)) return value;
    this.problem(`${path}.${key} must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}`);
    return undefined;
  }

  section(section: Members, path: string): Members {
    this.callable(section, "render", path, (call) => (input: any, context: Context) =>
      runSection((...args: unknown[]) => Reflect.apply(call, section, args), input, context));
    return { key: this.string(section, "key", path), tag: this.read(section, "tag", `${path}.`) === false ? false : undefined };
  }

  private hook(hook: Members, path: string): Members[] {
    const kind = this.read(hook, "kind", `${path}.`);
    if (typeof kind === "string") {
      return this.handler(hook, "handler", path, kind) ? [{ kind, function: `${path}.handler` }] : [];
    }
    const task = this.string(hook, "task", path);
    const handlers = this.read(hook, "handlers", `${path}.`);
    if (typeof handlers !== "object" || handlers === null) {
      this.problem(`${path}.handlers must be an object, not ${kindOf(handlers)}`);
      return [];
    }
    return Object.keys(handlers).flatMap((name) => {
      const at = `${path}.handlers`;
      const known = this.handler(handlers as Members, name, at, `${task}.${name}`);
      return known ? [{ task, handler: name, function: `${at}.${name}` }] : [];
    });
  }

  private handler(from: Members, key: string, path: string, kind: string): boolean {
    return this.callable(from, key, path, (call) => hookRunner(kind, (...args: unknown[]) => Reflect.apply(call, from, args)), true);
  }

  private wrap(wrap: Members, path: string): Members {
    const tool = this.string(wrap, "tool", path, true);
    const section = this.string(wrap, "section", path, true);
    this.callable(wrap, "wrap", path, (call) => (inner: any) =>
      tool !== ""
        ? remade(`tool ${tool}`, Reflect.apply(call, wrap, [toolInside(inner)]), (reader, made) => reader.tool(made, ""))
        : remade(`section ${section}`, Reflect.apply(call, wrap, [sectionInside(inner)]), (reader, made) => reader.section(made, "")));
    return { tool, section };
  }

  private task(task: Members, path: string): Members {
    const definition = this.read(task, "definition", `${path}.`);
    if (typeof definition !== "object" || definition === null) {
      this.problem(`${path} must be made by defineTask`);
      return { name: "", version: 0 };
    }
    const members = definition as Members;
    const at = `${path}.definition`;
    const version = this.read(members, "version", `${at}.`);
    if (!Number.isInteger(version)) this.problem(`${at}.version must be an integer`);
    const name = this.string(members, "name", at);
    const code = (call: Function) => (...args: unknown[]) => Reflect.apply(call, definition, args);
    this.callable(members, "initial", at, (call) => (input: unknown) => strictText(code(call)(input), `initial of the task ${name}`));
    this.callable(members, "abort", at, (call) => runPhase(code(call)));
    return {
      name,
      version: Number.isInteger(version) ? version : 0,
      phases: this.phases(members, at),
      migrates: this.callable(members, "migrate", at, (call) => (input: unknown, checkpoint: unknown, from: number) =>
        strictText(code(call)(input, checkpoint, from), `migrate of the task ${name}`), true),
    };
  }

  private phases(definition: Members, path: string): string[] {
    const phases = this.read(definition, "phases", `${path}.`);
    if (typeof phases !== "object" || phases === null) {
      this.problem(`${path}.phases must be an object, not ${kindOf(phases)}`);
      return [];
    }
    return Object.keys(phases).filter((phase) =>
      this.callable(phases as Members, phase, `${path}.phases`, (call) => runPhase((...args: unknown[]) => Reflect.apply(call, phases, args))));
  }

  private command(command: Members, path: string): Members {
    this.callable(command, "execute", path, (call) => (...args: unknown[]) => Reflect.apply(call, command, args));
    return {
      name: this.string(command, "name", path),
      description: this.string(command, "description", path, true),
    };
  }

  private routine(extension: Members): boolean {
    const routine = this.read(extension, "routine");
    if (routine === undefined) return false;
    if (typeof routine !== "object" || routine === null) {
      this.problem(`routine must be an object, not ${kindOf(routine)}`);
      return false;
    }
    return this.callable(routine as Members, "execute", "routine", (call) => (...args: unknown[]) => Reflect.apply(call, routine, args));
  }

  private capabilities(extension: Members): string[] {
    const capabilities = this.read(extension, "capabilities");
    if (capabilities === undefined) return [];
    if (typeof capabilities === "object" && capabilities !== null) return Object.keys(capabilities);
    this.problem(`capabilities must be an object, not ${kindOf(capabilities)}`);
    return [];
  }
}

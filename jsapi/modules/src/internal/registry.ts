/** A registry of a program's own, apart from the harness. */

import type { Extension, RegistrySnapshot } from "harness:internal/declarations";
import type { TaskToken } from "harness:internal/durable";
import type { Registry } from "harness:internal/sessions";

const key = /^[a-z][a-z0-9_-]*$/;

/** A registry that lists and validates extensions. Those that run are in the harness's own: host.harness().registry. */
export function createRegistry(): Registry & { subscribe(listener: () => void): () => void } {
  let installed: readonly Extension[] = [];
  const listeners = new Set<() => void>();
  const publish = (next: readonly Extension[]): void => {
    validate(next);
    installed = Object.freeze(next);
    for (const listener of [...listeners]) listener();
  };
  return Object.freeze({
    snapshot: () => snapshotOf(installed),
    install(extension: Extension) {
      const at = installed.findIndex(({ name }) => name === extension.name);
      publish(at < 0 ? [...installed, extension] : installed.with(at, extension));
    },
    uninstall(extension: string | { readonly name: string }) {
      const name = typeof extension === "string" ? extension : extension.name;
      publish(installed.filter((other) => other.name !== name));
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}

function snapshotOf(installed: readonly Extension[]): RegistrySnapshot {
  const tasks = installed.flatMap((extension) => extension.tasks ?? []);
  return Object.freeze({
    installed: () => installed,
    extension: (name: string) => installed.find((extension) => extension.name === name),
    tools: () => installed.flatMap((extension) => (extension.tools ?? []).map((tool) => ({ extension, tool }))),
    sections: () => installed.flatMap((extension) => (extension.sections ?? []).map((section) => ({ extension, section }))),
    tasks: () => tasks,
    task: (name: string): TaskToken | undefined => tasks.find(({ definition }) => definition.name === name),
  });
}

function validate(extensions: readonly Extension[]): void {
  const tasks: string[] = [];
  for (const extension of extensions) {
    const of = `extension ${extension.name}`;
    distinct(of, "tool", (extension.tools ?? []).map(({ name }) => name));
    const keys = (extension.sections ?? []).map((section) => section.key);
    distinct(of, "section", keys);
    for (const name of keys) {
      if (!key.test(name) || name === "instructions") throw new TypeError(`${of}: a section cannot be called ${JSON.stringify(name)}`);
    }
    for (const { definition } of extension.tasks ?? []) {
      if (definition.name.startsWith("pi.")) throw new TypeError(`${of}: the task ${definition.name} is the engine's own`);
      tasks.push(definition.name);
    }
  }
  distinct("the registry", "task", tasks);
}

function distinct(of: string, what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`${of}: there are two ${what}s called ${JSON.stringify(twice)}`);
}

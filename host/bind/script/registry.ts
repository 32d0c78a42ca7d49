/** What is installed, and installing at run time. */

import { describeExtension } from "harness:bind/declaration";
import type { Native } from "harness:bind/native";

/** An extension as Go describes it. */
interface Installed {
  name: string;
  tools: { name: string }[];
  sections: { key: string }[];
  tasks: { name: string; version: number }[];
}

/** What was installed at one moment, which never changes and is looked up when it is first asked for. */
export function registrySnapshot(look: () => Installed[]): object {
  let found: Installed[] | undefined;
  const installed = () => (found ??= look());
  const tokens = () => installed().flatMap(({ tasks }) => tasks.map((definition) => ({ definition })));
  return Object.freeze({
    installed,
    extension: (name: string) => installed().find((extension) => extension.name === name),
    tools: () => installed().flatMap((extension) => extension.tools.map((tool) => ({ extension, tool }))),
    sections: () => installed().flatMap((extension) => extension.sections.map((section) => ({ extension, section }))),
    tasks: tokens,
    task: (name: string) => tokens().find(({ definition }) => definition.name === name),
  });
}

/** The registry of the harness. What is installed stays until it is uninstalled, or the next commit goes live. */
export function createRegistryFace(native: Native): object {
  return Object.freeze({
    snapshot: () => {
      const now = native("installed")() as Installed[];
      return registrySnapshot(() => now);
    },
    install: (extension: object) => native("install")(describeExtension(extension)),
    uninstall: (extension: string | { name: string }) =>
      native("uninstall")(typeof extension === "string" ? extension : extension.name),
  });
}

// Shows: a watch. What appears in /home/inbox is announced at once.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { basename } from "node:path";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

const folder = "/home/inbox";

export default async function inbox(host: Host) {
  await host.fs.mkdir(folder, { recursive: true });
  const arrived: string[] = [];

  // From the commit that goes live to its end; nothing has to be closed by hand.
  host.onOpen(() => {
    host.fs.watch(folder, ({ kind, path }) => {
      if (kind !== "create") return;
      arrived.push(basename(path));
      host.notice(`${basename(path)} arrived in ${folder}`);
    });
  });

  const check = defineTool({
    name: "inbox_check",
    description: "Says what arrived in the inbox since the last check.",
    parameters: Type.Object({}),
    async execute() {
      const files = arrived.splice(0);
      const sizes = await Promise.all(
        files.map(async (file) => {
          const { size } = await host.fs.stat(`${folder}/${file}`);
          return `${file} (${size} bytes)`;
        }),
      );
      return files.length === 0 ? text("Nothing new.") : text(...sizes);
    },
  });

  return defineExtension({ name: "inbox", tools: [check] });
}

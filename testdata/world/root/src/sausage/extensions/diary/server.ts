// Shows: a service that must be there. A commit without a clock is refused.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { Clock } from "../../shared/clock.ts";
import { text } from "../../shared/text.ts";

const folder = "/home/diary";

export default async function diary(host: Host) {
  const clock = host.need(Clock);
  await host.fs.mkdir(folder, { recursive: true });

  const write = defineTool({
    name: "diary_write",
    description: "Adds a line to today's page of the diary.",
    parameters: Type.Object({ line: Type.String({ minLength: 1 }) }),
    async execute({ line }) {
      const [today, now] = await Promise.all([clock.today(), clock.now()]);
      await host.fs.append(`${folder}/${today}.md`, `- ${now.slice(11, 16)} ${line}\n`);
      return text(`Noted on ${today}.`);
    },
  });

  const read = defineTool({
    name: "diary_read",
    description: "Reads a page of the diary, today's by default.",
    parameters: Type.Object({ date: Type.Optional(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })) }),
    replay: "safe",
    async execute({ date }) {
      const pages = (await host.fs.list(folder)).map((entry) => entry.name);
      const page = `${date ?? (await clock.today())}.md`;
      if (!pages.includes(page)) return text(`There is no page ${page}.`, ...pages);
      return text(await host.fs.read(`${folder}/${page}`));
    },
  });

  return defineExtension({ name: "diary", tools: [write, read] });
}

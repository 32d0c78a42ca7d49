// Shows: files of the world. A list in one JSON file, a journal that only grows,
// and an archive of finished lists.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { readJson, writeJson } from "../../shared/json-file.ts";
import { text } from "../../shared/text.ts";

interface Item {
  id: number;
  title: string;
  done: boolean;
}

const folder = "/home/todo";
const list = `${folder}/list.json`;
const journal = `${folder}/journal.log`;
const archive = `${folder}/archive`;

export default async function todo(host: Host) {
  await host.fs.mkdir(archive, { recursive: true });

  const items = () => readJson<Item[]>(host, list, []);

  async function save(changed: Item[], note: string): Promise<void> {
    await writeJson(host, list, changed);
    await host.fs.append(journal, `${new Date().toISOString()} ${note}\n`);
  }

  const add = defineTool({
    name: "todo_add",
    description: "Adds something to do.",
    parameters: Type.Object({ title: Type.String({ minLength: 1 }) }),
    executionMode: "sequential",
    async execute({ title }) {
      const all = await items();
      const id = Math.max(0, ...all.map((item) => item.id)) + 1;
      await save([...all, { id, title, done: false }], `added ${id}: ${title}`);
      return text(`Added ${id}: ${title}`);
    },
  });

  const show = defineTool({
    name: "todo_list",
    description: "Lists what is to do, and with all also what is done.",
    parameters: Type.Object({ all: Type.Optional(Type.Boolean()) }),
    replay: "safe",
    async execute({ all = false }) {
      const shown = (await items()).filter((item) => all || !item.done);
      if (shown.length === 0) return text("Nothing to do.");
      return { ...text(...shown.map((item) => `[${item.done ? "x" : " "}] ${item.id} ${item.title}`)), details: shown };
    },
  });

  const done = defineTool({
    name: "todo_done",
    description: "Marks something as done.",
    parameters: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    executionMode: "sequential",
    async execute({ id }) {
      const all = await items();
      const found = all.find((item) => item.id === id);
      if (found === undefined) throw new Error(`there is no item ${id}`);
      found.done = true;
      await save(all, `finished ${id}`);
      return text(`Done: ${found.title}`);
    },
  });

  const archived = defineTool({
    name: "todo_archive",
    description: "Puts the list away and starts an empty one. Keeps the newest lists, ten by default.",
    parameters: Type.Object({ keep: Type.Optional(Type.Integer({ minimum: 0 })) }),
    executionMode: "sequential",
    async execute({ keep = 10 }) {
      if ((await items()).length === 0) return text("There is no list to archive.");
      const name = `${new Date().toISOString().replaceAll(":", "-")}.json`;
      await host.fs.rename(list, `${archive}/${name}`);
      const kept = await host.fs.list(archive);
      const old = kept.slice(0, Math.max(0, kept.length - keep));
      for (const entry of old) await host.fs.remove(`${archive}/${entry.name}`);
      return text(`Archived as ${name}. Lists in the archive: ${kept.length - old.length}`);
    },
  });

  return defineExtension({ name: "todo", tools: [add, show, done, archived] });
}

import type { Host } from "harness";

/** A line of a file, and where it is. */
export interface Line {
  path: string;
  number: number;
  text: string;
}

/** All text files below a folder, in order. Links are not followed. */
export async function* walk(host: Host, folder: string): AsyncGenerator<string> {
  for (const entry of await host.fs.list(folder)) {
    const path = folder === "/" ? `/${entry.name}` : `${folder}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    if (entry.kind === "directory") yield* walk(host, path);
    else if (entry.kind === "file") yield path;
  }
}

/** The lines of files, one file at a time. */
export async function* lines(host: Host, paths: AsyncIterable<string>): AsyncGenerator<Line> {
  for await (const path of paths) {
    const content = await host.fs.read(path).catch(() => "");
    let number = 0;
    for (const text of content.split("\n")) yield { path, number: ++number, text };
  }
}

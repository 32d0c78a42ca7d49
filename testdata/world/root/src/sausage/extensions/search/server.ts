// Shows: modern JavaScript. Async generators read only as much as is asked for,
// `using` ends what a block began, and the matcher is imported when it is needed.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { basename } from "node:path";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";
import { lines, walk } from "./walk.ts";

interface Matcher {
  default(query: string): (line: string) => boolean;
}

/** Measures a block and tells when it is left. */
function stopwatch(label: string): Disposable & { elapsed(): number } {
  const start = performance.now();
  const elapsed = (): number => Math.round(performance.now() - start);
  return { elapsed, [Symbol.dispose]: () => console.debug(`${label} took ${elapsed()} ms`) };
}

export default function search(host: Host) {
  const find = defineTool({
    name: "search_files",
    description: "Finds lines in the text files below a folder.",
    parameters: Type.Object({
      query: Type.String({ minLength: 1 }),
      by: Type.Optional(Type.Enum(["text", "regexp", "words"], { description: "text by default" })),
      folder: Type.Optional(Type.String({ description: "/src/sausage/extensions by default" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "20 by default" })),
    }),
    replay: "safe",
    async execute(args, _api, context) {
      const { query, by = "text", folder = "/src/sausage/extensions", limit = 20 } = args;
      using watch = stopwatch(`search for ${JSON.stringify(query)}`);
      const { default: matcher }: Matcher = await import(`./matchers/${by}.ts`);
      const matches = matcher(query);

      const found: string[] = [];
      for await (const { path, number, text: line } of lines(host, walk(host, folder))) {
        context.abortSignal?.throwIfAborted();
        if (matches(line)) found.push(`${path}:${number}: ${line.trim()}`);
        if (found.length === limit) break;
      }
      return {
        ...text(...(found.length > 0 ? found : ["Nothing found."])),
        details: { ms: watch.elapsed(), searcher: basename(import.meta.dirname) },
      };
    },
  });

  return defineExtension({ name: "search", tools: [find] });
}

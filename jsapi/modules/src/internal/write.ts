/** The tool that makes and replaces files. */

import type { ToolRegistration } from "@earendil-works/pi-durable";
import { alone, counted, envOf, orRefuse } from "harness:internal/worktools";
import { dirname } from "node:path";

export function createWriteTool(_options?: object): ToolRegistration<object, { path: string; bytes: number; made: boolean }> {
  return {
    name: "write",
    description:
      "Write a text file. The file is made when it is missing, with the folders it needs; what it held before is replaced.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Where the file is, absolute or from the working folder on." },
        content: { type: "string", description: "All of the text that the file is to hold." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    async execute(args: { path: string; content: string }, api, context) {
      const env = envOf(api);
      const at = orRefuse("write", args.path, await env.absolutePath(args.path, context));
      return alone(env, at, context, async () => {
        const there = await env.canonicalPath(at, context);
        const made = !there.ok && there.error.code === "not_found";
        if (made) orRefuse("write", args.path, await env.createDir(dirname(at), { recursive: true }, context));
        else orRefuse("write", args.path, there);
        orRefuse("write", args.path, await env.writeFile(at, args.content, context));
        const bytes = new TextEncoder().encode(args.content).length;
        return {
          content: [{ type: "text", text: `${made ? "Made" : "Replaced"} ${args.path} with ${counted(bytes, "byte")}.` }],
          details: { path: at, bytes, made },
        };
      });
    },
  };
}

// Shows: programs of the world. One gets its input from the call, the other
// shows what it prints while it runs, and both end with the call.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

export default function formatter(host: Host) {
  const wrap = defineTool({
    name: "format_text",
    description: "Wraps paragraphs at a width, 72 by default.",
    parameters: Type.Object({
      text: Type.String(),
      width: Type.Optional(Type.Integer({ minimum: 20, maximum: 200 })),
    }),
    replay: "safe",
    async execute({ text: input, width = 72 }, _api, context) {
      // An array runs the program without a shell: nothing needs quoting.
      const { code, stdout, stderr } = await host.exec(["fmt", `--width=${width}`], {
        stdin: input,
        timeout: 10,
        signal: context.abortSignal,
      });
      if (code !== 0) throw new Error(`fmt failed: ${stderr}`);
      return text(stdout.trimEnd());
    },
  });

  const check = defineTool({
    name: "run_check",
    description: "Runs a shell command in a folder and shows what it prints while it runs.",
    parameters: Type.Object({
      command: Type.String({ minLength: 1 }),
      cwd: Type.Optional(Type.String({ description: "/home by default" })),
      seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 600, description: "60 by default" })),
    }),
    async execute({ command, cwd = "/home", seconds = 60 }, api, context) {
      const result = await host.exec(command, {
        cwd,
        env: { NO_COLOR: "1" },
        timeout: seconds,
        maxBytes: 64 * 1024,
        onOutput: (chunk, stream) => api.output(stream === "stderr" ? `! ${chunk}` : chunk),
        signal: context.abortSignal,
        conversations: api.conversationId === undefined ? [] : [api.conversationId],
      });
      const how = result.timedOut ? `timed out after ${seconds} s` : `exit code ${result.code}`;
      return {
        ...text(result.stdout + result.stderr + how),
        isError: result.code !== 0 || result.timedOut === true,
        details: { code: result.code, signal: result.signal ?? null },
      };
    },
  });

  return defineExtension({ name: "formatter", tools: [wrap, check] });
}

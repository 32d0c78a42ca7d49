// Shows: a package that is committed in node_modules, and a tool that takes its
// time but ends when its caller gives up.
import { formatDuration, parseDuration } from "@example/duration";
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import { setTimeout } from "node:timers/promises";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

export default defineExtension({
  name: "stopwatch",
  tools: [
    defineTool({
      name: "wait",
      description: "Waits for a time such as 1m30s, at most five minutes.",
      parameters: Type.Object({ time: Type.String({ description: "hours, minutes, seconds: 1h2m3s" }) }),
      timeout: 310,
      async execute({ time }, api, context) {
        const seconds = parseDuration(time);
        if (seconds > 300) throw new Error(`${formatDuration(seconds)} is longer than five minutes`);
        api.output(`waiting for ${formatDuration(seconds)}\n`);
        await setTimeout(seconds * 1000, undefined, { signal: context.abortSignal });
        return text(`${formatDuration(seconds)} have passed.`);
      },
    }),
  ],
});

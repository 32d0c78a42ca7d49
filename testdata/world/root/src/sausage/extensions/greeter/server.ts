// Shows: settings with a schema, which fills in what settings.json leaves out,
// and a service that may be missing.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { Clock } from "../../shared/clock.ts";
import { text } from "../../shared/text.ts";

const Settings = Type.Object({
  greeter: Type.Object(
    {
      greeting: Type.String({ default: "Hello" }),
      byTimeOfDay: Type.Boolean({ default: true }),
    },
    { default: {} },
  ),
});

function greetingAt(hour: number): string {
  if (hour < 6 || hour >= 22) return "Good night";
  if (hour < 12) return "Good morning";
  return hour < 18 ? "Good afternoon" : "Good evening";
}

export default function greeter(host: Host) {
  const greet = defineTool({
    name: "greet",
    description: "Greets somebody.",
    parameters: Type.Object({ name: Type.String({ minLength: 1 }) }),
    replay: "safe",
    async execute({ name }) {
      // Read at each call: a change of settings.json needs no commit.
      const { greeting, byTimeOfDay } = host.settings(Settings).greeter;
      const clock = byTimeOfDay ? host.want(Clock) : undefined;
      const words = clock === undefined ? greeting : greetingAt(await clock.hour());
      return text(`${words}, ${name}!`);
    },
  });

  return defineExtension({ name: "greeter", tools: [greet] });
}

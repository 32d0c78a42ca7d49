// Shows: a value that outlives commits. The next commit of this file gets the
// same object, with what it has counted so far.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

interface Counter {
  count: number;
  seconds: number;
  timer: Timer;
}

function createCounter(): Counter {
  // The timer belongs to the resource, so a commit does not stop it.
  const counter: Counter = { count: 0, seconds: 0, timer: setInterval(() => void counter.seconds++, 1000) };
  return counter;
}

export default function counter(host: Host) {
  const kept = host.resource("counter", createCounter, ({ timer }) => clearInterval(timer));
  let calls = 0;

  host.onOpen(() => host.notice(`${host.name} is live at ${host.generation.slice(0, 8)}, counting from ${kept.count}`));
  host.onClose(() => console.log(`${host.name} served ${calls} calls of ${host.generation.slice(0, 8)}`));

  const count = defineTool({
    name: "count",
    description: "Counts up and says how far, across all commits since the harness started.",
    parameters: Type.Object({ by: Type.Optional(Type.Integer({ minimum: 1 })) }),
    async execute({ by = 1 }) {
      calls++;
      kept.count += by;
      return {
        ...text(`${kept.count}`),
        details: { count: kept.count, seconds: kept.seconds, calls, generation: host.generation },
      };
    },
  });

  return defineExtension({ name: "counter", tools: [count] });
}

// Shows: data beside code. JSON and text are imported like modules and change
// with the commit.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";
import duties from "./duties.json" with { type: "json" };
import template from "./template.md" with { type: "text" };

type Weekday = keyof typeof duties;

const weekdays: readonly Weekday[] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

// An extension that needs nothing of its host is exported as it is.
export default defineExtension({
  name: "briefing",
  tools: [
    defineTool({
      name: "briefing",
      description: "Writes the briefing for a date.",
      parameters: Type.Object({ date: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }) }),
      replay: "safe",
      async execute({ date }) {
        const weekday = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()];
        if (weekday === undefined) throw new Error(`${date} is not in the calendar`);
        const values: Record<string, string> = { weekday, date, duty: duties[weekday] };
        return text(template.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place).trimEnd());
      },
    }),
  ],
});

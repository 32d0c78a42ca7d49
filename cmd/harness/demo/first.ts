import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import { Type } from "typebox";

export default defineExtension({
  name: "hello",
  tools: [
    defineTool({
      name: "hello",
      description: "Greets somebody.",
      parameters: Type.Object({ name: Type.String() }),
      async execute({ name }) {
        return { content: [{ type: "text", text: `Hello, ${name}.` }] };
      },
    }),
  ],
});

// Shows: a subagent. It is a conversation that belongs to the call of a tool: it ends
// with the call, and is found again when the call runs again after a crash.
import { configure, defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

export default function delegate(host: Host) {
  const tool = defineTool({
    name: "delegate",
    description: "Gives a task to a helper who knows nothing of this conversation, and waits for the answer.",
    parameters: Type.Object({ task: Type.String({ minLength: 1 }) }),
    // Each step below finds what it did before.
    replay: "safe",
    async execute({ task }, api, context) {
      const owner = api.taskId;
      if (owner === undefined) throw new Error("only a conversation has helpers");

      const helper = await api.commit(async (tx) => {
        const before = await tx.scanConversations({ ownerTaskId: owner }, 1);
        if (before.items[0] !== undefined) return before.items[0].id;
        const { id } = await tx.createConversation({ ownership: { kind: "task", taskId: owner } });
        await configure(tx, id, {
          tools: { remove: [{ name: "delegate" }] },
          instructions: "Do the task alone. Your last message is all that is read.",
        });
        return id;
      }, context);

      const conversation = await api.conversation(helper, context);
      const submission = await conversation?.submit({ type: "input", content: task, requestId: "task" }, context);
      const settled = await submission?.wait(context);
      if (settled?.answer === undefined) throw new Error(`the helper has no answer: ${settled?.reason ?? "it is gone"}`);

      const answer = await host.harness().entry(settled.answer, context);
      const content = answer?.model?.flatMap((message) => (message.role === "assistant" ? message.content : [])) ?? [];
      return { ...text(...content.flatMap((part) => (part.type === "text" ? part.text : []))), details: { helper } };
    },
  });

  return defineExtension({ name: "delegate", tools: [tool] });
}
